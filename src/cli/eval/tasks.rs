//! Which tasks are run: from files, or made of the user's own history.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::EvalArgs;
use crate::cli::messages::Messages;
use crate::cli::output::write_file;
use crate::cli::progress::Progress;
use crate::client::settings;
use crate::eval::{self, Keep, Task};

/// Tasks that are named where one is sought and not found.
const NAMED: usize = 5;

/// The tasks that the filter leaves, and where their repositories are.
pub(super) struct Tasks {
    pub tasks: Vec<Task>,
    pub repos: PathBuf,
    pub keep: Keep,
    /// What could not be read.
    pub troubles: Vec<String>,
}

pub(super) fn read(args: &EvalArgs, messages: &Messages) -> anyhow::Result<Tasks> {
    let mut tasks = match args.from_history {
        Some(count) => from_history(args, count, messages)?,
        None => from_files(args)?,
    };
    check(args, &mut tasks);
    let wanted = |task: &Task| {
        let named = |text: &String| task.id.contains(text.as_str()) || task.repo.contains(text.as_str());
        args.filter.is_empty() || args.filter.iter().any(named)
    };
    tasks.tasks.retain(wanted);
    if tasks.tasks.is_empty() {
        tasks.troubles.iter().for_each(|trouble| messages.warn(trouble));
        bail!("no task is left to run: look at --filter and at the files given with --tasks");
    }
    Ok(tasks)
}

fn from_files(args: &EvalArgs) -> anyhow::Result<Tasks> {
    let repos = args.repos.clone().unwrap_or_default();
    let mut all = Tasks { tasks: Vec::new(), repos, keep: Keep::Snapshots, troubles: Vec::new() };
    let mut ids = BTreeSet::new();
    for file in &args.tasks {
        let text = read_file(file)?;
        let (read, unread) = eval::read(&text);
        all.troubles.extend(unread.into_iter().map(|what| format!("{}: {what}", file.display())));
        for task in read {
            if ids.insert(task.id.clone()) {
                all.tasks.push(task);
            } else {
                let (file, id) = (file.display(), &task.id);
                all.troubles
                    .push(format!("{file}: {id}: this id stands in another file too, the first counts"));
            }
        }
    }
    ensure!(
        all.repos.is_dir(),
        "{}: no such folder: name the one that holds the repositories",
        all.repos.display()
    );
    Ok(all)
}

fn read_file(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read the tasks {}", file.display()))
}

fn from_history(args: &EvalArgs, count: u32, messages: &Messages) -> anyhow::Result<Tasks> {
    let (root, notes) = settings::root(args.path.as_deref())?;
    messages.notes(&notes);
    let progress = Progress::spinner("reading the history", messages);
    let made = eval::from_history(&root, count as usize)?;
    drop(progress);
    messages.notes(&made.notes);
    messages.say(&made.told);
    if let Some(file) = &args.write_tasks {
        let lines: Result<Vec<String>, _> = made.tasks.iter().map(serde_json::to_string).collect();
        write_file(file, &(lines?.join("\n") + "\n"))?;
    }
    Ok(Tasks { tasks: made.tasks, repos: made.git, keep: Keep::Nothing, troubles: Vec::new() })
}

/// Marks the tasks of the repositories that the user says are for checking.
fn check(args: &EvalArgs, tasks: &mut Tasks) {
    for repo in &args.checking {
        let mut is_there = false;
        for task in tasks.tasks.iter_mut().filter(|task| task.repo == *repo) {
            task.checking = true;
            is_there = true;
        }
        if !is_there {
            let text = format!("--checking {repo}: no task is of a repository of this name");
            tasks.troubles.push(text);
        }
    }
}

/// The task with this id, or the only one whose id holds it.
pub(super) fn named<'t>(tasks: &'t [Task], wanted: &str) -> anyhow::Result<&'t Task> {
    if let Some(task) = tasks.iter().find(|task| task.id == wanted) {
        return Ok(task);
    }
    let close: Vec<&Task> = tasks.iter().filter(|task| task.id.contains(wanted)).collect();
    let ids = |tasks: &[&Task]| {
        tasks.iter().take(NAMED).map(|task| task.id.as_str()).collect::<Vec<_>>().join(", ")
    };
    match close[..] {
        [task] => Ok(task),
        [] => bail!(
            "no task is called {wanted}: these are, for example: {}",
            ids(&tasks.iter().collect::<Vec<_>>())
        ),
        _ => bail!(
            "{wanted} stands in the ids of {} tasks: {}, …; give the whole id",
            close.len(),
            ids(&close)
        ),
    }
}
