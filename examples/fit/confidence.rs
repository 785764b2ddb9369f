//! What the first file's being right can be told by: the model of `src/rank/confidence.rs`; and how often it says that nothing was
//! found, of tasks that a workspace is about and of those that it is not.

use std::collections::BTreeMap;

use dossier::eval::Task;
use dossier::pipeline::{Choice, Workspace};
use dossier::rank::confidence::{BIAS, Confidence, MODEL, confidence, observe};

use super::logistic::{self, Row};

/// Steps in which what is said is held against what is so.
const STEPS: usize = 10;

/// One task, asked where it belongs or elsewhere.
pub struct Asked {
    known: Vec<f64>,
    right: bool,
    said: Confidence,
    is_strange: bool,
}

pub fn asked(task: &Task, workspace: &Workspace, choice: &Choice, is_strange: bool) -> Asked {
    let first = choice.ranked.first().map(|file| workspace.snapshot.file(file.file).path.as_str());
    let right = !is_strange && first.is_some_and(|first| task.modified.iter().any(|path| path == first));
    let facts = workspace.facts(&choice.votes, &workspace.graph);
    let Choice { intent, candidates, ranked, .. } = choice;
    Asked {
        known: observe(&facts, intent, candidates, ranked).to_vec(),
        right,
        said: confidence(&facts, intent, candidates, ranked),
        is_strange,
    }
}

impl Asked {
    /// A line of observations: whether it belongs there, whether the first file is right, what is known.
    pub fn note(&self) -> String {
        let known: Vec<String> = self.known.iter().map(|value| format!("{value:.4}")).collect();
        format!("{}\t{}\t{}\n", u8::from(!self.is_strange), u8::from(self.right), known.join("\t"))
    }

    fn row(&self, right: bool, weight: f64) -> Row {
        Row { known: self.known.clone(), right, weight }
    }
}

/// What is learned from the tasks of each repository.
fn rows(
    asked: &BTreeMap<String, Vec<Asked>>,
    of: &dyn Fn(&Asked) -> Option<Row>,
) -> BTreeMap<String, Vec<Row>> {
    asked.iter().map(|(repo, asked)| (repo.clone(), asked.iter().filter_map(of).collect())).collect()
}

/// How often what was said is so, what a limit would hold back, and both models fitted anew.
pub fn report(asked: &BTreeMap<String, Vec<Asked>>) {
    let all: Vec<&Asked> = asked.values().flatten().collect();
    let (strange, own): (Vec<&Asked>, Vec<&Asked>) = all.iter().copied().partition(|asked| asked.is_strange);
    println!("said of the first file, tasks, so many right in percent");
    for step in 0..STEPS {
        let (low, high) = (step as f64 / STEPS as f64, (step + 1) as f64 / STEPS as f64);
        let within: Vec<&&Asked> =
            own.iter().filter(|asked| low <= asked.said.first && asked.said.first < high).collect();
        let right = within.iter().filter(|asked| asked.right).count();
        let percent = 100.0 * right as f64 / within.len().max(1) as f64;
        println!("  {low:.1} to {high:.1}: {:4} {percent:5.1}", within.len());
    }
    println!("limit: held back of {} strange tasks, of {} that belong there", strange.len(), own.len());
    for limit in [0.05, 0.1, 0.13, 0.15, 0.2, 0.27, 0.3, 0.4, 0.5] {
        let held = |tasks: &[&Asked]| {
            let held = tasks.iter().filter(|asked| asked.said.belongs < limit).count();
            100.0 * held as f64 / tasks.len().max(1) as f64
        };
        println!("  {limit:.2}: {:5.1} {:5.1}", held(&strange), held(&own));
    }
    // As if half of all tasks were strange.
    let weight = strange.len() as f64 / own.len().max(1) as f64;
    let belongs = |asked: &Asked| {
        let weight = if asked.is_strange { 1.0 } else { weight };
        Some(asked.row(!asked.is_strange, weight))
    };
    println!("whether the task belongs there");
    logistic::report(&rows(asked, &belongs), &MODEL.map(|(name, of, _)| (name, of)), BIAS.0);
    let first = |asked: &Asked| (!asked.is_strange).then(|| asked.row(asked.right, 1.0));
    println!("whether the first file is right, if it does");
    logistic::report(&rows(asked, &first), &MODEL.map(|(name, _, of)| (name, of)), BIAS.1);
}
