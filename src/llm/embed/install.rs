//! Models come onto the shelf: each is checked wholly, put together beside the others, and moved to its place when all of it is there.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::config::ModelName;
use crate::model::Deadline;

use super::error::GET_ANEW;
use super::shelf::{CARD, unwritten};
use super::{Card, EmbedError, Embedded, Embedder, Precision, Shelf, encoder};

/// What is being put together, or is on its way out; names of models begin with a letter or a digit.
const NEW: &str = ".new-";

impl Shelf {
    /// An installed model. Nothing of it is loaded yet.
    pub fn open(&self, name: &ModelName) -> Result<Embedded, EmbedError> {
        let folder = self.place(name);
        let Some(found) = self.find(name) else {
            return Err(EmbedError::folder(&folder, "it is not there", GET_ANEW));
        };
        let card = found
            .card
            .ok_or_else(|| EmbedError::folder(&folder.join(CARD), "it is missing or broken", GET_ANEW))?;
        Ok(Embedded::described(&folder, card, Precision::best()))
    }

    /// Checks the model in a folder wholly, and copies what is needed of it. A copy, no link: the folder may go away, or its files
    /// may change, and vectors are kept by what the model was.
    pub fn install(&self, folder: &Path, name: &ModelName) -> Result<Card, EmbedError> {
        let (card, files) = check(folder, name)?;
        self.make()?;
        let new =
            TempDir::with_prefix_in(NEW, self.folder()).map_err(|error| unwritten(self.folder(), &error))?;
        for file in files {
            let (from, to) = (folder.join(&file), new.path().join(&file));
            let copied = to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(&from, &to));
            copied.map_err(|error| unwritten(&to, &error))?;
        }
        self.put(new.path(), name, &card)?;
        let _is_moved = new.keep();
        Ok(card)
    }

    /// Checks a model that lies in a folder of the shelf already, and moves that to its place.
    pub(super) fn accept(&self, folder: &Path, name: &ModelName) -> Result<Card, EmbedError> {
        let (card, _) = check(folder, name)?;
        self.put(folder, name, &card)?;
        Ok(card)
    }

    /// Moves a folder of the shelf to a model's place; one that is there goes away when the new one is in its place.
    fn put(&self, new: &Path, name: &ModelName, card: &Card) -> Result<(), EmbedError> {
        let place = self.place(name);
        let written = serde_json::to_vec_pretty(card).map_err(std::io::Error::other);
        let failed = |error: std::io::Error| unwritten(&place, &error);
        written.and_then(|text| fs::write(new.join(CARD), text)).map_err(failed)?;
        let old = TempDir::with_prefix_in(NEW, self.folder()).map_err(failed)?;
        let aside = old.path().join("old");
        let was_there = match fs::rename(&place, &aside) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        let moved = fs::rename(new, &place);
        if moved.is_err() && was_there {
            let _is_told_by_the_first_error = fs::rename(&aside, &place);
        }
        moved.map_err(failed)
    }
}

/// Loads the model and embeds a word; gives its card and the files that it is made of.
fn check(folder: &Path, name: &ModelName) -> Result<(Card, Vec<PathBuf>), EmbedError> {
    let model = Embedded::open(folder, Precision::best())?;
    model.embed(&["word".to_owned()], &Deadline::never())?;
    Ok((model.card().called(name.as_str()), encoder::files(folder)?))
}
