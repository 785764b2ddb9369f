//! The form in which a model asks for what it lacks: a reply that is nothing but a block fenced as `need`, with a path or a name
//! in each line.

/// How often a model may ask in one conversation.
pub const MOST_ROUNDS: usize = 2;
/// What is read of one request: enough for what decides an answer, and a bound for a model that lists a whole code base.
pub const MOST_ASKED: usize = 8;
/// Bytes of a request; a longer reply is an answer.
pub const LARGEST_NEED: usize = 4 * 1024;
/// Bytes of one path or name; longer ones are not read.
const LONGEST_NAME: usize = 200;

pub(super) const OPENING: &str = "```need";
const CLOSING: &str = "```";

/// What the reply asks for, if it is a request and nothing else: up to [`MOST_ASKED`] paths or names, each once.
pub fn parse_need(reply: &str) -> Option<Vec<String>> {
    let reply = reply.trim();
    if reply.len() > LARGEST_NEED {
        return None;
    }
    let (opening, body) = reply.split_once('\n')?;
    let body = body.strip_suffix(CLOSING)?;
    if opening.trim_end() != OPENING || !(body.is_empty() || body.ends_with('\n')) || body.contains(CLOSING) {
        return None;
    }
    let mut asked: Vec<String> = Vec::new();
    for line in body.lines().map(name).filter(|name| !name.is_empty() && name.len() <= LONGEST_NAME) {
        if asked.len() < MOST_ASKED && !asked.iter().any(|known| known == line) {
            asked.push(line.to_owned());
        }
    }
    (!asked.is_empty()).then_some(asked)
}

/// The request as it is repeated to the model.
pub fn need_block(asked: &[String]) -> String {
    format!("{OPENING}\n{}\n{CLOSING}", asked.join("\n"))
}

/// A line without what models put around a name: the sign of a list, back-ticks.
fn name(line: &str) -> &str {
    let line = line.trim();
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    item.trim().trim_matches('`').trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_a_whole_reply() {
        let asked = |reply: &str| parse_need(reply).unwrap_or_default().join(" ");
        assert_eq!(asked("```need\nsrc/a.rs\nA::b\n```"), "src/a.rs A::b");
        assert_eq!(asked("\n```need \r\n- `src/a.rs`\r\n* A::b\n\nA::b\n```\n\n"), "src/a.rs A::b");
        for other in [
            "",
            "```need```",
            "```need\n```",
            "```need\nsrc/a.rs",
            "```needle\na\n```",
            "```rust\na\n```",
            "I need:\n```need\na\n```",
            "```need\na\n```\nbecause",
            "```need\na\n```\n```need\nb\n```",
            "```need\na ```",
        ] {
            assert_eq!(parse_need(other), None, "{other:?}");
        }
    }

    #[test]
    fn a_request_is_bounded() {
        let many: String = (0..100).map(|n| format!("src/{n}.rs\n")).collect();
        assert_eq!(parse_need(&format!("```need\n{many}```")).unwrap().len(), MOST_ASKED);
        let long = "x".repeat(LONGEST_NAME + 1);
        assert_eq!(parse_need(&format!("```need\n{long}\nb\n```")).unwrap(), ["b"]);
        assert_eq!(parse_need(&format!("```need\n{}\n```", "a\n".repeat(LARGEST_NEED))), None);
    }

    #[test]
    fn what_is_repeated_reads_the_same() {
        let asked = ["src/a.rs".to_owned(), "A::b".to_owned()];
        assert_eq!(parse_need(&need_block(&asked)).unwrap(), asked);
    }
}
