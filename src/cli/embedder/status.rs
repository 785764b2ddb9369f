//! `dossier embedder status`: which one is used here, why, and how fast it is.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cli::Outcome;
use crate::cli::args::EmbedderStatus;
use crate::cli::messages::Messages;
use crate::cli::output::Output;
use crate::cli::progress::Progress;
use crate::client::embedder::{Found, find};
use crate::client::settings::{self, cache_folder};
use crate::client::walk_options;
use crate::config::Settings;
use crate::llm::embed::{EmbedError, Embedder, EmbeddingModel};
use crate::meaning::Meaning;
use crate::model::Deadline;
use crate::pipeline::{OpenOptions, Workspace};
use crate::render::printable;
use crate::store::IndexFolder;

/// What is measured: a function as it stands in an index, 160 tokens of most models, and a question.
const DOCUMENT: &str = include_str!("document.txt");
const QUESTION: &str = "Why is the user logged out although the session was refreshed?";

/// A server may have to load the model first.
const MEASURE_TIME: Duration = Duration::from_secs(120);
const ROUNDS: usize = 5;

/// What one can do who has none.
pub(in crate::cli) const REMEDY: &str =
    "dossier embedder pull all-MiniLM-L6-v2, or: ollama pull embeddinggemma";

pub(super) fn run(args: &EmbedderStatus, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(args.place.folder())?;
    let loaded = settings::load(&root, args.embedder.typed().into_iter().collect());
    messages.notes(&notes);
    messages.notes(&loaded.notes);
    let Found { embedder, why, .. } = find(&loaded.settings);
    let Some(embedder) = embedder else {
        messages.say(&format!("no embedder: {why}\n→ {REMEDY}"));
        return Ok(Outcome::NothingFound);
    };
    let busy = Progress::spinner("measuring", messages);
    let speed = measure(embedder.as_ref())?;
    drop(busy);
    let share = share(&root, &loaded.settings, &embedder);
    Output::stdout().write(&page(embedder.model(), &why, &speed, share))?;
    Ok(Outcome::Done)
}

/// How much of the workspace is embedded by this model, in words; `None` where nothing keeps vectors.
fn share(root: &Path, settings: &Settings, embedder: &Arc<dyn Embedder>) -> Option<String> {
    let folder =
        settings.index.value.then(cache_folder).flatten().map(|cache| IndexFolder::in_cache(&cache))?;
    let open = OpenOptions { index: Some(&folder), watch: None };
    let workspace = Workspace::open_with(root, &walk_options(settings), open, &Deadline::never()).ok()?;
    if !folder.vectors(&workspace.snapshot.root).exists() {
        return Some("nothing yet: `dossier index --embed`, or the daemon in its own time".to_owned());
    }
    let store = workspace.vectors(&folder).ok()?;
    workspace.understand(Arc::new(Meaning::open(Arc::clone(embedder), Some(store))));
    let embedded = workspace.embedded()?;
    Some(format!("{:.0} % of {}", (100.0 * embedded).floor(), root.display()))
}

struct Speed {
    /// From the first call to its answer: the model is loaded in it.
    first: Duration,
    /// The best of some rounds, one text at a time.
    document: Duration,
    question: Duration,
}

fn measure(embedder: &dyn Embedder) -> Result<Speed, EmbedError> {
    let deadline = Deadline::after(MEASURE_TIME);
    let took = |text: String| -> Result<Duration, EmbedError> {
        let start = Instant::now();
        embedder.embed(&[text], &deadline)?;
        Ok(start.elapsed())
    };
    let best = |text: String| -> Result<Duration, EmbedError> {
        (0..ROUNDS).try_fold(Duration::MAX, |best, _| Ok(best.min(took(text.clone())?)))
    };
    let model = embedder.model();
    Ok(Speed {
        first: took(model.query("word"))?,
        document: best(model.document(DOCUMENT))?,
        question: best(model.query(QUESTION))?,
    })
}

fn page(model: &EmbeddingModel, why: &str, speed: &Speed, share: Option<String>) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let EmbeddingModel { name, key, dimension, window, query_prefix, document_prefix, is_local, .. } = model;
    let place = if *is_local { "on this machine" } else { "elsewhere: what is embedded is sent there" };
    let mut lines = vec![
        ("embedder", format!("{name}, {why}")),
        ("place", place.to_owned()),
        ("vectors", format!("{dimension} numbers, kept under {key}")),
        ("window", format!("{window} tokens")),
    ];
    if !query_prefix.is_empty() || !document_prefix.is_empty() {
        lines.push((
            "prefixes",
            format!("{query_prefix:?} before a question, {document_prefix:?} before code"),
        ));
    }
    lines.push((
        "speed",
        format!(
            "{:.1} ms for a function of 160 tokens, {:.1} ms for a question; the first text {:.0} ms, with loading",
            ms(speed.document),
            ms(speed.question),
            ms(speed.first)
        ),
    ));
    lines.extend(share.map(|share| ("workspace", share)));
    lines.iter().map(|(what, told)| format!("{what:<10}  {}\n", printable(told))).collect()
}
