//! The language server, as the doctor sees it. In a workspace that needs trust nothing is started, not even to ask for a version.

use std::path::Path;
use std::time::{Duration, Instant};

use super::check::Check;
use crate::cli::messages::Messages;
use crate::cli::server::open;
use crate::client::settings::server_options;
use crate::config::{Origin, Settings};
use crate::lsp::find::{self, Found, NotFound, Places};
use crate::lsp::toolchain::{self, Environment};
use crate::lsp::{ServerKind, ServerState};
use crate::model::{Deadline, Note};
use crate::workspace::trust::{Decision, Trust, decide};

/// A few programs are asked for their versions, each for 5 seconds at most.
const FIND_TIME: Duration = Duration::from_secs(15);

/// Whether it may be started, whether it is there, and what it works with.
pub(super) fn checks(root: &Path, settings: &Settings, messages: &Messages) -> Vec<Check> {
    let kind = ServerKind::of(root);
    let options = server_options(settings);
    let places = &options.places;
    let decision = decide(root, &options.own);
    let may_start = !matches!(decision.trust, Trust::Needed(_));
    let mut checks = vec![trust(&decision)];
    if !settings.lsp.value {
        checks.push(unused(&kind, &settings.lsp.origin));
        return checks;
    }
    if !may_start {
        checks.push(not_started(&kind, root, places));
        return checks;
    }
    match find::find(&kind.program, places, root, &Deadline::after(FIND_TIME)) {
        Err(error) => checks.push(missing(&kind, &error)),
        Ok(found) => {
            let environment = toolchain::environment(root, places);
            checks.push(there(&kind, &found));
            checks.push(toolchain(&environment));
            checks.extend((settings.wait_lsp.value > 0).then(|| proof(root, settings, messages)));
        }
    }
    checks
}

fn trust(decision: &Decision) -> Check {
    const WHAT: &str = "trust";
    let check = match &decision.trust {
        Trust::Free => Check::good(WHAT, "nothing in the workspace needs it"),
        Trust::Trusted => Check::good(WHAT, "given with `dossier trust`"),
        Trust::Needed(findings) => {
            let found = "needed: what is named here could run programs";
            let findings: Vec<Note> = findings.iter().map(|it| Note::warning(it.to_string())).collect();
            return Check::lacking(WHAT, found, "look at them, then: dossier trust")
                .noting(&[decision.notes.as_slice(), &findings].concat());
        }
    };
    check.noting(&decision.notes)
}

fn unused(kind: &ServerKind, origin: &Origin) -> Check {
    Check::good(kind.name, format!("not used, by {origin}"))
}

fn not_started(kind: &ServerKind, root: &Path, places: &Places) -> Check {
    let place = find::glance(&kind.program, places, root);
    match place {
        Some(place) => Check::lacking(
            kind.name,
            format!("{}, not started without trust", place.display()),
            "dossier trust; the graph answers meanwhile",
        ),
        None => Check::lacking(kind.name, "not found", kind.program.remedy),
    }
}

fn missing(kind: &ServerKind, error: &NotFound) -> Check {
    let tried = error.tried.iter().map(|tried| Note::info(format!("{}: {}", tried.place, tried.why)));
    let notes: Vec<Note> = tried.collect();
    Check::lacking(kind.name, "not found; the graph answers without it", &error.remedy).noting(&notes)
}

fn there(kind: &ServerKind, found: &Found) -> Check {
    let command: Vec<_> = found.command.iter().map(|part| part.to_string_lossy()).collect();
    let shown = format!("{} from {}: {}", found.version, found.origin, command.join(" "));
    match found.notes.is_empty() {
        true => Check::good(kind.name, shown),
        false => Check::lacking(kind.name, shown, "rustup update").noting(&found.notes),
    }
}

fn toolchain(environment: &Environment) -> Check {
    const WHAT: &str = "toolchain";
    let Some(folder) = &environment.toolchain else {
        return Check::lacking(WHAT, "not known", "rustup default stable, where there is none")
            .noting(&environment.notes);
    };
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy();
    let check = match toolchain::has_sources(folder) {
        true => Check::good(WHAT, format!("{name}, with the standard library's sources")),
        false => Check::lacking(
            WHAT,
            format!("{name}, without the standard library's sources: fewer calls are resolved"),
            format!("rustup component add rust-src --toolchain {name}"),
        ),
    };
    check.noting(&environment.notes)
}

/// Whether the server becomes ready in this workspace within the wait: it is started, and asked for what the graph knows.
fn proof(root: &Path, settings: &Settings, messages: &Messages) -> Check {
    const WHAT: &str = "ready";
    let since = Instant::now();
    let opened = match open(root, settings, messages) {
        Ok(opened) => opened,
        Err(error) => {
            return Check::lacking(
                WHAT,
                format!("the workspace cannot be read: {error}"),
                "mend what it names",
            );
        }
    };
    let seconds = since.elapsed().as_secs_f64();
    let notes = opened.server.notes();
    let check = match opened.server.status().state {
        ServerState::Ready => {
            Check::good(WHAT, format!("after {seconds:.1} s, proved by names that the workspace defines"))
        }
        ServerState::Loading => {
            Check::lacking(WHAT, format!("not within {seconds:.0} s"), "a longer --wait-lsp")
        }
        _ => Check::lacking(WHAT, "it does not run", "mend what is named here; the graph answers meanwhile"),
    };
    check.noting(&notes)
}
