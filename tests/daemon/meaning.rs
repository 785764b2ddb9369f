//! A daemon with an embedder: it embeds by itself while nobody asks, and knows the meaning of what is edited.

use std::sync::Arc;
use std::time::Duration;

use dossier::daemon::{Connection, DaemonPlace, Lost, serve, wait_for};
use dossier::llm::embed::ScriptedEmbedder;
use dossier::meaning::EmbedderSource;
use dossier::model::Deadline;
use dossier::pipeline::ServerOptions;
use dossier::session::protocol::{Nothing, Search, SearchAnswer, SearchParams, Shutdown};
use dossier::session::{Host, Limits};
use serde_json::json;
use tempfile::TempDir;

use crate::daemon::{CODE, until};
use crate::support::Sandbox;

/// It embeds where nobody has asked for two seconds.
const PAUSE: Duration = Duration::from_secs(4);

fn limit() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

fn ask(connection: &Connection, params: &SearchParams) -> Result<SearchAnswer, Lost> {
    connection.ask::<Search>(params, &limit())
}

#[test]
fn what_is_embedded_meanwhile_is_found_and_what_is_edited_too() {
    let (folder, sandbox) = (TempDir::new().unwrap(), Sandbox::new(CODE));
    let root = sandbox.path("ws").canonicalize().unwrap();
    let place = DaemonPlace::in_folder(folder.path().join("daemon"));
    let host = Host {
        index: None,
        server: ServerOptions::default(),
        embedder: EmbedderSource::new(|| Ok(Arc::new(ScriptedEmbedder::new()))),
        folder: place.folder().to_owned(),
        limits: Limits::default(),
    };
    let serving = std::thread::spawn({
        let place = place.clone();
        move || _ = serve(&place, host, "x".to_owned(), None).unwrap()
    });
    let connection = wait_for(&place).unwrap();
    let params = json!({
        "workspace": root, "query": "counts what is left on the shelf", "mode": "semantic", "level": "symbol",
    });
    let params: SearchParams = serde_json::from_value(params).unwrap();
    until("all of it is embedded", || match ask(&connection, &params) {
        Ok(answer) => answer.notes.is_empty(),
        Err(error) => {
            assert!(error.to_string().contains("nothing is embedded"), "{error}");
            std::thread::park_timeout(PAUSE);
            false
        }
    });
    let found = ask(&connection, &params).unwrap();
    assert_eq!(found.hits[0].name.as_deref(), Some("shelf_count"), "{found:?}");
    let edited = "/// Counts what is left on the shelf.\npub fn remaining() -> u32 { 3 }\n";
    sandbox.write("src/stock.rs", edited);
    until("the edit is embedded", || {
        std::thread::park_timeout(PAUSE);
        let found = ask(&connection, &params).unwrap();
        found.notes.is_empty() && found.hits[0].name.as_deref() == Some("remaining")
    });
    connection.ask::<Shutdown>(&Nothing {}, &limit()).unwrap();
    serving.join().unwrap();
}
