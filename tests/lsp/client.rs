//! The client against a server that misbehaves as told: clear states and notes, no hang, nothing left running.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dossier::lsp::{
    FileChange, Launch, Questions, RUST_ANALYZER, Server, ServerKind, ServerState, Target, Unanswered,
};
use dossier::model::Deadline;

use super::double::{self, SCRIPT, TEXT, lives, written};
use super::support::{LONG, Workspace, probe};

/// A double that hangs at `initialize` is waited for this long.
const INITIALIZE_LIMIT: Duration = Duration::from_secs(20);

/// Names what a parent does that the tests start to see its server end with it.
const PARENT: &str = "DOUBLE_PARENT";

/// The double itself: run by the tests with a script, else nothing.
#[test]
fn scripted_server() {
    double::serve();
}

struct Scene {
    server: Option<Server>,
    workspace: Workspace,
}

fn launch(script: &str, workspace: &Workspace) -> Launch {
    let kind = ServerKind { initialize_limit: INITIALIZE_LIMIT, ..RUST_ANALYZER };
    let mut launch = workspace.launch(kind, double::command(script, "client::scripted_server"));
    launch.environment = double::environment(script, &workspace.root());
    launch
}

impl Scene {
    /// A server with this script, starting.
    fn open(script: &str) -> Scene {
        let workspace = Workspace::new(&[("src/lib.rs", TEXT)]);
        let server = Some(Server::start(launch(script, &workspace)));
        Scene { server, workspace }
    }

    fn ready(script: &str) -> Scene {
        let scene = Scene::open(script);
        assert!(scene.wait(LONG), "{script}: {:?} {:?}", scene.server().status(), scene.server().notes());
        scene
    }

    fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    fn wait(&self, limit: Duration) -> bool {
        let probes = [probe("nothing", "src/lib.rs"), probe("total", "src/lib.rs")];
        self.server().wait_until_ready(&probes, &Deadline::after(limit), &mut |_| {})
    }

    fn questions(&self) -> Questions<'_> {
        self.server().on(&self.workspace.snapshot).expect("it is ready")
    }

    /// Where the call of `total` leads, in words.
    fn ask(&self, limit: Duration) -> Result<Vec<String>, Unanswered> {
        let at = self.workspace.at("src/lib.rs", "{ $0total()");
        let questions = self.server().on(&self.workspace.snapshot).ok_or(Unanswered::NotReady)?;
        let found = questions.definition(at, &Deadline::after(limit))?;
        let show = |target| match target {
            Target::Inside(place) => self.workspace.show(place),
            Target::Outside => "outside".to_owned(),
        };
        Ok(found.into_iter().map(show).collect())
    }

    fn notes(&self) -> String {
        self.server().notes().into_iter().map(|note| note.text).collect::<Vec<_>>().join("\n")
    }

    fn state(&self) -> ServerState {
        self.server().status().state
    }

    fn root(&self) -> PathBuf {
        self.workspace.root()
    }

    /// Drops the server: soon, and nothing is left of any of its lives.
    fn close(mut self) {
        let groups = groups(&lives(&self.root()));
        let start = Instant::now();
        self.server = None;
        assert!(start.elapsed() < Duration::from_millis(3500), "it took {:?} to end", start.elapsed());
        assert_none_left(&groups, Duration::ZERO);
    }
}

fn groups(pids: &[u32]) -> Vec<u32> {
    #[cfg(target_os = "linux")]
    return pids.iter().filter_map(|pid| double::group_of(*pid)).collect();
    #[cfg(not(target_os = "linux"))]
    return Vec::new();
}

/// Nobody of these groups runs, at the latest after `limit`.
fn assert_none_left(groups: &[u32], limit: Duration) {
    let left = || {
        #[cfg(target_os = "linux")]
        return groups.iter().flat_map(|group| double::processes_of(*group)).collect::<Vec<u32>>();
        #[cfg(not(target_os = "linux"))]
        return Vec::<u32>::new();
    };
    until(limit, || left().is_empty());
    let left = left();
    assert!(left.is_empty(), "{left:?} of the groups {groups:?}");
}

