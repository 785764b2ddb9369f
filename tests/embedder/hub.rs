//! Models that are fetched, from a hub on loopback that plays the real one and its faults.

use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};

use ring::digest::{SHA256, digest};

use crate::support::encoder::Tiny;
use crate::support::http::{Reply, Request, Server};
use crate::{Run, Sandbox, run, run_with, sandbox};

const REPOSITORY: &str = "someone/e5-tiny";
const COMMIT: &str = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf";
const WEIGHTS: &str = "model.safetensors";

/// The files of a tiny model, by their paths.
struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::TempDir::new().unwrap();
        Tiny::new().write(folder.path());
        Files { folder }
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.path().join(path)).ok()
    }

    fn weights(&self) -> Vec<u8> {
        self.read(WEIGHTS).unwrap()
    }

    /// What the hub says to a request: large files lie elsewhere on it.
    fn reply(&self, request: &Request) -> Reply {
        let weights = self.weights();
        if request.path == "/cdn/weights" {
            return part(request, &weights);
        }
        let Some((revision, path)) = asked(request) else { return missing() };
        match self.read(path) {
            _ if ![COMMIT, "main"].contains(&revision) => missing(),
            None => missing(),
            Some(_) if path == WEIGHTS => {
                told(Reply::new(302, "text/plain"), &weights).header("location", "/cdn/weights")
            }
            Some(bytes) => Reply::new(200, "text/plain").header("x-repo-commit", COMMIT).send(bytes),
        }
    }
}

/// The revision and the path that a request is about.
fn asked(request: &Request) -> Option<(&str, &str)> {
    request.path.strip_prefix(&format!("/{REPOSITORY}/resolve/"))?.split_once('/')
}

fn missing() -> Reply {
    Reply::new(404, "text/plain").header("x-error-code", "EntryNotFound").send("Entry not found")
}

/// The hub's word about a large file.
fn told(reply: Reply, bytes: &[u8]) -> Reply {
    let sha256: String = digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let reply = reply.header("x-linked-etag", &format!("\"{sha256}\"")).header("x-repo-commit", COMMIT);
    reply.header("x-linked-size", &bytes.len().to_string())
}

/// The bytes that the request wants, from a place on or all.
fn part(request: &Request, bytes: &[u8]) -> Reply {
    let range = request.header("range").and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-'));
    let Some(start) = range.map(|start| start.parse::<usize>().unwrap()) else {
        return Reply::new(200, "application/octet-stream").send(bytes);
    };
    if start >= bytes.len() {
        return Reply::new(416, "text/plain");
    }
    let content = format!("bytes {start}-{}/{}", bytes.len() - 1, bytes.len());
    Reply::new(206, "application/octet-stream").header("content-range", &content).send(&bytes[start..])
}

fn hub(reply: impl Fn(&Files, &Request) -> Reply + Send + Sync + 'static) -> Server {
    let files = Files::new();
    Server::new(move |request| reply(&files, request))
}

#[track_caller]
fn pull(sandbox: &Sandbox, server: &Server) -> Run {
    run_with(sandbox, &["embedder", "pull", REPOSITORY], &[("DOSSIER_HUB", &server.url())])
}

/// Of a hub that answers so, what the pull fails of; nothing is installed, and a whole hub heals it.
#[track_caller]
fn fails(reply: impl Fn(&Files, &Request) -> Reply + Send + Sync + 'static, said: &[&str]) {
    let sandbox = sandbox();
    let failed = pull(&sandbox, &hub(reply));
    failed.ends(2, said);
    let list = run(&sandbox, &["embedder", "list"]);
    assert!(!list.stdout.contains("e5-tiny"), "{}", list.stdout);
    pull(&sandbox, &hub(Files::reply)).ends(0, &["installed"]);
    run(&sandbox, &["embedder", "status"]).shows(&["embedder    e5-tiny, by"]);
}

