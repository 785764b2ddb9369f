//! The file: records are put at its end, one a line; it never grows without bound.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::Record;
use crate::workspace::private;

const FILE: &str = "journal.jsonl";
/// Bytes; some thousand dossiers. A longer file loses its older half.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The journal of this user; its file need not be there yet.
#[derive(Debug, Clone)]
pub struct Journal {
    file: PathBuf,
    largest: u64,
}

impl Journal {
    /// The journal in the user's folder for data.
    pub fn in_folder(folder: &Path) -> Journal {
        Journal { file: folder.join(FILE), largest: LARGEST }
    }

    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Puts records at the end. The folder and the file are made where they are not there, for the user alone.
    pub fn append(&self, records: &[Record]) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        private::make_folder(folder)?;
        let _lock = private::lock(folder);
        let mut file = private::appendable(&self.file)?;
        // Behind a line that was torn a new one begins.
        let mut text = if ends_torn(&mut file)? { "\n".to_owned() } else { String::new() };
        for record in records {
            text.push_str(&serde_json::to_string(record).map_err(io::Error::other)?);
            text.push('\n');
        }
        file.write_all(text.as_bytes())?;
        if file.metadata()?.len() > self.largest { self.halve() } else { Ok(()) }
    }

    /// All records in the order in which they were written; none where there is no journal. Lines that are no records are
    /// passed over.
    pub fn read(&self) -> io::Result<Vec<Record>> {
        let text = self.text()?;
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    fn text(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        match File::open(&self.file) {
            // Somebody else's file of this name may be of any size.
            Ok(file) => file.take(self.largest * 2).read_to_end(&mut bytes)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Keeps the newer half, in whole lines.
    fn halve(&self) -> io::Result<()> {
        let text = self.text()?;
        let middle = text.floor_char_boundary(text.len() / 2);
        let kept = text[middle..].split_once('\n').map_or("", |(_, kept)| kept);
        private::replace(&self.file, kept)
    }
}

fn ends_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn changed(dossier: &str) -> Record {
        Record::Changed { dossier: dossier.to_owned(), paths: vec!["src/a.rs".to_owned()] }
    }

    #[test]
    fn records_come_back_in_order_and_torn_lines_cost_themselves_alone() {
        let folder = TempDir::new().unwrap();
        let journal = Journal::in_folder(&folder.path().join("deep/dossier"));
        assert_eq!(journal.read().unwrap(), []);
        journal.append(&[changed("1"), changed("2")]).unwrap();
        let whole = std::fs::read(journal.path()).unwrap();
        std::fs::write(journal.path(), [&whole[..], b"{\"kind\":\"changed\",\"doss\xff"].concat()).unwrap();
        journal.append(&[changed("3")]).unwrap();
        assert_eq!(journal.read().unwrap(), [changed("1"), changed("2"), changed("3")]);
        let later = "{\"kind\":\"later\",\"x\":1}\n[]\n\n";
        std::fs::write(journal.path(), [later.as_bytes(), &whole].concat()).unwrap();
        assert_eq!(journal.read().unwrap().len(), 2);
    }

    #[test]
    fn it_keeps_the_newer_half() {
        let folder = TempDir::new().unwrap();
        let journal = Journal { largest: 2_000, ..Journal::in_folder(folder.path()) };
        for number in 0..200 {
            journal.append(&[changed(&number.to_string())]).unwrap();
            assert!(std::fs::metadata(journal.path()).unwrap().len() <= 2_000);
        }
        let kept = journal.read().unwrap();
        assert!(kept.len() > 10 && kept.last() == Some(&changed("199")), "{kept:?}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = TempDir::new().unwrap();
        let journal = Journal::in_folder(folder.path());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..25 {
                        journal.append(&[changed(&format!("{thread}-{number}"))]).unwrap();
                    }
                });
            }
        });
        assert_eq!(journal.read().unwrap().len(), 100);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TempDir::new().unwrap();
        let journal = Journal::in_folder(&folder.path().join("dossier"));
        journal.append(&[changed("1")]).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(journal.path()), mode(&folder.path().join("dossier"))), (0o600, 0o700));
    }
}
