//! The way through the places, each program run before it is believed, each refusal remembered with its reason.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::ask::{self, Answer};
use super::candidates::{self, is_program};
use super::version;
use super::{Found, NotFound, Origin, Places, Program, Tried};
use crate::model::{Deadline, Note};

/// One search through all the places, with what was tried so far.
pub(super) struct Search<'a> {
    program: &'a Program,
    places: &'a Places,
    root: &'a Path,
    deadline: &'a Deadline,
    /// What rustup would start outside of any workspace; asked once.
    by_rustup: OnceCell<Option<PathBuf>>,
    tried: Vec<Tried>,
}

impl<'a> Search<'a> {
    pub fn new(
        program: &'a Program,
        places: &'a Places,
        root: &'a Path,
        deadline: &'a Deadline,
    ) -> Search<'a> {
        Search { program, places, root, deadline, by_rustup: OnceCell::new(), tried: Vec::new() }
    }

    /// The first that works, of the configured command alone, or of all the places.
    pub fn run(mut self) -> Result<Found, NotFound> {
        let found = match &self.places.configured {
            Some(command) => self.configured(command),
            None => self
                .on_path()
                .or_else(|| self.in_rustup())
                .or_else(|| self.in_extensions())
                .or_else(|| self.in_mason()),
        };
        found.ok_or_else(|| self.not_found())
    }

    /// The user's word: a program inside the workspace is taken too, where its whole path is given.
    fn configured(&mut self, command: &[String]) -> Option<Found> {
        let (program, arguments) = command.split_first()?;
        let file = self.configured_file(program)?;
        let found = self.believe(file, Origin::Setting)?;
        let arguments = arguments.iter().map(OsString::from);
        Some(Found { command: found.command.into_iter().chain(arguments).collect(), ..found })
    }

    fn configured_file(&mut self, program: &str) -> Option<PathBuf> {
        let in_home = program.strip_prefix("~/").and_then(|rest| Some(self.places.home.as_ref()?.join(rest)));
        let file = in_home.unwrap_or_else(|| PathBuf::from(program));
        if file.is_absolute() {
            return Some(file);
        }
        if file.components().count() > 1 {
            self.pass_over(program, "give its whole path");
            return None;
        }
        let mut on_path = candidates::on_path(program, self.places.path.as_deref(), self.root);
        if on_path.is_empty() {
            self.pass_over(program, "not on PATH");
            return None;
        }
        Some(self.behind_proxy(on_path.swap_remove(0)))
    }

    fn on_path(&mut self) -> Option<Found> {
        let all = candidates::on_path(self.program.name, self.places.path.as_deref(), self.root);
        if all.is_empty() {
            self.pass_over("PATH", "not there");
        }
        all.into_iter().find_map(|file| match candidates::is_rustup_proxy(&file) {
            false => self.believe(file, Origin::Path),
            true => self.rustup_which().and_then(|real| self.believe(real, Origin::Rustup)),
        })
    }

    /// The real file that rustup's stand-in starts outside of any workspace, or the stand-in itself.
    fn behind_proxy(&self, file: PathBuf) -> PathBuf {
        match candidates::is_rustup_proxy(&file) {
            true => self.rustup_which().unwrap_or(file),
            false => file,
        }
    }

    /// The default toolchain's, where `PATH` did not lead to it already, then those of the others.
    fn in_rustup(&mut self) -> Option<Found> {
        if !self.program.is_rustup_component {
            return None;
        }
        let by_default = self.rustup_which();
        if by_default.is_none() {
            self.pass_over("rustup", "not there, or its default toolchain has no such component");
        }
        let others = candidates::in_toolchains(self.program.name, self.places.rustup_home.as_deref());
        let was_tried =
            |file: &PathBuf, tried: &[Tried]| tried.iter().any(|tried| Path::new(&tried.place) == file);
        let all: Vec<PathBuf> = by_default.into_iter().chain(others).collect();
        all.into_iter().find_map(|file| match was_tried(&file, &self.tried) {
            true => None,
            false => self.believe(file, Origin::Rustup),
        })
    }

    fn rustup_which(&self) -> Option<PathBuf> {
        self.by_rustup.get_or_init(|| self.ask_rustup()).clone()
    }

    /// A rustup that never installed anything is not asked: it would write its first settings into the home.
    fn ask_rustup(&self) -> Option<PathBuf> {
        let home = self.places.rustup_home.as_ref()?;
        if !home.join("toolchains").is_dir() {
            return None;
        }
        let rustup = candidates::rustup(self.places, self.root)?;
        let answer = ask::run(&rustup, &["which", self.program.name], self.deadline).ok()?;
        let file = PathBuf::from(answer.stdout.lines().next()?.trim());
        (answer.success && file.is_absolute() && is_program(&file)).then_some(file)
    }

    fn in_extensions(&mut self) -> Option<Found> {
        let prefix = self.program.extension?;
        let all = candidates::in_extensions(self.program.name, prefix, self.places.home.as_deref());
        if all.is_empty() {
            self.pass_over("VS Code's extensions", "not there");
        }
        all.into_iter().find_map(|file| self.believe(file, Origin::VsCode))
    }

    fn in_mason(&mut self) -> Option<Found> {
        let file = candidates::in_mason(self.program.name, self.places.data_home.as_deref());
        match file {
            Some(file) => self.believe(file, Origin::Mason),
            None => {
                self.pass_over("Mason", "not there");
                None
            }
        }
    }

    /// The program, where it runs, tells a version and is not too old.
    fn believe(&mut self, file: PathBuf, origin: Origin) -> Option<Found> {
        let told = match ask::run(&file, &["--version"], self.deadline) {
            Err(why) => Err(why),
            Ok(Answer { success: false, stderr, .. }) => Err(failed(&stderr)),
            Ok(answer) => version::read(&answer.stdout)
                .ok_or_else(|| "what it says with --version is no version".to_owned()),
        };
        let told = told.and_then(|told| self.not_too_old(told));
        match told {
            Ok((version, notes)) => Some(Found { command: vec![file.into()], version, origin, notes }),
            Err(why) => {
                self.pass_over(&file.display().to_string(), &why);
                None
            }
        }
    }

    fn not_too_old(&self, told: version::Told) -> Result<(String, Vec<Note>), String> {
        let name = self.program.name;
        let Some(age) = self.program.age else { return Ok((told.version, Vec::new())) };
        let Some(date) = &told.date else {
            let text = format!(
                "{name} {} does not tell its date: one from before {} would build the workspace, and run code of it",
                told.version, age.obeys_since
            );
            return Ok((told.version, vec![Note::warning(text)]));
        };
        if date.as_str() < age.obeys_since {
            return Err(format!(
                "version {} of {date} is too old: it would build the workspace, and run code of it",
                told.version
            ));
        }
        let old = (date.as_str() < age.complete_since).then(|| {
            Note::warning(format!(
                "{name} {} of {date} is old and knows less than is asked of it: update it (`rustup update`)",
                told.version
            ))
        });
        Ok((told.version, old.into_iter().collect()))
    }

    fn pass_over(&mut self, place: &str, why: &str) {
        self.tried.push(Tried { place: place.to_owned(), why: why.to_owned() });
    }

    fn not_found(self) -> NotFound {
        let remedy = match self.places.configured {
            Some(_) => "mend the setting lsp_command, or leave it out".to_owned(),
            None => self.program.remedy.to_owned(),
        };
        let program = match self.places.configured.as_deref() {
            Some([program, ..]) => program.clone(),
            _ => self.program.name.to_owned(),
        };
        NotFound { program, tried: self.tried, remedy }
    }
}

fn failed(stderr: &str) -> String {
    match stderr.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("it fails: {line}"),
        None => "it fails".to_owned(),
    }
}
