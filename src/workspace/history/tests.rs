//! Histories of real repositories, made by git in temporary folders.

use std::fs;
use std::time::Duration;

use super::super::fixture::{Folder, git};
use super::*;

fn repository(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(files);
    folder.git(&["init", "--quiet", "--initial-branch", "main"]);
    folder
}

/// Makes commits from a stream of `git fast-import`, without a work tree.
fn import(folder: &Folder, stream: &[u8]) {
    folder.write("stream", stream);
    folder.git(&["-c", "alias.import=!git fast-import --quiet < stream", "import"]);
}

fn read(folder: &Folder) -> History {
    read_below(folder, "")
}

/// Read anew; and it is the same where its commits are known, or half of them.
fn read_below(folder: &Folder, below: &str) -> History {
    let (root, options, never) = (folder.join(below), HistoryOptions::default(), Deadline::never());
    let (history, commits) = History::read_knowing(&root, &options, Vec::new(), &never);
    let (known, nothing) = History::read_knowing(&root, &options, vec![commits.clone()], &never);
    assert_eq!(known, history);
    assert!(nothing.len() <= history.commits.len() - commits.len().min(history.commits.len()));
    let newest = HistoryOptions { max_commits: history.commits.len() / 2, ..options };
    let (_, half) = History::read_knowing(&root, &newest, Vec::new(), &never);
    let (known, rest) = History::read_knowing(&root, &options, vec![half.clone()], &never);
    assert_eq!(known, history);
    let joined = Commits::joined(vec![half, rest]);
    assert_eq!(History::read_knowing(&root, &options, vec![joined], &never).0, history);
    history
}

/// `message: paths`, newest first.
fn shown(history: &History) -> Vec<String> {
    let show = |commit: &Commit| {
        let mut paths: Vec<&str> = history.paths_of(commit).collect();
        paths.sort();
        match commit.listing {
            Listing::Listed => format!("{}: {}", commit.message, paths.join(" ")),
            listing => format!("{}: {listing:?}", commit.message),
        }
    };
    history.commits.iter().map(show).collect()
}

#[test]
fn commits_come_newest_first_with_what_they_changed() {
    let folder = repository(&[("a.rs", "1"), ("sub/b.rs", "1"), ("sub/deep/c.rs", "1")]);
    folder.commit("first\n\nbody");
    folder.write("sub/deep/c.rs", "2");
    folder.write("sub/d.rs", "new");
    folder.commit("second");
    fs::remove_file(folder.join("a.rs")).unwrap();
    folder.commit("third");
    folder.commit("empty");
    let history = read(&folder);
    assert_eq!(
        shown(&history),
        [
            "empty: ",
            "third: a.rs",
            "second: sub/d.rs sub/deep/c.rs",
            "first\n\nbody: a.rs sub/b.rs sub/deep/c.rs"
        ]
    );
    assert_eq!((history.state, &history.notes[..]), (HistoryState::Complete, &[][..]));
    assert_eq!(history.commits[0].id, folder.git(&["rev-parse", "HEAD"]));
    assert_eq!(history.commits[0].time, 1_704_164_645);
    assert_eq!(history.commits.iter().map(|commit| commit.parents).collect::<Vec<_>>(), [1, 1, 1, 0]);
}

#[test]
fn merges_are_kept_without_paths() {
    let folder = repository(&[("a.rs", "1")]);
    folder.commit("base");
    folder.git(&["checkout", "--quiet", "-b", "side"]);
    folder.write("side.rs", "1");
    folder.commit("side");
    folder.git(&["checkout", "--quiet", "main"]);
    folder.write("main.rs", "1");
    folder.commit("main");
    folder.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    let mut lines = shown(&read(&folder));
    assert_eq!(lines.remove(0), "merge: Merge");
    lines.sort();
    assert_eq!(lines, ["base: a.rs", "main: main.rs", "side: side.rs"]);
}

