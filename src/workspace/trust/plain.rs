//! Reads a file that somebody else may have made to trip its reader: bounded, nothing but files, no links that lead away.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// Far more than any such file has.
const LARGEST: u64 = 256 * 1024;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plain {
    Missing,
    Text(String),
    /// Something is there, and what it says is not known: why.
    Odd(String),
}

/// The file's text. A link counts only where it stays in its folder, as Cargo's documents propose for `config`.
pub(super) fn read(path: &Path) -> Plain {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Plain::Missing;
        }
        Err(error) => return Plain::Odd(format!("cannot be read ({})", error.kind())),
    };
    if found.is_symlink() && !stays(path) {
        return Plain::Odd("is a link that leads elsewhere".to_owned());
    }
    // Asked before it is opened: opening a pipe waits for its writer.
    match path.metadata() {
        Ok(found) if !found.is_file() => Plain::Odd("is no file".to_owned()),
        Ok(found) if found.len() > LARGEST => Plain::Odd(format!("is larger than {LARGEST} bytes")),
        Ok(_) => text(path),
        Err(error) => Plain::Odd(format!("cannot be read ({})", error.kind())),
    }
}

/// Whether a link leads to something in its own folder.
fn stays(link: &Path) -> bool {
    let folder = link.parent().and_then(|folder| folder.canonicalize().ok());
    let target = link.canonicalize().ok();
    folder.is_some() && target.as_deref().and_then(Path::parent) == folder.as_deref()
}

fn text(path: &Path) -> Plain {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)) {
        Err(error) => return Plain::Odd(format!("cannot be read ({})", error.kind())),
        Ok(_) if bytes.len() as u64 > LARGEST => {
            return Plain::Odd(format!("is larger than {LARGEST} bytes"));
        }
        Ok(_) => {}
    }
    match String::from_utf8(bytes) {
        Ok(text) => Plain::Text(text),
        Err(_) => Plain::Odd("is not UTF-8".to_owned()),
    }
}
