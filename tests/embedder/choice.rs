//! Who turns texts into vectors, by flag, environment, settings and `dossier embedder use`.

use std::time::Duration;

use crate::support::encoder::Tiny;
use crate::support::ollama::{self, Ollama};
use crate::{run, run_with, sandbox};

/// The folder of a tiny model that may be used.
fn tiny(sandbox: &crate::Sandbox, name: &str) -> String {
    Tiny::new().write(&sandbox.path(name)).display().to_string()
}

#[test]
fn without_any_everything_works_and_says_what_would_be_gained() {
    let sandbox = sandbox();
    run(&sandbox, &["embedder", "list"])
        .ends(0, &["no model is installed in SANDBOX/data/dossier/models"])
        .shows(&["all-MiniLM-L6-v2           dossier embedder pull: 91 MB"]);
    let status = run(&sandbox, &["embedder", "status"]);
    status.ends(1, &["no embedder: none is chosen", "→ dossier embedder pull all-MiniLM-L6-v2"]);
    run(&sandbox, &["doctor"]).shows(&[
        "lacks   embedder       none: code is found by its words alone; with one, also by what it means",
        "→ dossier embedder pull all-MiniLM-L6-v2, or: ollama pull embeddinggemma",
    ]);
    run(&sandbox, &["context", "login", "--quiet"]).shows(&["src/login.rs"]);
}

#[test]
fn a_folders_model_is_installed_chosen_and_measured() {
    let sandbox = sandbox();
    let folder = tiny(&sandbox, "e5-tiny");
    run(&sandbox, &["embedder", "use", &folder]).ends(
        0,
        &[
            "installed in SANDBOX/data/dossier/models/e5-tiny: vectors of 16 numbers, texts of 16 tokens",
            "e5-tiny turns texts into vectors from now on",
        ],
    );
    std::fs::remove_dir_all(&folder).unwrap();
    run(&sandbox, &["embedder", "list"]).shows(&["* e5-tiny ", "installed, 0 MB, vectors of 16 numbers"]);
    let status = run(&sandbox, &["embedder", "status"]);
    status.shows(&[
        "embedder    e5-tiny, by `dossier embedder use`\n",
        "place       on this machine\n",
        "vectors     16 numbers, kept under e5-tiny-",
        "window      16 tokens\n",
        "prefixes    \"query: \" before a question, \"passage: \" before code\n",
        " ms for a function of 160 tokens",
    ]);
    run(&sandbox, &["doctor"]).shows(&["ok      embedder       e5-tiny, by `dossier embedder use`"]);
}

#[test]
fn installed_models_are_chosen_by_name() {
    let sandbox = sandbox();
    run(&sandbox, &["embedder", "use", &tiny(&sandbox, "one")]).ends(0, &[]);
    run(&sandbox, &["embedder", "use", &tiny(&sandbox, "folder"), "--name", "two"]).ends(0, &["models/two"]);
    let is_used = |name: &str| {
        run(&sandbox, &["embedder", "status"]).shows(&[&format!("embedder    {name}, by")]);
    };
    is_used("two");
    run(&sandbox, &["embedder", "use", "one"]).ends(0, &["one turns texts into vectors"]);
    is_used("one");
    run(&sandbox, &["embedder", "use", "off"]).ends(0, &["no installed model is used from now on"]);
    run(&sandbox, &["embedder", "status"]).ends(1, &["switched off (`dossier embedder use off`)"]);
    run(&sandbox, &["doctor"]).shows(&["ok      embedder       switched off"]);
    for (arguments, said) in [
        (&["use", "three"][..], "three is no installed model and no folder"),
        (&["use", "one", "--name", "two"], "--name is for a folder"),
        (&["use", "src", "--name", "../x"], "`../x` is no name of a model"),
        (&["use", "src"], "src/modules.json: it is missing"),
        (&["use", "Cargo.toml", "--name", "x"], "Cargo.toml: it is a file"),
    ] {
        let run = run(&sandbox, &[&["embedder"], arguments].concat());
        run.ends(2, &[said]);
    }
    run(&sandbox, &["embedder", "list"]).shows(&["  one ", "  two "]);
}