/// Waits until something holds, or `limit` has passed; whether it holds.
fn until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

const GOOD: &str = "src/lib.rs:1 total";

fn good() -> Result<Vec<String>, Unanswered> {
    Ok(vec![GOOD.to_owned()])
}

#[test]
fn a_good_server_is_ready_and_answers() {
    let scene = Scene::ready("is_good");
    let status = scene.server().status();
    assert_eq!((status.state, status.loaded_percent), (ServerState::Ready, Some(100)));
    assert_eq!(status.version.as_deref(), Some("1.95.0"));
    assert_eq!(scene.server().progress().as_deref(), Some("Indexing 45 %: serde"));
    assert_eq!(scene.ask(LONG), good());
    assert_eq!(scene.server().notes(), []);
    scene.close();
}

#[test]
fn an_orderly_end_is_asked_for_first() {
    let scene = Scene::ready("is_good");
    let folder = scene.root();
    let Scene { server, workspace } = scene;
    drop(server);
    assert_eq!(written(&folder, "shutdown"), ["asked"]);
    assert_eq!(written(&folder, "told").last().map(String::as_str), Some("exit"));
    drop(workspace);
}

#[test]
fn a_change_is_told_while_waiting() {
    let scene = Scene::open("is_good");
    let mut seen = Vec::new();
    let probes = [probe("total", "src/lib.rs")];
    let is_ready = scene.server().wait_until_ready(&probes, &Deadline::after(LONG), &mut |server| {
        seen.push(server.status().state);
    });
    assert!(is_ready);
    assert_eq!((seen.first(), seen.last()), (Some(&ServerState::Loading), Some(&ServerState::Ready)));
}

#[test]
fn a_program_that_is_not_there_fails_at_once() {
    let workspace = Workspace::new(&[("src/lib.rs", TEXT)]);
    let mut launch = launch("is_good", &workspace);
    launch.command = vec!["/no/such/program".into()];
    let scene = Scene { server: Some(Server::start(launch)), workspace };
    assert!(!scene.wait(LONG));
    assert_eq!(scene.state(), ServerState::Failed);
    assert!(
        scene.notes().starts_with("rust-analyzer does not work: /no/such/program: "),
        "{}",
        scene.notes()
    );
    assert!(scene.server().on(&scene.workspace.snapshot).is_none());
    scene.close();
}

/// A server that dies again and again is started four times, and its last words are told.
fn check_dies(script: &str, words: &str) {
    let scene = Scene::open(script);
    assert!(!scene.wait(LONG));
    assert_eq!(scene.state(), ServerState::Failed);
    assert_eq!(lives(&scene.root()).len(), 4);
    let notes = scene.notes();
    assert_eq!(notes.lines().count(), 1, "{notes}");
    assert!(notes.contains("ended 4 times") && notes.contains(words), "{notes}");
    scene.close();
}

#[test]
fn a_server_that_ends_at_once_is_given_up_after_four_starts() {
    check_dies("exits", "exit status: 3: cannot open shared object file");
}

#[test]
fn a_server_that_ends_at_initialize_is_given_up_after_four_starts() {
    check_dies("exits_at_initialize", "exit status: 7: no memory is left");
}

#[test]
fn a_server_that_breaks_off_in_a_message_is_given_up_after_four_starts() {
    check_dies("breaks_off_at_initialize", "exit status: 0");
}

#[test]
fn a_server_that_hangs_at_initialize_fails() {
    let workspace = Workspace::new(&[("src/lib.rs", TEXT)]);
    let mut launch = launch("hangs_at_initialize", &workspace);
    launch.kind.initialize_limit = Duration::from_millis(700);
    let scene = Scene { server: Some(Server::start(launch)), workspace };
    assert!(!scene.wait(LONG));
    assert_eq!(scene.notes(), "rust-analyzer does not work: no answer to initialize within 700ms");
    scene.close();
}

