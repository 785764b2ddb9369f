//! `--preview` on a terminal of its own.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::Sandbox;
use crate::support::ollama::Ollama;
use crate::{LONG, command, content, shop};

/// A run whose standard input and standard error are a terminal.
struct Terminal {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Terminal {
    fn start(shop: &Sandbox, server: &Ollama, arguments: &[&str]) -> Terminal {
        let main = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&main).unwrap();
        unlockpt(&main).unwrap();
        let name = ptsname(&main, Vec::new()).unwrap().into_string().unwrap();
        let side = File::options().read(true).write(true).open(name).unwrap();
        let mut command = command(shop, &server.host(), &[&["prompt", "--preview"], arguments].concat());
        command.stdin(side.try_clone().unwrap()).stdout(Stdio::piped()).stderr(side).env("TERM", "dumb");
        let child = command.spawn().unwrap();
        drop(command);
        let keys = File::from(main);
        let mut reader = keys.try_clone().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Terminal { child, keys, screen, seen: String::new() }
    }

    /// Waits until the screen shows `text` behind what was waited for before.
    #[track_caller]
    fn shows(&mut self, text: &str) {
        let start = Instant::now();
        while !self.seen.contains(text) {
            assert!(start.elapsed() < LONG, "{text:?} is not in: {}", self.seen);
            if let Ok(bytes) = self.screen.recv_timeout(Duration::from_millis(100)) {
                self.seen.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..end);
    }

    fn types(&mut self, line: &str) {
        self.keys.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The exit code, and standard output.
    fn ends(mut self) -> (Option<i32>, String) {
        let mut stdout = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        (self.child.wait().unwrap().code(), stdout)
    }
}

const QUESTION: &str = "[s]end, [b]udget, [d]rop, [a]dd, [q]uit?";

#[test]
fn the_dossier_is_shown_changed_and_sent() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    let mut terminal = Terminal::start(&shop, &server, &["What does `login` do?"]);
    terminal.shows("src/login.rs");
    terminal.shows(QUESTION);
    terminal.types("what?");
    terminal.shows("drop files");
    terminal.shows(QUESTION);
    terminal.types("a Basket::put /etc/passwd");
    terminal.shows("/etc/passwd is not added: it is outside the workspace");
    terminal.shows(QUESTION);
    terminal.types("d src/login.rs src/none.rs");
    terminal.shows("src/none.rs is not in the dossier");
    terminal.shows(QUESTION);
    terminal.types("b 1000000");
    terminal.shows(QUESTION);
    terminal.types("s");
    terminal.shows("does not fit into the model's window");
    terminal.shows(QUESTION);
    terminal.types("b 4000");
    terminal.shows(QUESTION);
    terminal.types("s");
    assert_eq!(terminal.ends(), (Some(0), "Yes.\n".to_owned()));
    let chats = server.chats();
    let message = content(&chats[0], 1);
    assert_eq!(chats.len(), 1);
    assert!(message.contains("pub fn put") && message.contains("added by hand"), "{message}");
    assert!(!message.contains("## src/login.rs"), "{message}");
}

#[test]
fn quitting_sends_nothing() {
    let (shop, server) = (shop(), Ollama::saying("Yes."));
    for keys in ["q\n", "\u{4}"] {
        let mut terminal = Terminal::start(&shop, &server, &["login"]);
        terminal.shows(QUESTION);
        terminal.keys.write_all(keys.as_bytes()).unwrap();
        assert_eq!(terminal.ends(), (Some(0), String::new()));
    }
    assert!(server.chats().is_empty() && !shop.path("data").exists());
}
