//! Vectors of an Ollama server: what is sent, what comes back, when it waits, and what its faults are told as.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dossier::llm::embed::{EmbedError, Embedder, OllamaEmbedder};
use dossier::llm::{ModelError, Ollama};
use dossier::model::Deadline;
use serde_json::{Value, json};

use crate::LONG;
use crate::support::http::{Reply, Server};
use crate::support::ollama::{self, BUSY, DIMENSION, MODEL, embedded, vectors};

/// As a user names it.
const NAME: &str = "embeddinggemma";

/// A deadline of a fifth of a second is kept, even on a busy machine.
const SOON: Duration = Duration::from_secs(2);

fn open(server: &ollama::Ollama) -> OllamaEmbedder {
    OllamaEmbedder::open(&server.host(), NAME, &Deadline::after(LONG)).unwrap()
}

fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    embedder.embed(&texts, &Deadline::after(LONG))
}

/// What embedding two texts fails of, where the server answers so.
#[track_caller]
fn error_of(reply: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> EmbedError {
    let server = ollama::Ollama::embedding(reply);
    embed(&open(&server), &["a", "b"]).unwrap_err()
}

#[track_caller]
fn says(error: &EmbedError, parts: &[&str]) {
    let said = error.to_string();
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    assert!(!said.contains('\n') && said.len() < 800, "{said}");
}

#[test]
fn opening_asks_what_there_is_and_loads_nothing() {
    let server = ollama::Ollama::embedding(embedded);
    let embedder = open(&server);
    let about = embedder.model();
    assert_eq!(
        (about.name.as_str(), about.dimension, about.window),
        ("ollama embeddinggemma", DIMENSION, 1_800)
    );
    assert_eq!(about.key, "ollama-embeddinggemma-dae161e27b0e90dd");
    assert_eq!(about.query("a"), "task: code retrieval | query: a");
    assert_eq!(about.document("b"), "title: none | text: b");
    assert!(about.is_local && about.is_for_code);
    assert_eq!(server.embeds(), Vec::<Value>::new());
}

#[test]
fn texts_go_in_batches_and_come_back_as_unit_vectors() {
    let server = ollama::Ollama::embedding(embedded);
    let embedder = open(&server);
    let texts: Vec<String> = (0..40).map(|n| format!("text {n}")).collect();
    let found = embedder.embed(&texts, &Deadline::after(LONG)).unwrap();
    let sent = server.embeds();
    let counts: Vec<usize> = sent.iter().map(|body| body["input"].as_array().unwrap().len()).collect();
    assert_eq!(counts, [16, 16, 8]);
    assert_eq!((&sent[0]["truncate"], &sent[0]["keep_alive"]), (&json!(true), &json!("10m")));
    for (text, vector) in texts.iter().zip(&found) {
        let given = ollama::vector(text);
        let length = given.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off =
            vector.iter().zip(&given).map(|(a, b)| (f64::from(*a) - b / length).abs()).fold(0.0, f64::max);
        assert!(vector.len() == DIMENSION && off < 1e-6, "{text}: {off}");
    }
    assert_eq!(embed(&embedder, &[]).unwrap().len(), 0);
    assert_eq!(server.embeds().len(), 3);
}

#[test]
fn long_texts_lose_their_middle() {
    let server = ollama::Ollama::embedding(embedded);
    let long: String = (0..100_000).map(|n| format!("word{n} ")).collect();
    embed(&open(&server), &[&long, "", &"a".repeat(10_000_000)]).unwrap();
    let sent = server.embeds();
    let cut = sent[0]["input"][0].as_str().unwrap();
    assert!(cut.starts_with("word0 word1 ") && cut.ends_with("word99999 ") && cut.contains("\n…\n"), "{cut}");
    assert!(cut.len() < 12_000, "{}", cut.len());
    assert_eq!(sent[0]["input"][1], "");
    assert!(sent[0]["input"][2].as_str().unwrap().len() < 30_000);
}

#[test]
fn while_another_model_is_used_batches_keep_to_half_of_the_time() {
    const TAKES: Duration = Duration::from_millis(150);
    let took = |is_used: bool, texts: &[&str]| {
        let server = ollama::Ollama::embedding(|request| {
            let body = embedded(request);
            Reply::new(200, "application/json").wait(TAKES).then(body)
        });
        if is_used {
            server.load(MODEL);
        }
        let embedder = open(&server);
        let start = Instant::now();
        for _ in 0..3 {
            embed(&embedder, texts).unwrap();
        }
        start.elapsed()
    };
    let (alone, beside, questions) = (took(false, &["a", "b"]), took(true, &["a", "b"]), took(true, &["a"]));
    assert!(beside >= TAKES * 5, "{beside:?}");
    // Nobody waits for a question, nor where nobody else is there; a busy machine may take longer.
    assert!(alone < beside && questions < beside, "{alone:?} {questions:?} {beside:?}");
}

#[test]
fn a_server_that_takes_no_more_is_asked_again() {
    let tries = AtomicUsize::new(0);
    let server = ollama::Ollama::embedding(move |request| match tries.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => ollama::error(503, BUSY),
        _ => embedded(request),
    });
    assert_eq!(embed(&open(&server), &["a", "b"]).unwrap().len(), 2);
    let busy = ollama::Ollama::embedding(|_| ollama::error(503, BUSY));
    let start = Instant::now();
    let soon = Deadline::after(Duration::from_millis(500));
    let error = open(&busy).embed(&["a".to_owned()], &soon).unwrap_err();
    assert!(matches!(error, EmbedError::Server(ModelError::Deadline { .. })), "{error:?}");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(busy.embeds().len() < 4, "{}", busy.embeds().len());
}