#[test]
fn a_server_that_refuses_to_initialize_fails() {
    let scene = Scene::open("refuses_initialize");
    assert!(!scene.wait(LONG));
    assert!(scene.notes().contains("no workspace here"), "{}", scene.notes());
    scene.close();
    let scene = Scene::open("counts_in_utf_32");
    assert!(!scene.wait(LONG));
    assert!(scene.notes().contains("it counts columns in utf-32"), "{}", scene.notes());
    scene.close();
}

#[test]
fn a_question_is_cancelled_when_its_time_is_over() {
    let scene = Scene::ready("hangs");
    let start = Instant::now();
    assert_eq!(scene.ask(Duration::from_millis(100)), Err(Unanswered::Deadline));
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(until(LONG, || written(&scene.root(), "cancelled").len() == 1));
    let deadline = Deadline::never();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            until(Duration::from_millis(100), || false);
            deadline.cancel();
        });
        let at = scene.workspace.at("src/lib.rs", "{ $0total()");
        assert_eq!(scene.questions().definition(at, &deadline), Err(Unanswered::Deadline));
    });
    assert!(until(LONG, || written(&scene.root(), "cancelled").len() == 2));
    assert_eq!(scene.state(), ServerState::Ready);
    scene.close();
}

#[test]
fn a_server_that_stops_reading_holds_nobody_up() {
    let scene = Scene::ready("stops_reading");
    for _ in 0..30 {
        assert_eq!(scene.ask(Duration::from_millis(5)), Err(Unanswered::Deadline));
    }
    let long = vec![(scene.root().join("x".repeat(4000)), FileChange::Changed); 50];
    (0..50).for_each(|_| scene.server().files_changed(&long));
    assert_eq!(scene.ask(Duration::from_millis(5)), Err(Unanswered::Deadline));
    scene.close();
}

/// The stream ends or turns to garbage: every question under way fails, the server is started again and answers.
fn check_stream_breaks(script: &str, why: &str) {
    let scene = Scene::ready(script);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| scene.ask(LONG))).collect();
        for thread in threads {
            let answer = thread.join().unwrap();
            assert!(matches!(answer, Err(Unanswered::Ended | Unanswered::NotReady)), "{answer:?}");
        }
    });
    assert!(until(LONG, || scene.notes().contains("was started again (1 of 3)")));
    assert!(scene.notes().contains(why), "{}", scene.notes());
    assert!(scene.wait(LONG));
    scene.close();
}

#[test]
fn every_question_fails_when_the_stream_breaks_off() {
    check_stream_breaks("breaks_off", "exit status: 0");
}

#[test]
fn every_question_fails_when_the_stream_turns_to_garbage() {
    check_stream_breaks("talks_garbage", "its output is broken: a message without its length");
    check_stream_breaks("talks_no_json", "its output is broken: malformed");
}

#[test]
fn a_message_of_200_mb_is_not_read() {
    check_stream_breaks("answers_with_200_mb", "its output is broken: a message of 200 MB");
}

#[test]
fn a_crash_is_survived() {
    for script in ["crashes_once", "stubborn_but_crashes"] {
        let scene = Scene::ready(script);
        let asked = scene.ask(LONG);
        assert!(matches!(asked, Err(Unanswered::Ended)), "{asked:?}");
        assert!(scene.wait(LONG), "{}", scene.notes());
        assert_eq!(scene.ask(LONG), good());
        assert!(scene.notes().contains("(1 of 3): exit status: 101"), "{}", scene.notes());
        assert_eq!(lives(&scene.root()).len(), 2);
        scene.close();
    }
}

#[test]
fn answers_that_nobody_asked_for_are_ignored() {
    for script in ["answers_with_wrong_ids", "answers_twice"] {
        let scene = Scene::ready(script);
        (0..3).for_each(|_| assert_eq!(scene.ask(LONG), good(), "{script}"));
        scene.close();
    }
}

#[test]
fn an_answer_after_the_deadline_is_not_taken_for_the_next() {
    let scene = Scene::ready("answers_late");
    assert_eq!(scene.ask(Duration::from_millis(100)), Err(Unanswered::Deadline));
    // One that is late is waited for briefly, until it has answered again.
    let end = Instant::now() + LONG;
    let answer = loop {
        match scene.ask(LONG) {
            Err(Unanswered::Deadline) if Instant::now() < end => {}
            other => break other,
        }
    };
    assert_eq!(answer, good());
    scene.close();
}

