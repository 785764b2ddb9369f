//! Embedding models of an Ollama server.
//!
//! Its server may be in the middle of an answer for which somebody waits, by a model that takes most of the memory. So batches keep to
//! half of its time while another model is loaded there: between two of them passes as long as the last one took. A single text is a
//! question, and does not wait. A server that takes no more requests is asked again, after twice the time each time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::llm::http;
use crate::llm::ollama_server::{OllamaServer, Wanted};
use crate::llm::wire::{Embed, Embedded, Models, Show, Shown};
use crate::llm::{ModelError, wire};
use crate::model::Deadline;

use super::cut::fitted;
use super::family::Family;
use super::{EmbedError, Embedder, EmbeddingModel};

/// Tokens of a text by our count, at most: models of 2,048 tokens take it, with a margin for a tokenizer that counts more.
const LONGEST: usize = 1_800;

/// Texts of a request: their vectors are a hundredth of the longest answer that is read, and a request ends within seconds on a
/// processor.
const BATCH: usize = 16;

/// How often a server that takes no more requests is asked, and how long is waited first.
const TRIES: u32 = 6;
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// The longest pause between two batches; a request that took longer had the model loaded first.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A model of an Ollama server.
#[derive(Debug)]
pub struct OllamaEmbedder {
    server: OllamaServer,
    model: String,
    about: EmbeddingModel,
    last: Mutex<Option<Last>>,
}

/// The last request.
#[derive(Debug, Clone, Copy)]
struct Last {
    ended: Instant,
    took: Duration,
}

impl OllamaEmbedder {
    /// A model by its name (`embeddinggemma`) at a server, which is written as in `OLLAMA_HOST`. It is asked whether it has the model,
    /// which is not loaded yet, but where nobody knows how many numbers its vectors have: then it embeds a word.
    pub fn open(host: &str, model: &str, deadline: &Deadline) -> Result<OllamaEmbedder, EmbedError> {
        let server = OllamaServer::new(host)?;
        let wanted = wanted(model);
        let (listed, shown): (Models, Shown) = http::run(&server.name, deadline, async {
            let shown = server.ask("api/show", &Show { model }, wanted).await?;
            Ok((server.get("api/tags", wanted).await?, shown))
        })?;
        let digest = listed.digest(model).ok_or_else(|| ModelError::NoModel {
            server: server.name.clone(),
            model: model.to_owned(),
            said: "it is not among its models".to_owned(),
            remedy: wanted.remedy(),
        })?;
        let family = Family::of(model);
        let held = shown.window().map_or(family.window, |window| family.window.min(window as usize));
        let dimension = family.dimension.or(shown.dimension().map(|dimension| dimension as usize));
        let digest: String = digest.trim_start_matches("sha256:").chars().take(16).collect();
        let about = EmbeddingModel {
            name: format!("ollama {model}"),
            key: format!("ollama-{model}-{digest}"),
            dimension: dimension.unwrap_or(0),
            window: held.min(LONGEST),
            query_prefix: family.query_prefix.to_owned(),
            document_prefix: family.document_prefix.to_owned(),
            is_for_code: family.is_for_code,
            is_local: server.is_local(),
            batch: BATCH,
        };
        let mut embedder = OllamaEmbedder { server, model: model.to_owned(), about, last: Mutex::default() };
        if dimension.is_none() {
            let answer = embedder.ask(&["word".to_owned()], false, deadline)?;
            embedder.about.dimension = answer.embeddings.first().map_or(0, Vec::len);
            embedder.vectors(answer, 1)?;
        }
        Ok(embedder)
    }

    /// Whether a server is at this address on this machine.
    pub fn is_local(host: &str) -> Result<bool, EmbedError> {
        Ok(OllamaServer::new(host)?.is_local())
    }

    /// The answer about some texts, asked for again while the server takes no more requests.
    fn ask(&self, texts: &[String], is_batch: bool, deadline: &Deadline) -> Result<Embedded, EmbedError> {
        let body = Embed::new(&self.model, texts);
        let answer = http::run(&self.server.name, deadline, async {
            if is_batch {
                self.leave_room().await?;
            }
            let start = Instant::now();
            let answer = self.ask_until_free(&body).await;
            let last = Last { ended: Instant::now(), took: start.elapsed() };
            *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
            answer
        });
        Ok(answer?)
    }

    async fn ask_until_free(&self, body: &Embed<'_>) -> Result<Embedded, ModelError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..TRIES {
            match self.server.ask("api/embed", body, wanted(&self.model)).await {
                Err(ModelError::Busy { .. }) => tokio::time::sleep(wait).await,
                answer => return answer,
            }
            wait *= 2;
        }
        self.server.ask("api/embed", body, wanted(&self.model)).await
    }

    /// Waits until the server had as much time for others as for the last request, where another model is loaded.
    async fn leave_room(&self) -> Result<(), ModelError> {
        let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(last) = last else { return Ok(()) };
        let pause = last.took.min(LONGEST_PAUSE).saturating_sub(last.ended.elapsed());
        if !pause.is_zero() {
            let loaded: wire::Models = self.server.get("api/ps", wanted(&self.model)).await?;
            if loaded.has_others(&self.model) {
                tokio::time::sleep(pause).await;
            }
        }
        Ok(())
    }

    /// The vectors of an answer, each of length 1.
    fn vectors(&self, answer: Embedded, count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let wrong = |why: String| EmbedError::Vectors { model: self.about.name.clone(), why };
        let found = answer.embeddings.len();
        if found != count {
            return Err(wrong(format!("it gave {found} for {count} texts")));
        }
        let one = |vector: Vec<Option<f32>>| {
            if vector.len() != self.about.dimension {
                return Err(EmbedError::Dimension {
                    model: self.about.name.clone(),
                    found: vector.len(),
                    expected: self.about.dimension,
                    remedy: format!(
                        "`ollama pull {}` anew, or name another with OLLAMA_EMBED_MODEL",
                        self.model
                    ),
                });
            }
            let numbers: Option<Vec<f32>> = vector.into_iter().collect();
            let mut vector = numbers.ok_or_else(|| wrong("one holds what is no number".to_owned()))?;
            // In double precision: the squares of large numbers have room there.
            let length = vector.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            if !(length.is_finite() && length > 0.0) {
                return Err(wrong(format!("the length of one is {length}")));
            }
            vector.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
            Ok(vector)
        };
        answer.embeddings.into_iter().map(one).collect()
    }
}

impl Embedder for OllamaEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.about
    }

    fn embed(&self, texts: &[String], deadline: &Deadline) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let own: Vec<String> =
                batch.iter().map(|text| fitted(text, self.about.window).into_owned()).collect();
            let answer = self.ask(&own, texts.len() > 1, deadline)?;
            vectors.extend(self.vectors(answer, own.len())?);
        }
        Ok(vectors)
    }
}

fn wanted(model: &str) -> Wanted<'_> {
    Wanted { model, variable: "OLLAMA_EMBED_MODEL" }
}
