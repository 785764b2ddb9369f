//! A BERT-family model out of its folder, run on the processor in this process.
//!
//! ```text
//! files ─▶ folder (settings) ─▶ weights ─▶ linear ─▶ net ─▶ Encoder
//!                               tokens ────────────────────┘
//! ```
//!
//! Not by candle: the same text of 160 tokens took it 47 ms on two cores, and this pass, in whole numbers of eight bits without
//! padding, 16 ms on one; and candle brings 55 crates with it. The products are those of `rten-gemm`.

mod files;
mod folder;
mod linear;
mod net;
mod simd;
mod tokens;
pub(super) mod wanted;
mod weights;

use std::path::{Path, PathBuf};

use rten_gemm::GemmError;

pub use self::linear::Precision;

use self::folder::{ModelFolder, Prompts};
use self::net::Net;
use self::tokens::Tokens;
use self::weights::Weights;
use super::EmbedError;
use crate::model::Deadline;
use crate::text::Digest;

/// Which pass this is: whoever changes what comes out of it changes this, so that vectors of both are never compared.
const PASS: &[u8] = b"1";

/// Bytes of the largest file of weights: more than any encoder that a processor runs in reasonable time has (XLM-RoBERTa large has
/// 2.2 GB).
const LARGEST_WEIGHTS: u64 = 4 << 30;

/// Tokens of the texts that go through the net together; longer texts go alone. Larger batches leave the processor's cache: 16 texts
/// of 160 tokens at once take a fifth longer than one after the other.
const TOGETHER: usize = 256;

/// A loaded model.
pub(super) struct Encoder {
    net: Net,
    tokens: Tokens,
    pub facts: Facts,
}

/// What is to be known of a model without loading it.
pub(super) struct Facts {
    /// The name of its folder.
    pub name: String,
    /// Of all that decides on the vectors but the numbers that it computes in.
    pub digest: Digest,
    pub dimension: usize,
    pub window: usize,
    /// The query's and the document's, where the folder tells them.
    pub prompts: Option<(String, String)>,
}

/// Why a pass ended without vectors.
#[derive(Debug)]
pub(super) enum Broken {
    Late,
    /// The tokenizer knows a word that the model has not.
    Token(u32),
    Window(usize),
    /// A vector of no or infinite length.
    Length(f32),
    Engine,
    Product(GemmError),
    /// A text that the tokenizer cannot take.
    Text(String),
}

impl From<GemmError> for Broken {
    fn from(error: GemmError) -> Broken {
        Broken::Product(error)
    }
}

impl Encoder {
    /// Reads the model in a folder, and checks all of it.
    pub(super) fn load(path: &Path, precision: Precision) -> Result<Encoder, EmbedError> {
        let folder = ModelFolder::read(path)?;
        let (tokens, tokenizer) = Tokens::read(&folder)?;
        let file = folder.weights();
        let bytes = files::read(&file, LARGEST_WEIGHTS)?;
        let weights = Weights::parse(&file, &bytes)?;
        let net = Net::new(&weights, folder.shape, folder.pooling, folder.window, precision)?;
        let settings = folder.settings.iter().map(|(_, bytes)| bytes.as_slice());
        let pieces = [PASS, &bytes, &tokenizer].into_iter().chain(settings);
        let prompts =
            folder.prompts.as_ref().map(|Prompts { query, document }| (query.clone(), document.clone()));
        let facts = Facts {
            name: folder.name(),
            digest: Digest::of_all(pieces),
            dimension: folder.shape.hidden,
            window: folder.window,
            prompts,
        };
        Ok(Encoder { net, tokens, facts })
    }

    /// Bytes of memory that the model takes, without the tokenizer's tables.
    pub(super) fn size(&self) -> usize {
        self.net.size()
    }

    /// A unit vector for each text, on this thread. An error says how many there were by then.
    pub(super) fn embed(
        &self,
        texts: &[String],
        deadline: &Deadline,
    ) -> Result<Vec<Vec<f32>>, (usize, Broken)> {
        let tokens = |text: &String| match deadline.is_over() {
            true => Err((0, Broken::Late)),
            false => self.tokens.of(text).map_err(|broken| (0, broken)),
        };
        let texts: Vec<Vec<u32>> = texts.iter().map(tokens).collect::<Result<_, _>>()?;
        let (mut vectors, mut room) = (Vec::with_capacity(texts.len()), self.net.room());
        let mut rest: &[Vec<u32>] = &texts;
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(together(rest));
            let views: Vec<&[u32]> = batch.iter().map(Vec::as_slice).collect();
            let more = self.net.run(&views, &mut room, deadline).map_err(|broken| (vectors.len(), broken))?;
            vectors.extend(more);
            rest = behind;
        }
        Ok(vectors)
    }
}

/// How many of the first texts go through the net together: one at least.
fn together(texts: &[Vec<u32>]) -> usize {
    let sums = texts.iter().scan(0, |sum, text| {
        *sum += text.len();
        Some(*sum)
    });
    sums.take_while(|&sum| sum <= TOGETHER).count().max(1)
}

/// The files that a model is made of, from its folder; its licence and its page too, where they are there.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, EmbedError> {
    let folder = ModelFolder::read(path)?;
    let needed = [folder.weights(), folder.tokenizer()];
    let read = folder.settings.into_iter().map(|(file, _)| file).chain(needed);
    let inside = |file: PathBuf| file.strip_prefix(path).map(Path::to_owned).ok();
    let about = ["LICENSE", "LICENSE.txt", "LICENSE.md", "README.md"].map(PathBuf::from);
    Ok(read.filter_map(inside).chain(about.into_iter().filter(|file| path.join(file).is_file())).collect())
}