#[test]
fn answers_find_their_questions() {
    let scene = Scene::ready("answers_in_reverse");
    let mut answers = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| scene.ask(LONG).unwrap())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    answers.sort();
    assert_eq!(answers, [GOOD, "src/lib.rs:2 fn"]);
    scene.close();
}

#[test]
fn a_flood_of_notifications_is_drained() {
    let scene = Scene::ready("floods");
    assert_eq!(scene.ask(LONG), good());
    assert_eq!(scene.server().notes(), []);
    scene.close();
}

#[test]
fn the_servers_own_questions_are_answered() {
    let scene = Scene::ready("asks_back");
    assert_eq!(scene.ask(LONG), good());
    let refused = r#"{"applied":false,"failureReason":"this client edits nothing"}"#;
    let expected = ["array", "null", "null", "null", refused, "-32601", "-32601"];
    assert_eq!(written(&scene.root(), "answers"), expected);
    scene.close();
}

#[test]
fn places_that_are_none_are_outside() {
    let scene = Scene::ready("points_nowhere");
    assert_eq!(scene.ask(LONG), Ok(vec![GOOD.to_owned(), "outside".to_owned()]));
    scene.close();
}

#[test]
fn an_answer_of_another_shape_is_no_empty_answer() {
    let scene = Scene::ready("answers_in_another_shape");
    assert!(matches!(scene.ask(LONG), Err(Unanswered::Refused(_))));
    scene.close();
    let scene = Scene::ready("fails_a_question");
    assert_eq!(scene.ask(LONG), Err(Unanswered::Refused("request handler panicked".to_owned())));
    scene.close();
}

#[test]
fn what_the_server_cannot_is_unsupported() {
    let scene = Scene::ready("is_good");
    let at = scene.workspace.at("src/lib.rs", "fn $0total");
    let (questions, soon) = (scene.questions(), Deadline::after(LONG));
    assert_eq!(questions.references(at, &soon), Err(Unanswered::Unsupported));
    assert_eq!(questions.incoming_calls(at, &soon), Err(Unanswered::Unsupported));
    assert_eq!(questions.related_tests(at, &soon), Err(Unanswered::Unsupported));
    let nowhere = questions.definition((at.0, 9999), &soon);
    assert!(matches!(nowhere, Err(Unanswered::Refused(_))), "{nowhere:?}");
}

#[test]
fn a_question_is_asked_again_when_the_server_changed_its_mind() {
    let scene = Scene::ready("changes_its_mind");
    assert_eq!(scene.ask(LONG), good());
    scene.close();
    let scene = Scene::ready("never_makes_up_its_mind");
    assert_eq!(scene.ask(Duration::from_millis(300)), Err(Unanswered::Deadline));
    scene.close();
}

#[test]
fn a_server_that_does_not_find_what_is_there_is_not_asked() {
    for script in ["knows_nothing", "never_loads"] {
        let scene = Scene::open(script);
        assert!(!scene.wait(Duration::from_secs(1)), "{script}");
        assert_eq!(scene.state(), ServerState::Loading);
        assert!(scene.server().on(&scene.workspace.snapshot).is_none());
        scene.close();
    }
}

#[test]
fn what_the_server_says_of_its_health_is_told() {
    let scene = Scene::ready("is_unwell");
    assert_eq!(scene.notes(), "rust-analyzer: Failed to load workspaces.");
    scene.close();
}

/// The time that the busiest thread that keeps a server alive has computed, in hundredths of a second.
#[cfg(target_os = "linux")]
fn busiest_keeper() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let keepers = tasks.filter(|task| read(task.path().join("comm")).trim() == RUST_ANALYZER.name);
    let ticks = keepers.map(|task| {
        let stat = read(task.path().join("stat"));
        // proc(5): utime and stime are the fields 14 and 15, the second is the name in brackets.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
    });
    ticks.max().unwrap_or(0)
}

