//! The models that are installed: a folder for each in the user's data, with its card; and which of them is chosen.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::ModelName;
use crate::workspace::private;

use super::{Card, EmbedError};

/// The folder of all models in the user's data.
const FOLDER: &str = "models";
pub(super) const CARD: &str = "embedder.json";
/// Names of models begin with a letter or a digit, those of all else here with a dot.
const CHOSEN: &str = ".chosen";
/// The word for «none» in the file of the chosen one.
const OFF: &str = "off";

/// What a folder that cannot be written needs.
pub(super) const MAKE_ROOM: &str =
    "see that the folder can be written and has room, or set XDG_DATA_HOME to another";

/// The folder of installed models; it need not be there yet.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
}

/// What `dossier embedder use` said last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// Nothing yet.
    Nothing,
    Off,
    Model(ModelName),
}

/// A model on the shelf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub name: ModelName,
    pub folder: PathBuf,
    /// On disk.
    pub bytes: u64,
    /// `None` where it is missing or broken: the model is to be installed anew.
    pub card: Option<Card>,
}

impl Shelf {
    /// The shelf in the user's data folder.
    pub fn in_data(data: &Path) -> Shelf {
        Shelf { folder: data.join(FOLDER) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All that are installed, by their names.
    pub fn list(&self) -> Vec<Installed> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut list: Vec<Installed> = names.filter_map(|name| self.find(&name)).collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    /// The model of this name, where it is installed.
    pub fn find(&self, name: &ModelName) -> Option<Installed> {
        let folder = self.place(name);
        if !folder.is_dir() {
            return None;
        }
        let card = fs::read(folder.join(CARD)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Some(Installed { name: name.clone(), bytes: size(&folder), folder, card })
    }

    /// Which one is chosen, whether or not it is there.
    pub fn chosen(&self) -> Chosen {
        let text = fs::read_to_string(self.folder.join(CHOSEN)).unwrap_or_default();
        match text.trim() {
            OFF => Chosen::Off,
            name => name.parse().map_or(Chosen::Nothing, Chosen::Model),
        }
    }

    /// Chooses an installed model, or none.
    pub fn choose(&self, name: Option<&ModelName>) -> Result<(), EmbedError> {
        let file = self.folder.join(CHOSEN);
        let text = format!("{}\n", name.map_or(OFF, ModelName::as_str));
        self.make()?;
        private::replace(&file, &text).map_err(|error| unwritten(&file, &error))
    }

    pub(super) fn place(&self, name: &ModelName) -> PathBuf {
        self.folder.join(name.as_str())
    }

    pub(super) fn make(&self) -> Result<(), EmbedError> {
        private::make_folder(&self.folder).map_err(|error| unwritten(&self.folder, &error))
    }
}

pub(super) fn unwritten(path: &Path, error: &std::io::Error) -> EmbedError {
    EmbedError::folder(path, error.to_string(), MAKE_ROOM)
}

/// Bytes of all files below a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// What the model in a folder is to be called: as the folder is, or as the next folder above it that has a name of its own. The hub's
/// own programs put `models--ORGANISATION--NAME/snapshots/COMMIT`, packages put `NAME/model`.
pub fn name_of(folder: &Path) -> Option<ModelName> {
    const NAMELESS: [&str; 4] = ["model", "models", "snapshots", "onnx"];
    const COMMIT: usize = 40;
    let real = folder.canonicalize().ok()?;
    let is_commit = |name: &str| name.len() == COMMIT && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let names = real.ancestors().filter_map(|folder| folder.file_name()?.to_str());
    let mut own = names.filter(|name| !NAMELESS.contains(name) && !is_commit(name));
    let name = own.next()?;
    name.strip_prefix("models--").and_then(|name| name.rsplit("--").next()).unwrap_or(name).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_name_of_its_own_is_called_after_the_one_above() {
        let folder = tempfile::TempDir::new().unwrap();
        let commit = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf";
        for (path, name) in [
            ("all-MiniLM-L6-v2".to_owned(), "all-MiniLM-L6-v2"),
            ("minilm/model".to_owned(), "minilm"),
            (format!("models--BAAI--bge-small-en-v1.5/snapshots/{commit}"), "bge-small-en-v1.5"),
        ] {
            let path = folder.path().join(path);
            fs::create_dir_all(&path).unwrap();
            assert_eq!(name_of(&path).unwrap().as_str(), name);
        }
        assert_eq!(name_of(&folder.path().join("nowhere")), None);
    }
}