#[test]
fn nobody_listens_or_has_the_model() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = OllamaEmbedder::open(&free.to_string(), NAME, &Deadline::after(LONG)).unwrap_err();
    says(&error, &["no Ollama at http://127.0.0.1:", "`ollama serve`"]);
    let server = ollama::Ollama::saying("");
    let error = OllamaEmbedder::open(&server.host(), NAME, &Deadline::after(LONG)).unwrap_err();
    says(&error, &["no model embeddinggemma", "`ollama pull embeddinggemma`", "OLLAMA_EMBED_MODEL"]);
    let error = OllamaEmbedder::open("a b", NAME, &Deadline::after(LONG)).unwrap_err();
    says(&error, &["is no address"]);
}

#[test]
fn vectors_that_cannot_be_used_are_refused() {
    let one = || json!(vec![1.0; DIMENSION]);
    let error = error_of(move |request| vectors(request, json!([one()])));
    says(
        &error,
        &[
            "ollama embeddinggemma gives no vectors that can be used (it gave 1 for 2 texts)",
            "choose another",
        ],
    );
    says(
        &error_of(move |request| vectors(request, json!([one(), one(), one()]))),
        &["it gave 3 for 2 texts"],
    );
    let error = error_of(move |request| vectors(request, json!([one(), vec![0.0; DIMENSION]])));
    says(&error, &["the length of one is 0"]);
    let mut odd = vec![json!(1.0); DIMENSION];
    odd[5] = Value::Null;
    let error = error_of(move |request| vectors(request, json!([odd, odd])));
    says(&error, &["one holds what is no number"]);
    let error =
        error_of(move |request| vectors(request, json!([vec![1e39; DIMENSION], vec![1.0; DIMENSION]])));
    says(&error, &["no vectors that can be used"]);
}

