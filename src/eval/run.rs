//! Runs the tasks: several at a time, those of one snapshot on one reading of it, none that is done already.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::checkout::{Checkout, Checkouts};
use super::kept::Question;
use super::{EvalError, Options, Outcome, Run, Task, measure, ranks};
use crate::model::{Deadline, Note};
use crate::pipeline::{LanguageServer, ServerOptions, Workspace};
use crate::workspace::WalkOptions;

/// The best files of a ranking that are kept with a result.
const TOP: usize = 10;

/// Runs the tasks; tells `progress` of each outcome. What cannot be run stops nothing else.
pub fn run(tasks: &[Task], options: &Options, progress: &(dyn Fn(&Outcome) + Sync)) -> Run {
    let runner = Runner {
        options,
        progress,
        checkouts: Checkouts::new(&options.repos, &options.work, options.keep),
        answering: options.answering(),
        done: Mutex::default(),
    };
    let groups = runner.groups(tasks);
    let queue: Vec<(&Group<'_>, &Pending<'_>)> =
        groups.iter().flat_map(|group| group.tasks.iter().map(move |task| (group, task))).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, queue.len().max(1)) {
            scope.spawn(|| {
                while let Some((group, task)) = queue.get(next.fetch_add(1, Ordering::Relaxed)) {
                    runner.work(group, task);
                }
            });
        }
    });
    runner.result(options.budget())
}

/// A task with what of it is not done yet.
struct Pending<'t> {
    /// Its place among the tasks.
    index: usize,
    task: &'t Task,
    digest: String,
    budgets: Vec<u32>,
    /// Whether it is to be run with a language server too.
    served: bool,
}

/// The tasks of one snapshot. The workers take tasks in the order of the groups, so that no more groups are open than there
/// are workers.
struct Group<'t> {
    tasks: Vec<Pending<'t>>,
    state: Mutex<State>,
}

struct State {
    opened: Opened,
    /// Tasks that are not done.
    left: usize,
}

enum Opened {
    NotYet,
    Ready(Arc<Workspace>, Checkout),
    Failed,
}

/// What came of the tasks so far, each with the place of its task and of its budget.
#[derive(Default)]
struct Done {
    outcomes: Vec<((usize, usize), Outcome)>,
    served: Vec<(usize, Outcome)>,
    errors: Vec<(usize, EvalError)>,
    reused: usize,
    /// Whether results could not be written.
    unkept: bool,
}

struct Runner<'a> {
    options: &'a Options,
    progress: &'a (dyn Fn(&Outcome) + Sync),
    checkouts: Checkouts<'a>,
    answering: String,
    done: Mutex<Done>,
}

