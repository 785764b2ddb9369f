//! Files of a model's folder, each with a limit to its size.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::llm::embed::error::{CHOOSE_ANOTHER, EmbedError, GET_ANEW};

/// All of a file.
pub(super) fn read(file: &Path, limit: u64) -> Result<Vec<u8>, EmbedError> {
    match read_if_there(file, limit)? {
        Some(bytes) => Ok(bytes),
        None => Err(EmbedError::folder(file, "it is missing", GET_ANEW)),
    }
}

/// All of a file; `None` where there is none.
pub(super) fn read_if_there(file: &Path, limit: u64) -> Result<Option<Vec<u8>>, EmbedError> {
    let failed = |error: std::io::Error| EmbedError::folder(file, error.to_string(), remedy(&error));
    let found = match file.metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    // A pipe would be waited for.
    if !found.is_file() {
        return Err(EmbedError::folder(file, "it is no file", GET_ANEW));
    }
    if found.len() > limit {
        let why = format!("it has {} bytes; at most {limit} are read", found.len());
        return Err(EmbedError::folder(file, why, CHOOSE_ANOTHER));
    }
    let mut bytes = Vec::new();
    let mut source = File::open(file).map_err(failed)?.take(limit);
    // The size may not be had as memory: that is an error, not an end.
    let size = usize::try_from(found.len()).unwrap_or(usize::MAX);
    if bytes.try_reserve_exact(size).is_err() {
        let why = format!("there is no memory for its {size} bytes");
        return Err(EmbedError::folder(file, why, CHOOSE_ANOTHER));
    }
    source.read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(bytes))
}

fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "let yourself read it, or name another folder",
        _ => GET_ANEW,
    }
}
