//! A model that runs in the process, when all goes well: the vectors are those that the model is known for.

use std::path::Path;
use std::time::{Duration, Instant};

use dossier::config::ModelName;
use dossier::llm::embed::{Chosen, EmbedError, Embedded, Embedder, Precision, Shelf};
use dossier::model::Deadline;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::LONG;
use crate::support::encoder::{HIDDEN, Tiny, model};

/// Vectors that `reference.py` computed.
const REFERENCE: &str = include_str!("reference.json");

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn vectors(embedder: &dyn Embedder, of: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed(&texts(of), &Deadline::never()).unwrap()
}

pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[track_caller]
fn is_unit(vector: &[f32]) {
    assert!((cosine(vector, vector) - 1.0).abs() < 1e-4, "{}", cosine(vector, vector));
}

#[test]
fn the_vectors_are_those_of_a_plain_computation() {
    let reference: Vec<Value> = serde_json::from_str(REFERENCE).unwrap();
    let texts: Vec<&str> = reference.iter().map(|row| row["text"].as_str().unwrap()).collect();
    for (precision, least) in [(Precision::Float, 0.9999), (Precision::best(), 0.98)] {
        let found = vectors(&Embedded::open(&model(), precision).unwrap(), &texts);
        for (row, found) in reference.iter().zip(&found) {
            let expected: Vec<f32> = serde_json::from_value(row["vector"].clone()).unwrap();
            is_unit(found);
            let cosine = cosine(&expected, found);
            assert!(cosine > least, "{precision:?}: {cosine} for {:?}", row["text"]);
        }
    }
}

/// The similarities that the model's page on the hub shows for these sentences.
#[test]
fn sentences_are_as_alike_as_the_model_is_known_to_find_them() {
    let sentences = [
        "That is a happy person",
        "That is a happy dog",
        "That is a very happy person",
        "Today is a sunny day",
    ];
    for (precision, off) in [(Precision::Float, 0.001), (Precision::best(), 0.02)] {
        let found = vectors(&Embedded::open(&model(), precision).unwrap(), &sentences);
        for (vector, expected) in found[1..].iter().zip([0.695, 0.943, 0.257]) {
            let cosine = cosine(&found[0], vector);
            assert!((cosine - expected).abs() < off, "{precision:?}: {cosine} for {expected}");
        }
    }
}

