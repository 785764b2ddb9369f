//! `dossier index` brings what is kept of a workspace up to date, and says what there is; `dossier clean` removes it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use anyhow::{Context, ensure};

use super::Outcome;
use super::args::{CleanArgs, IndexArgs};
use super::messages::Messages;
use super::output::Output;
use super::progress::Progress;
use crate::client::settings::{self, cache_folder};
use crate::client::{self, walk_options};
use crate::config::Settings;
use crate::meaning::Meaning;
use crate::model::Deadline;
use crate::pipeline::{IndexStatus, OpenOptions, Watch, Workspace};
use crate::render::printable;
use crate::store::{IndexFolder, KeptModel, VectorStore};
use crate::workspace::WalkOptions;

/// Bytes in what is shown as a MB.
const MB: f64 = 1e6;

pub(super) fn run(args: &IndexArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let (root, notes) = settings::root(args.place.folder())?;
    messages.notes(&notes);
    let loaded = settings::load(&root, args.patterns.typed());
    messages.notes(&loaded.notes);
    let walk = walk_options(&loaded.settings);
    let folder = folder()?;
    if !args.status {
        update(args, &root, &loaded.settings, &folder, messages)?;
    }
    status(&root, &walk, &folder, messages)
}

pub(super) fn folder() -> anyhow::Result<IndexFolder> {
    let cache =
        cache_folder().context("there is no home folder to keep an index in: set HOME or XDG_CACHE_HOME")?;
    Ok(IndexFolder::in_cache(&cache))
}

fn update(
    args: &IndexArgs,
    root: &Path,
    settings: &Settings,
    folder: &IndexFolder,
    messages: &Messages,
) -> anyhow::Result<()> {
    let walk = &walk_options(settings);
    let bar = Bar { progress: Progress::files(messages), lines: AtomicUsize::new(0), since: Instant::now() };
    let open = OpenOptions { index: Some(folder), watch: Some(&bar) };
    let mut workspace = Workspace::open_with(root, walk, open, &Deadline::never())?;
    let (is_kept, notes) = (workspace.is_kept(), workspace.notes());
    let trouble = workspace.settle();
    drop(bar);
    messages.notes(&notes);
    messages.notes(&workspace.history.notes);
    ensure!(is_kept, "nothing was kept in {}: see above", folder.path().display());
    if let Some(note) = trouble {
        anyhow::bail!("{}", note.text);
    }
    if args.embed { embed(&workspace, folder, settings, messages) } else { Ok(()) }
}

/// Embeds what has no vector yet, on all cores.
fn embed(
    workspace: &Workspace,
    folder: &IndexFolder,
    settings: &Settings,
    messages: &Messages,
) -> anyhow::Result<()> {
    let found = client::embedder::find(settings);
    let embedder =
        found.embedder.with_context(|| format!("no embedder: {}; `dossier embedder` has them", found.why))?;
    let meaning = Meaning::open(embedder, Some(workspace.vectors(folder)?));
    let name = meaning.model().name.clone();
    workspace.understand(Arc::new(meaning));
    let missing = workspace.missing(&[]);
    let progress = Progress::steps(missing.len(), messages);
    let (since, made) = (Instant::now(), AtomicUsize::new(0));
    let done = |passages: usize| {
        let made = made.fetch_add(passages, Ordering::Relaxed) + passages;
        let rate = made as f64 / since.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        progress.advance(passages, format!("{rate:.0} passages/s"));
    };
    let embedded = workspace.embed(&missing, &Deadline::never(), &done);
    drop(progress);
    workspace.keep_passages();
    let trouble = workspace.meaning().and_then(|meaning| meaning.trouble());
    messages.notes(trouble.as_slice());
    let seconds = since.elapsed().as_secs_f64();
    let made = made.into_inner();
    messages.say(&format!("{made} passages embedded by {name} in {seconds:.1} s"));
    embedded.context("embedding stopped; what is done is kept, and the command goes on from there")?;
    ensure!(trouble.is_none(), "vectors were made, and not all of them kept: see above");
    Ok(())
}

/// Files, lines per second and the time that is left.
struct Bar {
    progress: Progress,
    lines: AtomicUsize,
    since: Instant,
}

impl Watch for Bar {
    fn begins(&self, files: usize) {
        self.progress.length(files);
    }

    fn parsed(&self, lines: usize) {
        let lines = self.lines.fetch_add(lines, Ordering::Relaxed) + lines;
        let per_second = lines as f64 / self.since.elapsed().as_secs_f64().max(f64::MIN_POSITIVE);
        self.progress.step(format!("{per_second:.0} lines/s"));
    }
}

fn status(
    root: &Path,
    walk: &WalkOptions,
    folder: &IndexFolder,
    messages: &Messages,
) -> anyhow::Result<Outcome> {
    let Some(status) = IndexStatus::of(root, walk, folder)? else {
        messages.say(&format!("no index of {} yet: `dossier index` makes it", root.display()));
        return Ok(Outcome::NothingFound);
    };
    messages.notes(&status.notes);
    Output::stdout().write(&(page(&status) + &vectors(root, walk, folder, messages)))?;
    Ok(Outcome::Done)
}

/// What is kept of vectors, a line for each model.
fn vectors(root: &Path, walk: &WalkOptions, folder: &IndexFolder, messages: &Messages) -> String {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    if !folder.vectors(&root).exists() {
        return String::new();
    }
    let models = VectorStore::open(folder, &root, &walk.view()).and_then(|mut store| store.models());
    let line = |model: &KeptModel| {
        let size = model.bytes as f64 / MB;
        format!("vectors     {} by {}, {size:.1} MB\n", model.vectors, printable(&model.name))
    };
    match models {
        Ok(models) => models.iter().map(line).collect(),
        Err(error) => {
            messages.warn(&format!("vectors: {error}"));
            String::new()
        }
    }
}

fn page(status: &IndexStatus) -> String {
    let IndexStatus { path, bytes, generation, saved, files, changed, source_bytes, notes: _ } = status;
    let share = 100.0 * *bytes as f64 / (*source_bytes).max(1) as f64;
    format!(
        "index       {}\nsize        {:.1} MB, {share:.0} % of the files\ngeneration  {generation}\nmade        {}\nfiles       {files}\nchanged     {changed} since\n",
        printable(&path.display().to_string()),
        *bytes as f64 / MB,
        saved.map_or_else(|| "never".to_owned(), ago),
    )
}

/// `3 minutes ago`
fn ago(time: SystemTime) -> String {
    let seconds = time.elapsed().unwrap_or_default().as_secs();
    let (count, unit) = match seconds {
        0..60 => (seconds, "second"),
        60..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

pub(super) fn clean(args: &CleanArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let folder = folder()?;
    let removed = if args.all {
        folder.remove(None)?
    } else {
        let (root, notes) = settings::root(args.place.folder())?;
        messages.notes(&notes);
        folder.remove(Some(&root))?
    };
    let noun = if removed.count == 1 { "index" } else { "indices" };
    let size = removed.bytes as f64 / MB;
    messages.say(&format!(
        "removed {} {noun}, {size:.1} MB, from {}",
        removed.count,
        folder.path().display()
    ));
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ages_are_told_in_one_unit() {
        let shown = |seconds| ago(SystemTime::now() - Duration::from_secs(seconds));
        assert_eq!(
            [shown(1), shown(150), shown(7_200), shown(200_000)],
            ["1 second ago", "2 minutes ago", "2 hours ago", "2 days ago"]
        );
    }
}
