//! `dossier context`: a task in, the code that it needs out.

use std::mem::ManuallyDrop;

use super::Outcome;
use super::args::ContextArgs;
use super::messages::{Messages, has_color};
use super::output::Output;
use super::progress::Progress;
use super::server::{self, Opened};
use super::{query, settings};
use crate::config::{Format, Settings, Tests};
use crate::model::Deadline;
use crate::pipeline::{Answer, LanguageServer, Request, Workspace};
use crate::render::{ExplainOptions, RenderOptions, explain};

pub(super) fn run(args: &ContextArgs, messages: &Messages) -> anyhow::Result<Outcome> {
    let query = query::read(&args.query, messages)?;
    let (root, notes) = settings::root(&args.place)?;
    let loaded = settings::load(&root, args.settings.typed());
    tracing::info!(root = %root.display(), settings = ?loaded.settings, "asked");
    messages.notes(&loaded.notes);
    let Opened { workspace, server, deadline } = match server::open(&root, &loaded.settings, messages) {
        Ok(opened) => opened,
        Err(error) => {
            messages.notes(&notes);
            return Err(error.into());
        }
    };
    // Never freed: the process ends, and freeing all that was read piece by piece takes longer than choosing from it.
    let workspace = ManuallyDrop::new(workspace.with_notes(notes));
    let answer = answer(&workspace, &server, &request(query, &loaded.settings, args), &deadline, messages)?;
    messages.notes(&answer.pack.notes);
    print(&answer, args, loaded.settings.format.value, messages)
}

fn request(query: String, settings: &Settings, args: &ContextArgs) -> Request {
    Request {
        query,
        budget: settings.budget.value,
        max_files: settings.max_files.value.map(|files| files as usize),
        depth: settings.depth.value,
        tests: match settings.tests.value {
            Tests::Auto => None,
            Tests::Yes => Some(true),
            Tests::No => Some(false),
        },
        mask: settings.mask.value,
        render: RenderOptions {
            format: settings.format.value,
            line_numbers: settings.line_numbers.value,
            content: !args.no_content,
        },
    }
}

fn answer(
    workspace: &Workspace,
    server: &LanguageServer,
    request: &Request,
    deadline: &Deadline,
    messages: &Messages,
) -> anyhow::Result<Answer> {
    let _progress = Progress::spinner("choosing the code", messages);
    Ok(workspace.answer(request, server, deadline)?)
}

fn print(
    answer: &Answer,
    args: &ContextArgs,
    format: Format,
    messages: &Messages,
) -> anyhow::Result<Outcome> {
    let output = Output::new(args.output.clone(), args.copy);
    let found = !answer.pack.files.is_empty();
    let explained = args.explain_context && format != Format::Json;
    if explained {
        output.write(&explain(&answer.pack, &explain_options(&output)))?;
    } else if found || format == Format::Json {
        output.write(&answer.rendered)?;
    }
    if !found {
        messages.say(&format!(
            "nothing relevant found in {}: name a type, a function or a path of this workspace, or look elsewhere with --workspace",
            answer.pack.workspace
        ));
        return Ok(Outcome::NothingFound);
    }
    let what =
        if explained { "the explanation".to_owned() } else { format!("{} tokens", answer.pack.budget.used) };
    output.tell(&what, messages);
    Ok(Outcome::Done)
}

/// As wide as the terminal, where the explanation goes to one.
fn explain_options(output: &Output) -> ExplainOptions {
    let stdout = std::io::stdout();
    let width = terminal_size::terminal_size_of(&stdout).filter(|_| output.is_stdout());
    let fallback = ExplainOptions::default();
    ExplainOptions {
        width: width.map_or(fallback.width, |(width, _)| width.0.into()),
        color: output.is_stdout() && has_color(&stdout),
    }
}
