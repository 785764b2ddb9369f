//! Folders that hold no model that can be run: each is refused with a sentence that names the file, and says what to do.

use std::fs;
use std::path::{Path, PathBuf};

use dossier::config::ModelName;
use dossier::llm::embed::{EmbedError, Embedded, Embedder, Precision, Shelf};
use dossier::model::Deadline;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::encoder::Tiny;

/// What opening the folder fails of.
#[track_caller]
fn refused(folder: &Path) -> String {
    match Embedded::open(folder, Precision::Float) {
        Err(error @ EmbedError::Folder { .. }) => {
            let said = error.to_string();
            assert!(said.contains("; ") && !said.contains('\n') && said.len() < 600, "{said}");
            said
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
}

/// The folder of a tiny model that was changed before it was written.
fn changed(home: &TempDir, change: impl FnOnce(&mut Tiny)) -> PathBuf {
    let mut tiny = Tiny::new();
    change(&mut tiny);
    let folder = home.path().join("tiny");
    let _ = fs::remove_dir_all(&folder);
    tiny.write(&folder)
}

#[test]
fn a_file_is_missing_broken_or_no_file() {
    let home = TempDir::new().unwrap();
    for file in
        ["config.json", "modules.json", "1_Pooling/config.json", "tokenizer.json", "model.safetensors"]
    {
        let folder = changed(&home, |_| {});
        let path = folder.join(file);
        fs::remove_file(&path).unwrap();
        says(&refused(&folder), &[file, "it is missing", "dossier embedder pull"]);
        for content in ["", "{", "[]", "7", "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}", "not at all"] {
            fs::write(&path, content).unwrap();
            says(&refused(&folder), &[file]);
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        says(&refused(&folder), &[file, "it is no file"]);
    }
    // The window may be missing, but not broken.
    let folder = changed(&home, |tiny| tiny.window = json!("16"));
    says(&refused(&folder), &["sentence_bert_config.json", "not as expected"]);
}

#[test]
fn there_is_no_folder() {
    let home = TempDir::new().unwrap();
    says(&refused(&home.path().join("nowhere")), &["nowhere", "name a folder that holds a model"]);
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    says(&refused(&file), &["it is a file", "name the folder"]);
    says(&refused(home.path()), &["modules.json", "it is missing"]);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let home = TempDir::new().unwrap();
    let folder = changed(&home, |_| {});
    let file = folder.join("tokenizer.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    if fs::read(&file).is_err() {
        says(&refused(&folder), &["tokenizer.json", "ermission denied", "let yourself read it"]);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let home = TempDir::new().unwrap();
    let folder = changed(&home, |_| {});
    let pipe = folder.join("model.safetensors");
    fs::remove_file(&pipe).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    says(&refused(&folder), &["model.safetensors", "it is no file"]);
}

#[test]
fn weights_are_cut_at_any_place() {
    let home = TempDir::new().unwrap();
    let whole = Tiny::new().weights();
    for length in [0, 4, 8, 20, whole.len() / 2, whole.len() - 1, whole.len() + 1] {
        let folder = changed(&home, |_| {});
        let mut bytes = whole.clone();
        bytes.resize(length, 0);
        fs::write(folder.join("model.safetensors"), bytes).unwrap();
        says(&refused(&folder), &["model.safetensors", "no whole file of weights", "get the model anew"]);
    }
}

#[test]
fn a_header_may_lie() {
    let home = TempDir::new().unwrap();
    for header in [
        r#"{"embeddings.word_embeddings.weight":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,16]}}"#,
        r#"{"embeddings.word_embeddings.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[16,0]}}"#,
        r#"{"embeddings.word_embeddings.weight":{"dtype":"F31","shape":[2,2],"data_offsets":[0,16]}}"#,
        r#"{"something":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#,
        "{}",
    ] {
        let folder = changed(&home, |_| {});
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &[0; 16]].concat();
        fs::write(folder.join("model.safetensors"), bytes).unwrap();
        says(&refused(&folder), &["model.safetensors"]);
    }
    let folder = changed(&home, |_| {});
    fs::write(folder.join("model.safetensors"), [0xff; 64]).unwrap();
    says(&refused(&folder), &["model.safetensors"]);
}

#[test]
fn another_architecture_is_named() {
    let home = TempDir::new().unwrap();
    let config = |key: &'static str, value: Value| changed(&home, move |tiny| tiny.config[key] = value);
    says(
        &refused(&config("model_type", json!("gemma3_text"))),
        &["config.json", "gemma3_text (BertModel)", "known are bert, roberta", "dossier embedder list"],
    );
    says(&refused(&config("model_type", Value::Null)), &["its architecture is not named"]);
    says(&refused(&config("position_embedding_type", json!("alibi"))), &["`alibi`", "absolute"]);
    says(&refused(&config("hidden_act", json!("silu"))), &["`silu`", "gelu"]);
    let folder = changed(&home, |tiny| {
        tiny.modules
            .as_array_mut()
            .unwrap()
            .push(json!({"path": "3_Dense", "type": "sentence_transformers.models.Dense"}));
    });
    says(&refused(&folder), &["modules.json", "`Dense`"]);
    let folder = changed(&home, |tiny| tiny.modules = json!([{"path": "", "type": "models.Transformer"}]));
    says(&refused(&folder), &["modules.json", "no Transformer with a Pooling"]);
    for pooling in [json!({"pooling_mode_max_tokens": true}), json!({"pooling_mode": "lasttoken"}), json!({})]
    {
        says(&refused(&changed(&home, |tiny| tiny.pooling = pooling)), &["1_Pooling", "known are the mean"]);
    }
}

#[test]
fn a_folder_outside_is_not_read() {
    let home = TempDir::new().unwrap();
    for path in ["../elsewhere", "/etc", "a/../../b"] {
        let folder = changed(&home, |tiny| tiny.modules[1]["path"] = json!(path));
        says(&refused(&folder), &["modules.json", path, "outside of the folder"]);
    }
}

#[test]
fn sizes_that_cannot_be() {
    let home = TempDir::new().unwrap();
    for (key, value) in [
        ("hidden_size", json!(1_000_000_000_000_u64)),
        ("hidden_size", json!(0)),
        ("hidden_size", json!(15)),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!(3)),
        ("num_hidden_layers", json!(1_000_000)),
        ("intermediate_size", json!(u64::MAX)),
        ("vocab_size", json!(u64::MAX)),
        ("vocab_size", json!(-1)),
        ("vocab_size", json!("many")),
        ("max_position_embeddings", json!(1)),
        ("max_position_embeddings", json!(3_999_999)),
        ("type_vocab_size", json!(0)),
        ("layer_norm_eps", json!(0)),
        ("layer_norm_eps", json!(1e300)),
    ] {
        let shown = value.to_string();
        let folder = changed(&home, |tiny| tiny.config[key] = value);
        let said = refused(&folder);
        assert!(said.contains("config.json") || said.contains("model.safetensors"), "{key} {shown}: {said}");
    }
    for window in [0, 2] {
        let folder = changed(&home, |tiny| tiny.window = json!({"max_seq_length": window}));
        says(&refused(&folder), &["sentence_bert_config.json", "max_seq_length is", "a text needs 3"]);
    }
    let folder = changed(&home, |tiny| tiny.window = json!({"max_seq_length": 3}));
    Embedded::open(&folder, Precision::Float)
        .unwrap()
        .embed(&["a b c".to_owned()], &Deadline::never())
        .unwrap();
    // A file of a terabyte that takes no room.
    let folder = changed(&home, |_| {});
    let weights = fs::OpenOptions::new().write(true).open(folder.join("model.safetensors")).unwrap();
    if weights.set_len(1 << 40).is_ok() {
        says(&refused(&folder), &["model.safetensors", "1099511627776 bytes; at most"]);
    }
}

#[test]
fn weights_of_another_shape_or_kind_or_none() {
    let home = TempDir::new().unwrap();
    let name = "encoder.layer.0.attention.self.key.weight";
    let folder = changed(&home, |tiny| tiny.tensors.get_mut(name).unwrap().0 = vec![8, 32]);
    says(&refused(&folder), &["model.safetensors", name, "[8, 32]", "[16, 16]"]);
    let folder = changed(&home, |tiny| drop(tiny.tensors.remove(name)));
    says(&refused(&folder), &["model.safetensors", "it holds no", name]);
    let folder = changed(&home, |tiny| tiny.config["num_hidden_layers"] = json!(2));
    says(&refused(&folder), &["it holds no encoder.layer.1"]);
}

#[test]
fn weights_that_are_no_numbers() {
    let home = TempDir::new().unwrap();
    for name in [
        "embeddings.word_embeddings.weight",
        "embeddings.position_embeddings.weight",
        "encoder.layer.0.output.dense.weight",
        "encoder.layer.0.output.LayerNorm.bias",
    ] {
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let folder =
                changed(&home, |tiny| *tiny.tensors.get_mut(name).unwrap().1.last_mut().unwrap() = number);
            says(&refused(&folder), &["model.safetensors", name, "no number"]);
        }
    }
    // Numbers, but none that a text can have a direction by.
    let folder = changed(&home, |tiny| {
        for part in ["weight", "bias"] {
            tiny.tensors.get_mut(&format!("encoder.layer.0.output.LayerNorm.{part}")).unwrap().1.fill(0.0);
        }
    });
    let embedder = Embedded::open(&folder, Precision::Float).unwrap();
    let error = embedder.embed(&["login".to_owned()], &Deadline::never()).unwrap_err();
    assert!(matches!(error, EmbedError::Vectors { .. }), "{error:?}");
    says(&error.to_string(), &["tiny gives no vectors that can be used", "the length of one is 0"]);
}

#[test]
fn a_tokenizer_that_does_not_match() {
    let home = TempDir::new().unwrap();
    let folder = changed(&home, |tiny| tiny.tokenizer["model"]["vocab"]["another"] = json!(1_000));
    says(&refused(&folder), &["tokenizer.json", "does not match", "a word number 1000", "62 words"]);
    // The mark at a text's beginning is none of its words.
    let folder = changed(&home, |tiny| {
        tiny.tokenizer["post_processor"]["special_tokens"]["[CLS]"]["ids"] = json!([999]);
    });
    let embedder = Embedded::open(&folder, Precision::Float).unwrap();
    let error = embedder.embed(&["login".to_owned()], &Deadline::never()).unwrap_err();
    says(&error.to_string(), &["tiny failed on a text", "a word 999"]);
}

#[test]
fn a_model_that_changed_since_it_was_installed() {
    let home = TempDir::new().unwrap();
    let shelf = Shelf::in_data(home.path());
    let name: ModelName = "tiny".parse().unwrap();
    shelf.install(&changed(&home, |_| {}), &name).unwrap();
    let own = shelf.folder().join("tiny");
    let mut other = Tiny::new();
    other.tensors.get_mut("encoder.layer.0.output.dense.bias").unwrap().1[0] += 1.0;
    fs::write(own.join("model.safetensors"), other.weights()).unwrap();
    let error = shelf.open(&name).unwrap().prepare().unwrap_err();
    says(&error.to_string(), &["another model than when it was chosen", "dossier embedder pull"]);
    for card in ["", "{}", "{\"name\": 7}"] {
        fs::write(own.join("embedder.json"), card).unwrap();
        says(&shelf.open(&name).unwrap_err().to_string(), &["embedder.json", "missing or broken"]);
        assert_eq!(shelf.list()[0].card, None);
    }
    fs::remove_dir_all(&own).unwrap();
    says(&shelf.open(&name).unwrap_err().to_string(), &["tiny", "it is not there"]);
}

#[test]
fn what_cannot_be_installed_leaves_nothing_behind() {
    let home = TempDir::new().unwrap();
    let shelf = Shelf::in_data(home.path());
    let name: ModelName = "tiny".parse().unwrap();
    let folder = changed(&home, |tiny| tiny.config["hidden_act"] = json!("silu"));
    shelf.install(&folder, &name).unwrap_err();
    assert_eq!(fs::read_dir(shelf.folder()).into_iter().flatten().count(), 0);
    // In place of the shelf is a file.
    fs::write(home.path().join("models"), "").unwrap();
    let error = shelf.install(&changed(&home, |_| {}), &name).unwrap_err();
    says(&error.to_string(), &["models", "XDG_DATA_HOME"]);
}