impl Runner<'_> {
    /// What is not done yet, by snapshot; what is goes to the results.
    fn groups<'t>(&self, tasks: &'t [Task]) -> Vec<Group<'t>> {
        let mut groups: BTreeMap<(&str, &str, &str), Vec<Pending<'t>>> = BTreeMap::new();
        for (index, task) in tasks.iter().enumerate() {
            let digest = task.digest();
            let budgets = self.options.budgets.iter().copied();
            let budgets =
                budgets.filter(|budget| !self.reuse(index, task, &digest, *budget, false)).collect();
            let served = self.options.server.is_some();
            let served = served && !self.reuse(index, task, &digest, self.options.budget(), true);
            let pending = Pending { index, task, digest, budgets, served };
            if !pending.budgets.is_empty() || pending.served {
                groups.entry((&task.repo, &task.snapshot, &task.folder)).or_default().push(pending);
            }
        }
        let group = |tasks: Vec<Pending<'t>>| {
            let state = Mutex::new(State { opened: Opened::NotYet, left: tasks.len() });
            Group { tasks, state }
        };
        groups.into_values().map(group).collect()
    }

    /// Takes a result that is there already; whether there was one.
    fn reuse(&self, index: usize, task: &Task, digest: &str, budget: u32, served: bool) -> bool {
        let kept = self.options.kept.as_ref();
        let Some(found) = kept.and_then(|kept| kept.find(&self.question(digest, budget, served))) else {
            return false;
        };
        let outcome = Outcome { checking: task.checking, ..found.clone() };
        self.update(|done| done.reused += 1);
        self.record(index, outcome, served);
        true
    }

    fn question<'q>(&'q self, task: &'q str, budget: u32, served: bool) -> Question<'q> {
        Question { task, budget, options: &self.answering, served, program: &self.options.program }
    }

    fn work(&self, group: &Group<'_>, pending: &Pending<'_>) {
        if let Some(workspace) = self.open(group) {
            let server = LanguageServer::absent(&workspace.snapshot.root);
            for budget in &pending.budgets {
                self.answer(pending, &workspace, &server, *budget, false);
            }
        }
        let opened = {
            let mut state = group.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.left -= 1;
            match state.left {
                0 => std::mem::replace(&mut state.opened, Opened::Failed),
                _ => Opened::NotYet,
            }
        };
        if let Opened::Ready(workspace, checkout) = opened {
            self.serve(group, &workspace);
            self.checkouts.give_back(checkout);
        }
    }

    /// The workspace of a group, read when its first task needs it; what stands in the way is told once.
    fn open(&self, group: &Group<'_>) -> Option<Arc<Workspace>> {
        let mut state = group.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Opened::NotYet = state.opened {
            let Pending { index, task, .. } = group.tasks.first()?;
            state.opened = match self.read(task) {
                Ok((workspace, checkout)) => Opened::Ready(Arc::new(workspace), checkout),
                Err(error) => {
                    self.update(|done| done.errors.push((*index, error)));
                    Opened::Failed
                }
            };
        }
        match &state.opened {
            Opened::Ready(workspace, _) => Some(Arc::clone(workspace)),
            _ => None,
        }
    }

    fn read(&self, task: &Task) -> Result<(Workspace, Checkout), EvalError> {
        let checkout = self.checkouts.take(&task.repo, &task.snapshot)?;
        let opened = open(&checkout, task).and_then(|workspace| {
            self.options.embedding.as_ref().map_or(Ok(()), |embedding| embedding.understand(&workspace))?;
            Ok(workspace)
        });
        match opened {
            Ok(workspace) => Ok((workspace, checkout)),
            Err(error) => {
                self.checkouts.give_back(checkout);
                Err(error)
            }
        }
    }

    fn answer(
        &self,
        pending: &Pending<'_>,
        workspace: &Workspace,
        server: &LanguageServer,
        budget: u32,
        served: bool,
    ) {
        let (task, beyond) = pending.task.within(&workspace.snapshot);
        let sound = beyond.is_empty();
        let told = beyond.into_iter().map(|what| EvalError::Task { id: task.id.clone(), what });
        // Told once for each task.
        if !served && pending.budgets.first() == Some(&budget) {
            self.update(|done| done.errors.extend(told.map(|error| (pending.index, error))));
        }
        match self.outcome(&task, workspace, server, budget) {
            Ok(outcome) => {
                let outcome = Outcome { task: pending.digest.clone(), ..outcome };
                // What is not sound is to be told in the next run too.
                if sound {
                    self.keep(pending, &outcome, served);
                }
                self.record(pending.index, outcome, served);
            }
            Err(_) if served => {}
            Err(error) => self.update(|done| done.errors.push((pending.index, error))),
        }
    }

    fn outcome(
        &self,
        task: &Task,
        workspace: &Workspace,
        server: &LanguageServer,
        budget: u32,
    ) -> Result<Outcome, EvalError> {
        let start = Instant::now();
        let request = self.options.request(&task.query, budget);
        let answer = workspace
            .answer(&request, server, &self.options.planner(), &Deadline::never())
            .map_err(|error| EvalError::Task { id: task.id.clone(), what: error.to_string() })?;
        let pack = answer.pack;
        Ok(Outcome {
            id: task.id.clone(),
            repo: task.repo.clone(),
            task: String::new(),
            checking: task.checking,
            budget,
            measures: measure(task, &pack),
            ranks: task.modified.iter().cloned().zip(ranks(task, &pack.ranking)).collect(),
            planned_by: pack.plan.source.clone(),
            tokens: pack.budget.used,
            seconds: start.elapsed().as_secs_f64(),
            top: pack.ranking.iter().take(TOP).cloned().collect(),
        })
    }

    fn keep(&self, pending: &Pending<'_>, outcome: &Outcome, served: bool) {
        let Some(kept) = &self.options.kept else { return };
        if let Err(error) = kept.add(&self.question(&pending.digest, outcome.budget, served), outcome) {
            let error = EvalError::Kept { file: kept.path().display().to_string(), what: error.to_string() };
            self.update(|done| {
                if !std::mem::replace(&mut done.unkept, true) {
                    done.errors.push((pending.index, error));
                }
            });
        }
    }

    /// Runs the tasks of a group once more, with a server.
    fn serve(&self, group: &Group<'_>, workspace: &Workspace) {
        let mut pending = group.tasks.iter().filter(|pending| pending.served).peekable();
        let (Some((options, wait)), Some(first)) = (&self.options.server, pending.peek()) else { return };
        let (index, repo) = (first.index, first.task.repo.clone());
        match ready(workspace, options, *wait) {
            Ok(server) => {
                for pending in pending {
                    self.answer(pending, workspace, &server, self.options.budget(), true);
                }
            }
            Err(what) => self.update(|done| done.errors.push((index, EvalError::Server { repo, what }))),
        }
    }

    fn record(&self, index: usize, outcome: Outcome, served: bool) {
        (self.progress)(&outcome);
        let budget = self.options.budgets.iter().position(|budget| *budget == outcome.budget);
        self.update(|done| match served {
            true => done.served.push((index, outcome)),
            false => done.outcomes.push(((index, budget.unwrap_or_default()), outcome)),
        });
    }

    fn update<T>(&self, change: impl FnOnce(&mut Done) -> T) -> T {
        change(&mut self.done.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn result(self, budget: u32) -> Run {
        let mut done = self.done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.outcomes.sort_by_key(|(place, _)| *place);
        done.served.sort_by_key(|(index, _)| *index);
        done.errors.sort_by_key(|(index, _)| *index);
        let outcomes = done.outcomes.into_iter().map(|(_, outcome)| outcome);
        let (outcomes, at_other_budgets) = outcomes.partition(|outcome| outcome.budget == budget);
        Run {
            outcomes,
            at_other_budgets,
            served: done.served.into_iter().map(|(_, outcome)| outcome).collect(),
            reused: done.reused,
            errors: done.errors.into_iter().map(|(_, error)| error).collect(),
        }
    }
}

/// Reads the workspace of a task from its checkout.
pub(super) fn open(checkout: &Checkout, task: &Task) -> Result<Workspace, EvalError> {
    let root = checkout.root().join(&task.folder);
    Workspace::open(&root, &WalkOptions::default(), &Deadline::never()).map_err(|error| EvalError::Checkout {
        repo: task.repo.clone(),
        snapshot: task.snapshot.clone(),
        what: error.to_string(),
    })
}

/// A server that has proved itself, or why there is none.
fn ready(workspace: &Workspace, options: &ServerOptions, wait: Duration) -> Result<LanguageServer, String> {
    let server = LanguageServer::start(&workspace.snapshot.root, options);
    match server.wait(workspace, &Deadline::after(wait), &mut |_| {}) {
        true => Ok(server),
        false => {
            let notes: Vec<String> = server.notes().into_iter().map(|Note { text, .. }| text).collect();
            Err(notes.join("; "))
        }
    }
}