#[test]
fn settings_win_over_what_was_chosen() {
    let sandbox = sandbox();
    run(&sandbox, &["embedder", "use", &tiny(&sandbox, "one")]).ends(0, &[]);
    run(&sandbox, &["embedder", "use", &tiny(&sandbox, "two")]).ends(0, &[]);
    let status = |arguments: &[&str], variables: &[(&str, &str)]| {
        run_with(&sandbox, &[&["embedder", "status"], arguments].concat(), variables)
    };
    status(&[], &[]).shows(&["embedder    two, by `dossier embedder use`"]);
    sandbox.put("home/.config/dossier/config.toml", "embedder = 'one'\n");
    status(&[], &[]).shows(&["embedder    one, by SANDBOX/home/.config/dossier/config.toml:1"]);
    status(&[], &[("DOSSIER_EMBEDDER", "off")]).ends(1, &["switched off (DOSSIER_EMBEDDER)"]);
    status(&["--embedder", "two"], &[("DOSSIER_EMBEDDER", "off")]).shows(&["embedder    two, by --embedder"]);
    status(&["--embedder", "three"], &[])
        .ends(1, &["models/three: it is not there", "dossier embedder pull"]);
    status(&["--embedder", "a/b"], &[])
        .ends(2, &["expected auto, off, ollama or the name of an installed model"]);
    run(&sandbox, &["config", "show"])
        .shows(&["embedder = \"one\" ", "ollama_embed_model = \"embeddinggemma\" "]);
    // A setting that cannot be had is told where somebody looks, and stops nothing.
    run_with(&sandbox, &["doctor"], &[("DOSSIER_EMBEDDER", "three")])
        .shows(&["lacks   embedder", "models/three: it is not there"]);
}

#[test]
fn a_workspace_may_not_choose() {
    let sandbox = sandbox();
    sandbox.write(
        ".dossier/config.toml",
        "embedder = 'ollama'\nollama_embed_model = 'evil'\nollama_host = 'evil'\n",
    );
    let run = run(&sandbox, &["embedder", "status"]);
    run.ends(
        1,
        &[
            "a workspace may not set `embedder`",
            "a workspace may not set `ollama_embed_model`",
            "none is chosen",
        ],
    );
}

#[test]
fn ollama_serves_where_it_is_on_this_machine_and_has_the_model() {
    let sandbox = sandbox();
    let server = Ollama::embedding(ollama::embedded);
    let host = server.host();
    let here = [("OLLAMA_HOST", host.as_str())];
    let status = |arguments: &[&str], variables: &[(&str, &str)]| {
        run_with(&sandbox, &[&["embedder", "status"], arguments].concat(), variables)
    };
    status(&[], &here).shows(&[
        "embedder    ollama embeddinggemma, Ollama on this machine has it\n",
        "vectors     768 numbers, kept under ollama-embeddinggemma-dae161e27b0e90dd\n",
        "window      1800 tokens\n",
    ]);
    // The doctor asks what there is, and has nothing embedded.
    let asked = server.embeds().len();
    run_with(&sandbox, &["doctor"], &here).shows(&["ok      embedder       ollama embeddinggemma"]);
    assert_eq!(server.embeds().len(), asked);
    let other = [("OLLAMA_HOST", host.as_str()), ("OLLAMA_EMBED_MODEL", "other")];
    status(&[], &other).ends(1, &["no model other", "`ollama pull other`, or set OLLAMA_EMBED_MODEL"]);
    status(&["--embedder", "ollama"], &other).ends(1, &["no model other"]);
    // What was installed and chosen comes first.
    run(&sandbox, &["embedder", "use", &tiny(&sandbox, "one")]).ends(0, &[]);
    status(&[], &here).shows(&["embedder    one, by"]);
    status(&["--embedder", "ollama"], &here).shows(&["embedder    ollama embeddinggemma, by --embedder"]);
}

/// An address that nobody answers at: whoever asked it would wait.
#[test]
fn ollama_elsewhere_is_not_asked_unless_named() {
    let sandbox = sandbox();
    let elsewhere = [("OLLAMA_HOST", "http://192.0.2.1:11434")];
    let run = run_with(&sandbox, &["embedder", "status"], &elsewhere);
    run.ends(1, &["none is chosen, and no Ollama on this machine has one"]);
    assert!(run.took < Duration::from_secs(5), "{:?}", run.took);
    run_with(&sandbox, &["embedder", "status", "--embedder", "ollama"], &elsewhere)
        .ends(1, &["http://192.0.2.1:11434"]);
}