#[test]
fn links_submodules_and_folders_are_no_files() {
    let folder = repository(&[("a.rs", "1")]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("a.rs", folder.join("link.rs")).unwrap();
    folder.git(&["init", "--quiet", "module"]);
    git(&folder.join("module"), &["commit", "--quiet", "--allow-empty", "--message", "m"]);
    folder.commit("first");
    fs::remove_file(folder.join("a.rs")).unwrap();
    folder.write("a.rs/b.rs", "2");
    folder.commit("file becomes folder");
    assert_eq!(shown(&read(&folder)), ["file becomes folder: a.rs a.rs/b.rs", "first: a.rs"]);
}

#[test]
fn a_workspace_below_the_git_root_sees_its_own_files() {
    let folder = repository(&[("top.rs", "1"), ("x/ws/a.rs", "1"), ("x/other.rs", "1")]);
    folder.commit("first");
    folder.write("top.rs", "2");
    folder.commit("elsewhere");
    folder.write("x/ws/src/b.rs", "1");
    folder.write("x/other.rs", "2");
    folder.commit("inside");
    fs::remove_dir_all(folder.join("x/ws")).unwrap();
    folder.commit("gone");
    fs::create_dir_all(folder.join("x/ws")).unwrap();
    let history = read_below(&folder, "x/ws");
    assert_eq!(shown(&history), ["gone: a.rs src/b.rs", "inside: src/b.rs", "elsewhere: ", "first: a.rs"]);
}

#[test]
fn renamed_files_stand_under_todays_name() {
    let folder = repository(&[("src/old.rs", "long content\n"), ("src/parser.rs", "p\n"), ("mod.rs", "m\n")]);
    folder.commit("first");
    folder.git(&["mv", "src/old.rs", "src/new.rs"]);
    folder.commit("same content");
    fs::create_dir_all(folder.join("lib/src")).unwrap();
    folder.git(&["mv", "src/parser.rs", "lib/src/parser.rs"]);
    folder.write("lib/src/parser.rs", "quite another text");
    folder.git(&["mv", "mod.rs", "lib/mod.rs"]);
    folder.write("lib/mod.rs", "another module altogether");
    folder.commit("same name");
    folder.git(&["mv", "src/new.rs", "src/newest.rs"]);
    folder.commit("again");
    assert_eq!(
        shown(&read(&folder)),
        [
            "again: src/newest.rs",
            "same name: lib/mod.rs lib/src/parser.rs",
            "same content: src/newest.rs",
            "first: lib/mod.rs lib/src/parser.rs src/newest.rs",
        ]
    );
}

#[test]
fn commits_that_touch_too_much_are_kept_without_paths() {
    let folder = repository(&[]);
    let commit =
        |message: &str| format!("commit refs/heads/main\ncommitter c <c@e> 1 +0000\ndata 6\n{message}\n");
    let mut stream = "blob\nmark :1\ndata 1\nx\n".to_owned() + &commit("import");
    for index in 0..10_000 {
        stream += &format!("M 644 :1 d{}/{index}.rs\n", index % 50);
    }
    stream += &(commit("small!") + "M 644 :1 a.rs\n");
    import(&folder, stream.as_bytes());
    let history = read(&folder);
    assert_eq!(shown(&history), ["small!: a.rs", "import: TooMany"]);
    assert_eq!(history.paths, ["a.rs"]);
    let all = HistoryOptions { max_paths_per_commit: 10_000, ..HistoryOptions::default() };
    let all = History::read(&folder.path(), &all, &Deadline::never());
    assert_eq!((all.commits[1].listing, all.commits[1].paths.len()), (Listing::Listed, 10_000));
}

#[test]
fn the_newest_commits_are_read_up_to_the_bound() {
    let folder = repository(&[("a.rs", "0")]);
    for index in 0..5 {
        folder.write("a.rs", index.to_string());
        folder.commit(&format!("c{index}"));
    }
    let bounded = |max_commits| {
        let options = HistoryOptions { max_commits, ..HistoryOptions::default() };
        let history = History::read(&folder.path(), &options, &Deadline::never());
        (history.state, shown(&history))
    };
    assert_eq!(bounded(2), (HistoryState::Limited, vec!["c4: a.rs".to_owned(), "c3: a.rs".to_owned()]));
    assert_eq!(bounded(0), (HistoryState::Limited, vec![]));
    assert_eq!(bounded(5).0, HistoryState::Complete);
}

#[test]
fn a_deadline_that_is_over_ends_it() {
    let folder = repository(&[("a.rs", "")]);
    folder.commit("first");
    let history = History::read(&folder.path(), &HistoryOptions::default(), &Deadline::after(Duration::ZERO));
    assert_eq!((history.state, history.commits.len(), history.notes.len()), (HistoryState::Partial, 0, 1));
}

#[test]
fn a_shallow_clone_gives_what_was_cloned() {
    let origin = repository(&[("a.rs", "1")]);
    origin.commit("first");
    origin.write("a.rs", "2");
    origin.commit("second");
    origin.write("a.rs", "3");
    origin.commit("third");
    let folder = Folder::new(&[]);
    let url = format!("file://{}", origin.path().display());
    folder.git(&["clone", "--quiet", "--depth", "2", &url, "."]);
    let history = read(&folder);
    assert_eq!(shown(&history), ["third: a.rs", "second: Unknown"]);
    assert_eq!((history.state, history.notes.len()), (HistoryState::Shallow, 1));
}

#[test]
fn without_commits_or_git_there_is_none() {
    let state = |folder: &Folder| {
        let history = read(folder);
        assert_eq!((history.commits.len(), history.notes.len()), (0, 1));
        history.state
    };
    assert_eq!(state(&Folder::new(&[("a.rs", "")])), HistoryState::Absent);
    assert_eq!(state(&repository(&[("a.rs", "")])), HistoryState::Unborn);
    for broken in [&[(".git/HEAD", "nonsense")][..], &[(".git", "gitdir: nowhere")], &[(".git", "")]] {
        assert_eq!(state(&Folder::new(broken)), HistoryState::Unreadable, "{broken:?}");
    }
}

#[test]
fn bare_detached_linked_and_borrowing_repositories_are_read() {
    let origin = repository(&[("a.rs", "1")]);
    origin.commit("first");
    let expected = ["first: a.rs"];
    let bare = Folder::new(&[]);
    bare.git(&["clone", "--quiet", "--bare", &origin.path().display().to_string(), "."]);
    assert_eq!(shown(&read(&bare)), expected);
    origin.git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(shown(&read(&origin)), expected);
    let linked = Folder::new(&[]);
    origin.git(&["worktree", "add", "--quiet", &linked.join("tree").display().to_string()]);
    assert_eq!(shown(&read_below(&linked, "tree")), expected);
    let borrowing = Folder::new(&[]);
    borrowing.git(&["clone", "--quiet", "--shared", &origin.path().display().to_string(), "."]);
    assert_eq!(shown(&read(&borrowing)), expected);
}

#[test]
fn missing_and_damaged_objects_leave_the_rest() {
    let folder = repository(&[("a.rs", "1")]);
    for index in 0..3 {
        folder.write("a.rs", index.to_string());
        folder.commit(&format!("c{index}"));
    }
    let object = |revision: &str| {
        let id = folder.git(&["rev-parse", revision]);
        folder.join(&format!(".git/objects/{}/{}", &id[..2], &id[2..]))
    };
    let (tree, commit) = (object("HEAD~1^{tree}"), object("HEAD~2"));
    fs::remove_file(&tree).unwrap();
    assert_eq!(shown(&read(&folder)), ["c2: Unknown", "c1: Unknown", "c0: a.rs"]);
    fs::remove_file(&commit).unwrap();
    fs::write(&commit, "garbage").unwrap();
    let history = read(&folder);
    assert_eq!(shown(&history), ["c2: Unknown", "c1: Unknown"]);
    assert_eq!((history.state, history.notes.len()), (HistoryState::Partial, 1));
    fs::remove_file(object("HEAD")).unwrap();
    let history = read(&folder);
    assert_eq!((history.state, history.commits.len()), (HistoryState::Unreadable, 0));
}

#[test]
#[cfg(unix)]
fn the_repositorys_settings_run_nothing() {
    let folder = repository(&[("a.rs", "1"), (".gitattributes", "*.rs filter=f diff=d\n")]);
    folder.commit("first");
    let program = format!("touch {}", folder.join("ran").display());
    let settings = [
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.hooksPath",
        "core.alternateRefsCommand",
        "filter.f.clean",
        "filter.f.smudge",
        "filter.f.process",
        "diff.d.command",
        "diff.d.textconv",
        "diff.external",
        "credential.helper",
        "remote.origin.uploadpack",
    ];
    let mut config = fs::read_to_string(folder.join(".git/config")).unwrap();
    for setting in settings {
        let (section, key) = setting.rsplit_once('.').unwrap();
        let section = match section.split_once('.') {
            Some((section, name)) => format!("[{section} \"{name}\"]"),
            None => format!("[{section}]"),
        };
        config += &format!("{section}\n\t{key} = \"{program}\"\n");
    }
    config += "[include]\n\tpath = /dev/stdin\n[remote \"origin\"]\n\tpromisor = true\n\turl = \"ext::sh -c touch\"\n";
    folder.write(".git/config", config);
    assert_eq!(shown(&read(&folder)), ["first: .gitattributes a.rs"]);
    assert!(!folder.join("ran").exists());
}

#[test]
fn what_is_read_does_not_depend_on_the_order_of_the_tasks() {
    let folder = repository(&[]);
    let mut stream = String::new();
    for index in 0..(3 * CHUNK) {
        stream += &format!("commit refs/heads/main\ncommitter c <c@e> {} +0000\ndata 1\nm\n", 1_000 + index);
        stream += &format!("M 644 inline f{}.rs\ndata 4\n{index:04}\n", index % 97);
    }
    import(&folder, stream.as_bytes());
    let first = read(&folder);
    assert_eq!((first.commits.len(), first.paths.len()), (3 * CHUNK, 97));
    for _ in 0..4 {
        assert_eq!(read(&folder), first);
    }
}

#[test]
fn messages_are_cut_and_made_utf8() {
    let folder = repository(&[]);
    let mut stream = b"commit refs/heads/main\ncommitter c <c@e> 1 +0000\ndata 20000\n".to_vec();
    stream.extend(b"caf\xe9 ");
    stream.extend(vec![b'x'; 20_000 - 5]);
    stream.push(b'\n');
    import(&folder, &stream);
    let history = read(&folder);
    let message = &history.commits[0].message;
    assert!(message.starts_with("caf\u{fffd} x") && message.len() < 9_000);
}