#[cfg(target_os = "linux")]
#[test]
fn waiting_computes_nothing() {
    let scene = Scene::open("never_loads");
    assert!(!scene.wait(Duration::from_secs(2)));
    let busiest = busiest_keeper();
    assert!(busiest < 30, "{busiest} hundredths of a second");
    scene.close();
}

#[test]
fn a_server_that_loads_again_is_proved_again() {
    let scene = Scene::ready("loads_again");
    // The answer came while everything was loaded anew.
    assert_eq!(scene.ask(LONG), Err(Unanswered::NotReady));
    assert_eq!(scene.state(), ServerState::Loading);
    assert!(scene.server().on(&scene.workspace.snapshot).is_none());
    assert!(until(LONG, || scene.state() == ServerState::Ready), "without another wait");
    assert_eq!(scene.ask(LONG), good());
    scene.close();
}

#[test]
fn an_end_at_any_moment_leaves_nothing() {
    for script in
        ["is_good", "exits", "hangs_at_initialize", "stubborn_at_initialize", "stubborn", "never_loads"]
    {
        for wait in [0, 1, 5, 20, 60, 200, 700] {
            let scene = Scene::open(script);
            scene.wait(Duration::from_millis(wait));
            scene.close();
        }
    }
}

#[test]
fn an_end_during_a_question_leaves_nothing() {
    let scene = Scene::ready("stubborn");
    assert_eq!(scene.ask(Duration::from_millis(50)), Err(Unanswered::Deadline));
    assert!(groups(&lives(&scene.root())).iter().all(|group| processes(*group) >= 3));
    scene.close();
}

fn processes(group: u32) -> usize {
    #[cfg(target_os = "linux")]
    return double::processes_of(group).len();
    #[cfg(not(target_os = "linux"))]
    return usize::MAX;
}

/// A process with a server, for the tests of its end: does nothing unless they ask.
#[test]
fn parent() {
    let Ok(end) = std::env::var(PARENT) else { return };
    let folder = std::env::current_dir().unwrap();
    let root = folder.canonicalize().unwrap();
    let server = Server::start(Launch {
        kind: RUST_ANALYZER,
        command: double::command("stubborn", "client::scripted_server"),
        version: None,
        environment: double::environment("stubborn", &root),
        root,
        cache: None,
    });
    let probes = [probe("total", "src/lib.rs")];
    let is_ready = server.wait_until_ready(&probes, &Deadline::after(LONG), &mut |_| {});
    std::fs::write(folder.join("up"), is_ready.to_string()).unwrap();
    match end.as_str() {
        "panics" => panic!("as told"),
        "aborts" => std::process::abort(),
        _ => {
            until(LONG, || false);
        }
    }
    drop(server);
}

fn start_parent(workspace: &Workspace, end: &str) -> Child {
    let mut parent = Command::new(std::env::current_exe().unwrap());
    parent.args(["--exact", "client::parent", "--nocapture"]).current_dir(workspace.root());
    parent.env(PARENT, end).env_remove(SCRIPT).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_server_does_not_outlive_its_parent() {
    use rustix::process::{Pid, Signal, kill_process};
    for (end, signal) in [
        ("waits", Some(Signal::KILL)),
        ("waits", Some(Signal::INT)),
        ("waits", Some(Signal::TERM)),
        ("waits", Some(Signal::HUP)),
        ("panics", None),
        ("aborts", None),
    ] {
        let workspace = Workspace::new(&[("src/lib.rs", TEXT)]);
        let mut parent = start_parent(&workspace, end);
        assert!(until(LONG, || written(&workspace.root(), "up") == ["true"]), "{end}");
        let groups = groups(&lives(&workspace.root()));
        if let Some(signal) = signal {
            assert!(groups.iter().all(|group| processes(*group) >= 3), "server, child, guard");
            kill_process(Pid::from_child(&parent), signal).unwrap();
        }
        parent.wait().unwrap();
        assert_none_left(&groups, Duration::from_secs(10));
    }
}
