//! The daemon's log: a file that is set aside when it is large, so that there are never more than two.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::rpc::lock;
use crate::workspace::private;

/// Bytes of one file: some ten thousand requests.
const LARGEST: u64 = 1 << 20;

/// A log that several threads write.
#[derive(Clone)]
pub struct Log {
    path: PathBuf,
    file: Arc<Mutex<Option<File>>>,
}

impl Log {
    /// The log in a folder, which is made where it is not there.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn open(folder: &Path) -> io::Result<Log> {
        private::make_folder(folder)?;
        let path = folder.join("daemon.log");
        let file = private::appendable(&path)?;
        Ok(Log { path, file: Arc::new(Mutex::new(Some(file))) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for Log {
    /// What cannot be written is not: a full disk is no reason to end.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = lock(&self.file);
        let is_large =
            file.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|it| it.len() > LARGEST);
        if is_large {
            let _stays_and_grows = fs::rename(&self.path, self.path.with_extension("log.1"));
            *file = private::appendable(&self.path).ok();
        }
        if let Some(file) = file.as_mut() {
            let _is_lost = file.write_all(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_never_more_than_two() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut log = Log::open(&folder.path().join("state")).unwrap();
        for _ in 0..40 {
            log.write_all(&vec![b'x'; 100_000]).unwrap();
        }
        let sizes: Vec<u64> = fs::read_dir(folder.path().join("state"))
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(sizes.len(), 2);
        assert!(sizes.iter().all(|size| *size <= LARGEST + 100_000), "{sizes:?}");
    }
}