#[test]
fn a_model_comes_whole_from_one_commit_and_the_first_is_chosen() {
    let sandbox = sandbox();
    let server = hub(Files::reply);
    pull(&sandbox, &server).ends(
        0,
        &["installed in SANDBOX/data/dossier/models/e5-tiny", "e5-tiny turns texts into vectors from now on"],
    );
    let requests = server.requests();
    assert_eq!(asked(&requests[0]), Some(("main", "modules.json")));
    let others = || requests[1..].iter().filter_map(asked);
    assert!(others().all(|(revision, _)| revision == COMMIT), "{requests:?}");
    assert!(others().any(|(_, path)| path == "1_Pooling/config.json"));
    assert!(requests.iter().all(|request| request.header("authorization").is_none()));
    run(&sandbox, &["embedder", "status"])
        .shows(&["embedder    e5-tiny, by `dossier embedder use`", "\"query: \""]);
    // The next one is not, and nothing else is left in the folder.
    let again = ["embedder", "pull", REPOSITORY, "--name", "again"];
    run_with(&sandbox, &again, &[("HF_ENDPOINT", &server.url())])
        .ends(0, &["`dossier embedder use again` chooses it"]);
    let mut left: Vec<_> = std::fs::read_dir(sandbox.path("data/dossier/models"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, [".chosen", "again", "e5-tiny"]);
}

#[test]
fn what_was_cut_off_goes_on_where_it_ended() {
    let sandbox = sandbox();
    let server = hub(|files, request| match request.path.as_str() {
        "/cdn/weights" => Reply::new(200, "text/plain").send(&files.weights()[..1000]).cut(),
        _ => files.reply(request),
    });
    pull(&sandbox, &server).ends(
        2,
        &["model.safetensors of someone/e5-tiny", "the connection was lost", "it goes on where it ended"],
    );
    let whole = hub(Files::reply);
    pull(&sandbox, &whole).ends(0, &["installed"]);
    let requests = whole.requests();
    let weights = requests.iter().find(|request| request.path == "/cdn/weights").unwrap();
    assert_eq!(weights.header("range"), Some("bytes=1000-"));
    run(&sandbox, &["embedder", "status"]).shows(&["embedder    e5-tiny"]);
}

#[test]
fn a_hub_that_cannot_go_on_begins_anew() {
    for way in [200, 206, 416] {
        let sandbox = sandbox();
        let part = sandbox.path("data/dossier/models/.pull-e5-tiny/model.safetensors.part");
        std::fs::create_dir_all(part.parent().unwrap()).unwrap();
        std::fs::write(&part, vec![7; 100]).unwrap();
        let server = hub(move |files, request| match (request.path.as_str(), request.header("range"), way) {
            ("/cdn/weights", Some(_), 416) => Reply::new(416, "text/plain"),
            // Of another place than was asked for.
            ("/cdn/weights", Some(_), 206) => {
                Reply::new(206, "text/plain").header("content-range", "bytes 7-9/10").send("abc")
            }
            ("/cdn/weights", ..) => Reply::new(200, "text/plain").send(files.weights()),
            _ => files.reply(request),
        });
        pull(&sandbox, &server).ends(0, &["installed"]);
    }
}

#[test]
fn another_checksum_than_the_hub_tells() {
    fails(
        |files, request| match request.path.as_str() {
            "/cdn/weights" => {
                let mut weights = files.weights();
                *weights.last_mut().unwrap() ^= 1;
                Reply::new(200, "text/plain").send(weights)
            }
            _ => files.reply(request),
        },
        &["its SHA-256 is ", " instead of ", "try again: it is fetched from its beginning"],
    );
}

/// The weights of this one are known without the hub, which tells nothing here.
#[test]
fn another_checksum_than_is_known() {
    let sandbox = sandbox();
    let files = Files::new();
    let server = Server::new(move |request| {
        let path = request.path.rsplit_once("/resolve/main/").map_or("", |(_, path)| path);
        files.read(path).map_or_else(missing, |bytes| Reply::new(200, "text/plain").send(bytes))
    });
    let pull = ["embedder", "pull", "all-minilm-l6-v2"];
    let run = run_with(&sandbox, &pull, &[("DOSSIER_HUB", &server.url())]);
    run.ends(2, &["model.safetensors of sentence-transformers/all-MiniLM-L6-v2", "instead of 53aa51172d14"]);
}

#[test]
fn files_that_are_not_there_or_not_given() {
    for (status, said) in [(404, "there is no such file"), (401, "401"), (403, "403"), (500, "500")] {
        for file in ["modules.json", WEIGHTS] {
            fails(
                move |files, request| match asked(request) {
                    Some((_, path)) if path == file => {
                        Reply::new(status, "text/plain").send(status.to_string())
                    }
                    _ => files.reply(request),
                },
                &["does not give", file, said],
            );
        }
    }
}

#[test]
fn redirections_that_are_not_followed() {
    for (to, said) in [
        ("http://example.org/weights", "it redirects to http://example.org/weights, which is not encrypted"),
        ("http://me:secret@127.0.0.1:1/weights", "it redirects to http://***@127.0.0.1:1/weights"),
        ("ftp://example.org/", "which is not encrypted"),
        ("http://[", "it redirects to http://["),
    ] {
        fails(
            move |files, request| match asked(request) {
                Some((_, WEIGHTS)) => Reply::new(302, "text/plain").header("location", to),
                _ => files.reply(request),
            },
            &["model.safetensors", said],
        );
    }
    fails(
        |_, request| Reply::new(307, "text/plain").header("location", &request.path),
        &["redirects more than 5 times"],
    );
    fails(|_, _| Reply::new(302, "text/plain"), &["it redirects to nowhere"]);
}

#[test]
fn what_is_too_long_too_short_or_no_model() {
    // Nobody tells how long it is, and it does not end.
    let megabyte = vec![b' '; 1 << 20];
    let endless = move |path: &'static str| {
        let megabyte = megabyte.clone();
        move |files: &Files, request: &Request| match asked(request) {
            Some((_, asked)) if asked == path => {
                (0..80).fold(Reply::new(200, "text/plain"), |reply, _| reply.send(megabyte.clone()))
            }
            _ => files.reply(request),
        }
    };
    fails(endless("config.json"), &["config.json", "at most 1048576 are expected"]);
    fails(endless(WEIGHTS), &["model.safetensors", "at most 67108864 are expected"]);
    fails(
        |files, request| match request.path.as_str() {
            "/cdn/weights" => Reply::new(200, "text/plain").send(&files.weights()[..500]),
            _ => files.reply(request),
        },
        &["500 of ", " bytes came"],
    );
    fails(
        |files, request| match request.path.as_str() {
            "/cdn/weights" => Reply::new(200, "text/plain").send([files.weights(), vec![0; 5]].concat()),
            _ => files.reply(request),
        },
        &["model.safetensors", "are expected"],
    );
    fails(
        |files, request| match asked(request) {
            Some((_, "modules.json")) => Reply::new(200, "text/html").send("<html>Sign in"),
            _ => files.reply(request),
        },
        &["modules.json", "it is not as expected"],
    );
    fails(
        |files, request| match asked(request) {
            Some((_, "tokenizer.json")) => Reply::new(200, "text/html").send("{}"),
            _ => files.reply(request),
        },
        &["tokenizer.json", "no tokenizer that is understood"],
    );
}

