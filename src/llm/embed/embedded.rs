//! An embedder in this process: a model's folder, loaded when the first text comes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::card::Card;
use super::encoder::{Broken, Encoder, Precision};
use super::error::GET_ANEW;
use super::{EmbedError, Embedder, EmbeddingModel};
use crate::model::Deadline;

/// Texts that one call should have: a few passes, so that a deadline is kept, and enough for what a call costs besides not to count.
const BATCH: usize = 16;

/// A model that runs in this process.
pub struct Embedded {
    model: EmbeddingModel,
    card: Card,
    folder: PathBuf,
    precision: Precision,
    loaded: Mutex<Option<Arc<Encoder>>>,
    /// Threads that wait for work, one for each call that was under way at once.
    threads: Mutex<Vec<Alone>>,
}

impl Embedded {
    /// The model in this folder, loaded and checked. It is called as its folder is.
    pub fn open(folder: &Path, precision: Precision) -> Result<Embedded, EmbedError> {
        let encoder = Encoder::load(folder, precision)?;
        let card = Card::of(&encoder.facts);
        let embedded = Embedded::described(folder, card, precision);
        *embedded.loaded.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(encoder));
        Ok(embedded)
    }

    /// The model in this folder that was checked before, and described then. Nothing of it is read yet.
    pub fn described(folder: &Path, card: Card, precision: Precision) -> Embedded {
        let model = EmbeddingModel {
            name: card.name.clone(),
            key: format!("{}-{}-{}", card.name, card.short_digest(), precision.name()),
            dimension: card.dimension,
            window: card.window,
            query_prefix: card.query_prefix.clone(),
            document_prefix: card.document_prefix.clone(),
            is_for_code: card.is_for_code,
            is_local: true,
            batch: BATCH,
        };
        let folder = folder.to_owned();
        Embedded { model, card, folder, precision, loaded: Mutex::default(), threads: Mutex::default() }
    }

    /// What is to be known of the model without loading it.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Bytes of memory that the loaded model takes, without the tokenizer's tables; `None` where it is not loaded.
    pub fn size(&self) -> Option<usize> {
        Some(self.loaded.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.size())
    }

    /// Whoever comes while it is being loaded waits for that, instead of loading it once more.
    fn encoder(&self) -> Result<Arc<Encoder>, EmbedError> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoder) = &*loaded {
            return Ok(Arc::clone(encoder));
        }
        let encoder = Encoder::load(&self.folder, self.precision)?;
        if Card::of(&encoder.facts).digest != self.card.digest {
            return Err(EmbedError::folder(
                &self.folder,
                "it is another model than when it was chosen",
                GET_ANEW,
            ));
        }
        let encoder = Arc::new(encoder);
        *loaded = Some(Arc::clone(&encoder));
        Ok(encoder)
    }

    fn error(
        &self,
        broken: &Broken,
        done: usize,
        count: usize,
        since: Instant,
        deadline: &Deadline,
    ) -> EmbedError {
        let model = self.model.name.clone();
        let failed = |why: String| EmbedError::Failed { model: model.clone(), why };
        match broken {
            Broken::Late if deadline.is_cancelled() => EmbedError::Cancelled,
            Broken::Late => EmbedError::Deadline { model, done, count, waited: since.elapsed() },
            Broken::Length(length) => {
                EmbedError::Vectors { model, why: format!("the length of one is {length}") }
            }
            Broken::Token(token) => {
                failed(format!("its tokenizer gives a word {token}, which the model has not"))
            }
            Broken::Window(tokens) => failed(format!("{tokens} tokens do not fit its window")),
            Broken::Engine => failed("its weights are of another precision".to_owned()),
            Broken::Product(error) => failed(error.to_string()),
            Broken::Text(why) => failed(why.clone()),
        }
    }
}

impl Embedder for Embedded {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn prepare(&self) -> Result<(), EmbedError> {
        self.encoder().map(drop)
    }

    fn embed(&self, texts: &[String], deadline: &Deadline) -> Result<Vec<Vec<f32>>, EmbedError> {
        let since = Instant::now();
        if deadline.is_over() {
            return Err(self.error(&Broken::Late, 0, texts.len(), since, deadline));
        }
        let encoder = self.encoder()?;
        let idle = self.threads.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let failed = |why: String| EmbedError::Failed { model: self.model.name.clone(), why };
        let thread = idle.map_or_else(Alone::start, Ok).map_err(failed)?;
        let (own, until) = (texts.to_vec(), deadline.clone());
        let done = thread.run(move || encoder.embed(&own, &until));
        self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        match done {
            Some(Ok(vectors)) => Ok(vectors),
            Some(Err((done, broken))) => Err(self.error(&broken, done, texts.len(), since, deadline)),
            None => Err(failed("it panicked".to_owned())),
        }
    }
}

impl fmt::Debug for Embedded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.model.key, self.folder.display())
    }
}

/// A thread whose products are not spread over the cores: `rten-gemm` looks how many threads rayon has where it is called, and
/// splits nothing where there is one. On a thread of the pool that everybody shares, each product would be split into jobs for all
/// cores, which costs more than it brings where others embed other texts at the same time.
struct Alone(ThreadPool);

impl Alone {
    fn start() -> Result<Alone, String> {
        let pool = ThreadPoolBuilder::new().num_threads(1).thread_name(|_| "embedder".to_owned());
        // The caller hears of a panic by the channel that closes.
        pool.panic_handler(|_| {})
            .build()
            .map(Alone)
            .map_err(|error| format!("no thread can be started: {error}"))
    }

    /// Runs `work` while the calling thread waits; `None` where it panicked. Not `install`: a thread of rayon would take up other
    /// jobs meanwhile, these wait for threads in turn, and there would be more of them than cores.
    fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (sender, done) = sync_channel(1);
        self.0.spawn(move || {
            let _ = sender.send(work());
        });
        done.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_alone_splits_nothing_and_outlives_a_panic() {
        let thread = Alone::start().unwrap();
        assert_eq!(thread.run(rayon::current_num_threads), Some(1));
        assert_eq!(thread.run(|| -> () { panic!("as wanted") }), None);
        assert_eq!(thread.run(|| 7), Some(7));
    }
}
