//! All that `dossier eval` prints of a run.

use crate::eval::{self, Comparison, Options, Outcome, Run};
use crate::plan::HEURISTIC;

/// The tables; where tasks were run with a language server too, theirs and what differs.
pub(super) fn page(run: &Run, options: &Options, compared: Option<&Comparison>) -> String {
    let mut page = eval::table(&run.outcomes) + &planned(run);
    page.push_str(&format!(
        "\nmeans with their 95 % intervals, {} tokens (which tasks there are is left to chance: bootstrap)\n{}",
        options.budget(),
        eval::interval_table(&run.outcomes)
    ));
    if options.budgets.len() > 1 {
        let all: Vec<Outcome> = run.outcomes.iter().chain(&run.at_other_budgets).cloned().collect();
        page.push_str(&format!("\nby budget\n{}", eval::curve(&options.budgets, &all)));
    }
    if !run.served.is_empty() {
        page.push_str(&served(run));
    }
    if let Some(compared) = compared {
        page.push_str(&format!("\n{}", compared.page()));
    }
    page
}

/// How many of the plans are a model's.
fn planned(run: &Run) -> String {
    let (by_rules, by_model): (Vec<_>, Vec<_>) =
        run.outcomes.iter().partition(|outcome| outcome.planned_by == HEURISTIC);
    match by_model.first() {
        Some(first) => {
            let (model, rules) = (&first.planned_by, by_rules.len());
            format!("planned by {model}: {} tasks; by rules, as it did not help: {rules}\n", by_model.len())
        }
        None => String::new(),
    }
}

fn served(run: &Run) -> String {
    let is_served = |outcome: &&Outcome| run.served.iter().any(|served| served.id == outcome.id);
    let alone: Vec<Outcome> = run.outcomes.iter().filter(is_served).cloned().collect();
    format!(
        "\nby the text alone, the tasks that a language server was ready for\n{}\nwith the language server\n{}\n{}",
        eval::table(&alone),
        eval::table(&run.served),
        eval::differences(&alone, &run.served)
    )
}