/// Sentences of our own documentation; `cargo bench --bench embed` does the same with whole functions.
#[test]
fn eight_bits_give_nearly_the_same_vectors() {
    let texts = sentences(200);
    assert_eq!(texts.len(), 200);
    let open = |precision| Embedded::open(&model(), precision).unwrap();
    let (int8, float) = (open(Precision::best()), open(Precision::Float));
    let cosines: Vec<f32> = std::thread::scope(|scope| {
        let threads: Vec<_> = texts
            .chunks(50)
            .map(|part| {
                let (int8, float) = (&int8, &float);
                scope.spawn(move || {
                    let of = |model: &Embedded| model.embed(part, &Deadline::never()).unwrap();
                    of(int8).iter().zip(of(float)).map(|(a, b)| cosine(a, &b)).collect::<Vec<_>>()
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    let least = cosines.iter().copied().fold(1.0, f32::min);
    assert!(mean >= 0.99 && least >= 0.95, "mean {mean}, least {least}");
}

/// The first sentences about our modules and functions, twelve words of each at most.
fn sentences(count: usize) -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        folders.extend(paths.iter().filter(|path| path.is_dir()).cloned());
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
            let text = std::fs::read_to_string(path).unwrap();
            let lines =
                text.lines().filter_map(|line| line.strip_prefix("/// ").or(line.strip_prefix("//! ")));
            found.extend(lines.take(2).map(|line| line.split(' ').take(12).collect::<Vec<_>>().join(" ")));
        }
    }
    found.sort();
    found.dedup();
    let step = (found.len() / count).max(1);
    found.into_iter().step_by(step).take(count).collect()
}

#[test]
fn a_model_says_what_it_is() {
    let embedder = Embedded::open(&model(), Precision::best()).unwrap();
    let about = embedder.model();
    assert_eq!((about.dimension, about.window, about.is_local), (384, 256, true));
    assert_eq!(about.name, "all-MiniLM-L6-v2");
    assert_eq!(about.query("a") + &about.document("b"), "ab");
    let float = Embedded::open(&model(), Precision::Float).unwrap();
    let is_best = Precision::best() == Precision::Float;
    assert_eq!(about.key == float.model().key, is_best, "{} {}", about.key, float.model().key);
    assert!(embedder.size().unwrap() < 100_000_000, "{:?}", embedder.size());
}

/// On a small model, which is fast without optimisation too.
fn tiny(folder: &TempDir, tiny: &Tiny) -> Embedded {
    Embedded::open(&tiny.write(&folder.path().join("tiny")), Precision::Float).unwrap()
}

#[test]
fn a_text_has_the_same_vector_in_every_company() {
    let folder = TempDir::new().unwrap();
    let own = Tiny::new().write(&folder.path().join("tiny"));
    for precision in [Precision::Float, Precision::best()] {
        let embedder = Embedded::open(&own, precision).unwrap();
        // More tokens than go through the net at once, and texts of all lengths.
        let texts: Vec<String> = (0..60).map(|n| "login user ".repeat(n % 9)).collect();
        let together = embedder.embed(&texts, &Deadline::never()).unwrap();
        for (text, vector) in texts.iter().zip(&together) {
            assert_eq!(vector.len(), HIDDEN);
            is_unit(vector);
            let alone = vectors(&embedder, &[text]);
            assert!(cosine(&alone[0], vector) > 0.9999, "{text:?}");
        }
    }
}

#[test]
fn nothing_and_ten_million_characters_are_texts() {
    let folder = TempDir::new().unwrap();
    let embedder = tiny(&folder, &Tiny::new());
    assert_eq!(vectors(&embedder, &[]).len(), 0);
    let start = Instant::now();
    let of = |text: &str| vectors(&embedder, &[text]).remove(0);
    is_unit(&of(""));
    let long = of(&"login user ".repeat(1_000_000));
    // What is behind the window does not count: it holds 14 words beside its ends.
    assert!(cosine(&long, &of(&"login user ".repeat(7))) > 0.9999);
    for text in ["a".repeat(10_000_000), " ".repeat(10_000_000), "中\u{301}🦀\0".repeat(1_000_000)] {
        is_unit(&of(&text));
    }
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn the_tokenizers_own_cut_and_padding_do_not_count() {
    let folder = TempDir::new().unwrap();
    let embedder = tiny(&folder, &Tiny::new());
    // It says to cut at 5 tokens, and to fill up to 12.
    let of = |text: &str| vectors(&embedder, &[text]).remove(0);
    assert!(cosine(&of("a b c d e f g"), &of("a b c d e f x")) < 0.9999);
}

/// One and the same model in all the forms that are known gives the same vectors.
#[test]
fn a_model_may_be_written_in_many_ways() {
    let folder = TempDir::new().unwrap();
    let plain = vectors(&tiny(&folder, &Tiny::new()), &["login user session"]).remove(0);
    let mut short = Tiny::new();
    short.is_short = true;
    let mut later = Tiny::new();
    later.pooling = json!({"pooling_mode": "mean", "include_prompt": true});
    // RoBERTa counts positions from behind its padding.
    let mut roberta = Tiny::new();
    roberta.config["model_type"] = json!("roberta");
    roberta.config["pad_token_id"] = json!(1);
    let (shape, numbers) = roberta.tensors.get_mut("embeddings.position_embeddings.weight").unwrap();
    shape[0] += 2;
    numbers.splice(0..0, vec![0.0; 2 * HIDDEN]);
    roberta.config["max_position_embeddings"] = json!(shape[0]);
    for (way, model) in [
        ("bf16", short),
        ("as a part of another", Tiny::new().prefixed("bert.")),
        ("with a later pooling", later),
        ("as a RoBERTa", roberta.prefixed("roberta.")),
    ] {
        let found = vectors(&tiny(&folder, &model), &["login user session"]).remove(0);
        assert!(cosine(&plain, &found) > 0.9999, "{way}");
    }
}

#[test]
fn pooling_activation_and_window_are_the_models_own() {
    let folder = TempDir::new().unwrap();
    let text = "login user session";
    let plain = vectors(&tiny(&folder, &Tiny::new()), &[text]).remove(0);
    let mut first = Tiny::new();
    first.pooling = json!({"pooling_mode_mean_tokens": false, "pooling_mode_cls_token": true});
    let mut relu = Tiny::new();
    relu.config["hidden_act"] = json!("relu");
    for model in [first, relu] {
        let found = vectors(&tiny(&folder, &model), &[text]).remove(0);
        is_unit(&found);
        assert!(cosine(&plain, &found) < 0.9999);
    }
    // An approximation of the same function.
    let mut new = Tiny::new();
    new.config["hidden_act"] = json!("gelu_new");
    assert!(cosine(&plain, &vectors(&tiny(&folder, &new), &[text])[0]) > 0.999);
    for (told, window) in
        [(json!({}), 24), (json!({"max_seq_length": 1000}), 24), (json!({"max_seq_length": 8}), 8)]
    {
        let mut model = Tiny::new();
        model.window = told;
        assert_eq!(tiny(&folder, &model).model().window, window);
    }
}

#[test]
fn prefixes_are_the_models_word_or_its_familys() {
    let folder = TempDir::new().unwrap();
    let bge = Embedded::open(&Tiny::new().write(&folder.path().join("bge-small-en-v1.5")), Precision::Float)
        .unwrap();
    assert_eq!(bge.model().query("a"), "Represent this sentence for searching relevant passages: a");
    let own = Tiny::new().write(&folder.path().join("own"));
    let prompts =
        json!({"prompts": {"query": "Q: ", "document": "D: ", "passage": null}, "default_prompt_name": null});
    std::fs::write(own.join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
    let own = Embedded::open(&own, Precision::Float).unwrap();
    assert_eq!((own.model().query("a"), own.model().document("b")), ("Q: a".to_owned(), "D: b".to_owned()));
}

#[test]
fn a_deadline_is_kept_and_a_cancellation_heard() {
    let embedder = Embedded::open(&model(), Precision::best()).unwrap();
    let long = vec!["The user signs in with a password. ".repeat(50); 200];
    let start = Instant::now();
    let error = embedder.embed(&long, &Deadline::after(Duration::from_millis(300))).unwrap_err();
    assert!(matches!(error, EmbedError::Deadline { count: 200, .. }), "{error:?}");
    let deadline = Deadline::never();
    let canceller = deadline.clone();
    let (_never, nothing) = std::sync::mpsc::channel::<()>();
    let error = std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = nothing.recv_timeout(Duration::from_millis(200));
            canceller.cancel();
        });
        embedder.embed(&long, &deadline).unwrap_err()
    });
    assert_eq!(error, EmbedError::Cancelled);
    assert_eq!(embedder.embed(&long, &deadline), Err(EmbedError::Cancelled));
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
}

#[test]
fn many_threads_may_embed_at_once() {
    use rayon::prelude::*;
    let folder = TempDir::new().unwrap();
    let embedder = tiny(&folder, &Tiny::new());
    let expected = vectors(&embedder, &["login user"]);
    // Of the pool that everybody shares, too.
    let found: Vec<_> = (0..64).into_par_iter().map(|_| vectors(&embedder, &["login user"])).collect();
    assert!(found.iter().all(|found| *found == expected));
}

#[test]
fn an_installed_model_is_loaded_when_the_first_text_comes() {
    let data = TempDir::new().unwrap();
    let source = Tiny::new().write(&data.path().join("elsewhere"));
    let shelf = Shelf::in_data(data.path());
    assert_eq!((shelf.list(), shelf.chosen()), (Vec::new(), Chosen::Nothing));
    let name: ModelName = "all-tiny".parse().unwrap();
    let card = shelf.install(&source, &name).unwrap();
    shelf.choose(Some(&name)).unwrap();
    assert_eq!(shelf.chosen(), Chosen::Model(name.clone()));
    // The folder it came from may go away.
    let expected = vectors(&Embedded::open(&source, Precision::best()).unwrap(), &["login"]);
    std::fs::remove_dir_all(&source).unwrap();
    let embedder = shelf.open(&name).unwrap();
    assert_eq!((embedder.size(), embedder.card(), embedder.model().dimension), (None, &card, HIDDEN));
    assert!(embedder.model().key.starts_with("all-tiny-"), "{}", embedder.model().key);
    assert_eq!(vectors(&embedder, &["login"]), expected);
    assert!(embedder.size().is_some());
    assert_eq!(shelf.list().len(), 1);
    shelf.choose(None).unwrap();
    assert_eq!(shelf.chosen(), Chosen::Off);
}

#[test]
fn a_model_installed_again_takes_the_place_of_the_old_one() {
    let data = TempDir::new().unwrap();
    let shelf = Shelf::in_data(data.path());
    let name: ModelName = "tiny".parse().unwrap();
    let first = shelf.install(&Tiny::new().write(&data.path().join("a")), &name).unwrap();
    let mut other = Tiny::new();
    other.tensors.get_mut("encoder.layer.0.output.dense.bias").unwrap().1[0] += 1.0;
    let second = shelf.install(&other.write(&data.path().join("b")), &name).unwrap();
    assert_ne!(first.digest, second.digest);
    assert_eq!(shelf.find(&name).unwrap().card, Some(second));
    let left: Vec<_> = std::fs::read_dir(shelf.folder()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