#[test]
fn nobody_is_there_or_the_address_is_none() {
    let sandbox = sandbox();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (address, said) in [
        (format!("http://{free}"), "cannot be reached"),
        ("http://192.0.2.1".to_owned(), "it must begin with https://"),
        ("nonsense".to_owned(), "is no address"),
        ("ftp://example.org".to_owned(), "it is neither http nor https"),
        ("http://me:secret@192.0.2.1".to_owned(), "`http://***@192.0.2.1`"),
    ] {
        run_with(&sandbox, &["embedder", "pull", REPOSITORY], &[("DOSSIER_HUB", &address)]).ends(2, &[said]);
    }
    run(&sandbox, &["embedder", "pull", "no-such-model"])
        .ends(2, &["no-such-model is not known: one of all-MiniLM-L6-v2, ", "ORGANISATION/NAME"]);
    run(&sandbox, &["embedder", "pull", "a/../b"]).ends(2, &["is not known"]);
}

#[test]
fn one_model_is_fetched_once_at_a_time() {
    let sandbox = sandbox();
    let folder = sandbox.path("data/dossier/models/.pull-e5-tiny");
    std::fs::create_dir_all(&folder).unwrap();
    let lock = std::fs::File::open(&folder).unwrap();
    lock.lock().unwrap();
    let asked = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&asked);
    let server = hub(move |files, request| {
        counted.fetch_add(1, Ordering::Relaxed);
        files.reply(request)
    });
    pull(&sandbox, &server).ends(2, &["another dossier is fetching this model", "wait for it"]);
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    drop(lock);
    pull(&sandbox, &server).ends(0, &["installed"]);
}
