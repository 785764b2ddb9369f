//! One message off a stream, framed by `lsp-server`, its announced length bounded before anything of it is kept.

use std::io::{self, BufRead, Read};

use lsp_server::Message;

/// The longest message. The largest honest ones, lists of references, stay below 10 MB.
const MAX_MESSAGE_BYTES: usize = 64 << 20;

/// The longest head of a message; honest ones have about 30 bytes.
const MAX_HEAD_BYTES: u64 = 4 << 10;

/// The next message; `None` at the stream's end.
///
/// # Errors
/// Where the stream fails, ends inside a message, or holds what is no message.
pub(crate) fn read(stream: &mut impl BufRead) -> io::Result<Option<Message>> {
    let Some((head, length)) = read_head(stream)? else { return Ok(None) };
    if length > MAX_MESSAGE_BYTES {
        return Err(invalid(format!("a message of {} MB", length >> 20)));
    }
    Message::read(&mut head.as_slice().chain(stream.take(length as u64)))
}

/// The head with its empty line, and the length that it announces.
fn read_head(stream: &mut impl BufRead) -> io::Result<Option<(Vec<u8>, usize)>> {
    let mut head = Vec::new();
    let mut length = None;
    let mut bounded = stream.take(MAX_HEAD_BYTES);
    loop {
        let start = head.len();
        if bounded.read_until(b'\n', &mut head)? == 0 {
            return if head.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        let line = head.get(start..).unwrap_or_default().trim_ascii();
        if line.is_empty() {
            break;
        }
        length = announced(line).or(length);
    }
    let length = length.ok_or_else(|| invalid("a message without its length"))?;
    Ok(Some((head, length)))
}

fn announced(line: &[u8]) -> Option<usize> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    if !name.eq_ignore_ascii_case("Content-Length") {
        return None;
    }
    // A length beyond any number is a length beyond the bound.
    Some(value.trim().parse().unwrap_or(usize::MAX))
}

fn invalid(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stream: &str, expected: Result<usize, &str>) {
        let mut stream = stream.as_bytes();
        let mut messages = 0;
        let outcome = loop {
            match read(&mut stream) {
                Ok(Some(_)) => messages += 1,
                Ok(None) => break Ok(messages),
                Err(error) => break Err(error.to_string()),
            }
        };
        match (outcome, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn messages_are_read_until_the_end() {
        let one = "Content-Length: 14\r\n\r\n{\"method\":\"a\"}";
        let other = "Content-Type: x\r\ncontent-length: 14\r\n\r\n{\"method\":\"b\"}";
        check("", Ok(0));
        check(&format!("{one}{other}"), Ok(2));
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        check("Content-Length: 14\r\n\r\n{\"met", Err(""));
        check("Content-Length: 14\r\n", Err("unexpected end"));
        check("Content-Length: 2\r\n\r\n{}", Err("malformed"));
        check("Content-Length: 3\r\n\r\n\u{7f}{}", Err("malformed"));
        check("hello\r\n\r\n", Err("without its length"));
        check("Content-Length: -3\r\n\r\n{}", Err("a message of"));
    }

    #[test]
    fn what_is_too_long_is_not_read() {
        check("Content-Length: 209715200\r\n\r\n", Err("a message of 200 MB"));
        check("Content-Length: 99999999999999999999999\r\n\r\n", Err("a message of"));
        check(&"x".repeat(1 << 20), Err("unexpected end"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_messages_or_an_error(bytes in "(Content-Length: [0-9]{1,3}(\r\n\r\n|\r\n|\n)|\\{\"method\":\"a\"\\}|.){0,8}") {
            let mut stream = bytes.as_bytes();
            while let Ok(Some(_)) = read(&mut stream) {}
        }
    }
}