#[test]
fn another_dimension_is_refused() {
    let error = error_of(|request| vectors(request, json!([vec![1.0; 256], vec![1.0; 256]])));
    let EmbedError::Dimension { found: 256, expected: DIMENSION, .. } = error else { panic!("{error:?}") };
    says(&error, &["vectors of 256 numbers instead of 768", "`ollama pull embeddinggemma`"]);
    // Another than the answer before.
    let count = AtomicUsize::new(0);
    let server = ollama::Ollama::embedding(move |request| match count.fetch_add(1, Ordering::Relaxed) {
        0 => vectors(request, json!([vec![1.0; DIMENSION]])),
        _ => vectors(request, json!([vec![1.0; DIMENSION - 1]])),
    });
    let embedder = open(&server);
    embed(&embedder, &["a"]).unwrap();
    assert!(matches!(embed(&embedder, &["a"]), Err(EmbedError::Dimension { .. })));
}

/// Of a model that nobody knows, one word tells the numbers of its vectors.
#[test]
fn an_unknown_models_first_vector_tells_its_dimension() {
    let server = Server::new(|request| match request.path.as_str() {
        "/api/show" => Reply::json(200, &json!({"details": {}})),
        "/api/tags" => Reply::json(
            200,
            &json!({"models": [{"name": "own:latest", "digest": "sha256:0123456789abcdef77"}]}),
        ),
        "/api/embed" => vectors(&request.json(), json!([[3.0, 4.0]])),
        _ => Reply::new(404, "text/plain"),
    });
    let embedder = OllamaEmbedder::open(&server.host(), "own", &Deadline::after(LONG)).unwrap();
    let about = embedder.model();
    assert_eq!((about.dimension, about.key.as_str(), about.window), (2, "ollama-own-0123456789abcdef", 512));
    assert_eq!(embed(&embedder, &["a"]).unwrap(), [[0.6, 0.8]]);
}

#[test]
fn what_is_no_answer_is_told() {
    for (reply, words) in [
        (Reply::new(200, "text/html").send("<html>Sign in"), "a web page"),
        (Reply::new(200, "application/json").send("{\"hello\": 1}"), "does not answer as expected"),
        (Reply::new(200, "application/json").send("{\"embeddings\": [[1"), "broke off"),
        (
            Reply::new(200, "application/json").send("{\"embeddings\": [[\"a\"]]}"),
            "does not answer as expected",
        ),
        (Reply::new(200, "application/json").send("{\"embeddings\": [[1,").cut(), "broke off"),
        (ollama::error(500, "model requires more system memory"), "model requires more system memory"),
        (ollama::error(400, "this model does not support embeddings"), "does not support embeddings"),
    ] {
        says(&error_of(move |_| reply.clone()), &[words, "Ollama at http://127.0.0.1:"]);
    }
    let endless = vec![b'1'; 1 << 20];
    let error = error_of(move |_| {
        let start = Reply::new(200, "application/json").send("{\"embeddings\": [[");
        (0..64).fold(start, |reply, _| reply.send(endless.clone()))
    });
    assert!(matches!(error, EmbedError::Server(ModelError::TooLong { .. })), "{error:?}");
}

#[test]
fn an_answer_after_the_deadline_and_a_cancellation() {
    let server = ollama::Ollama::embedding(|request| {
        Reply::new(200, "application/json").wait(LONG).then(embedded(request))
    });
    let embedder = open(&server);
    let start = Instant::now();
    let error = embedder.embed(&["a".to_owned()], &Deadline::after(Duration::from_millis(200))).unwrap_err();
    assert!(matches!(error, EmbedError::Server(ModelError::Deadline { .. })), "{error:?}");
    says(&error, &["had not begun to answer after 0."]);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(server.server().wait_until_left(1, LONG), "the connection was closed");
    let cancelled = Deadline::never();
    cancelled.cancel();
    assert_eq!(embedder.embed(&["a".to_owned()], &cancelled), Err(EmbedError::Cancelled));
}

/// Chats and vectors come from one server by the same way.
#[test]
fn a_chat_models_words_name_its_own_setting() {
    use dossier::llm::ChatModel;
    let server = ollama::Ollama::empty();
    let chat = Ollama::new(&server.host(), MODEL).unwrap();
    let said = chat.window(&Deadline::after(LONG)).unwrap_err().to_string();
    assert!(said.contains("set OLLAMA_MODEL to"), "{said}");
}
