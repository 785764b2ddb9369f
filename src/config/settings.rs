//! The second step: what the typed values mean, one for each setting, by the order of their origins.

use super::choice::{Format, Planner, Tests};
use super::embedder::EmbedderChoice;
use super::models::{self, ModelSettings};
use super::name::Name;
use super::typed::{ConfigFile, Origin, Owner, Typed, Value, from_environment, from_file, from_text};
use crate::model::Note;

/// Tokens of a pack where nobody says otherwise.
pub const DEFAULT_BUDGET: u32 = 8_192;
/// A pack above this fits no model's window: it is a slip of the finger.
const LARGEST_BUDGET: u32 = 10_000_000;
/// Steps of the graph beyond which everything is reached from everywhere.
const LARGEST_DEPTH: u32 = 10;
const LARGEST_FILES: u32 = 10_000;
/// Seconds; the largest workspaces take minutes.
const LONGEST_WAIT: u32 = 3_600;
/// Minutes: a day.
const LONGEST_IDLE: u32 = 1_440;
/// MB: a daemon with one workspace of average size, without its language server, takes 100 to 250.
const LEAST_MEMORY: u32 = 100;
const LARGEST_MEMORY: u32 = 1_000_000;
/// Minutes without a request, and MB with the language servers, where nobody says otherwise.
pub const DEFAULT_IDLE: u32 = 30;
pub const DEFAULT_MEMORY: u32 = 4_096;
/// Seconds; a small model that was not loaded before takes tens of them on a slow machine.
const LONGEST_PLANNING: u32 = 600;

/// A value with where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

/// All that can be set, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Patterns of `.gitignore`; where there are any, only files that match one are candidates.
    pub include: Setting<Vec<String>>,
    /// Patterns of `.gitignore`; files that match one are no candidates.
    pub exclude: Setting<Vec<String>>,
    pub tests: Setting<Tests>,
    /// Steps of the graph; `None` leaves it to the plan.
    pub depth: Setting<Option<u32>>,
    /// Tokens.
    pub budget: Setting<u32>,
    /// `None`: as many as the budget holds.
    pub max_files: Setting<Option<u32>>,
    /// Whether a pack uses the whole budget.
    pub fill: Setting<bool>,
    pub format: Setting<Format>,
    pub line_numbers: Setting<bool>,
    /// Whether secrets are masked.
    pub mask: Setting<bool>,
    /// Whether what is known of a workspace is kept on disk, and used from there.
    pub index: Setting<bool>,
    /// Whether a language server may be asked.
    pub lsp: Setting<bool>,
    /// The language server's program and its arguments; never empty. `None`: looked for in the usual places.
    pub lsp_command: Setting<Option<Vec<String>>>,
    /// Seconds to wait for the language server; without a daemon 0 starts none.
    pub wait_lsp: Setting<u32>,
    /// Whether a daemon is asked, and started where none runs.
    pub daemon: Setting<bool>,
    /// Minutes without a request after which it ends.
    pub daemon_idle: Setting<u32>,
    /// MB that it may take with its language servers.
    pub daemon_memory: Setting<u32>,
    pub planner: Setting<Planner>,
    /// Seconds that a model may plan; `None` leaves it to the command.
    pub planner_deadline: Setting<Option<u32>>,
    /// Who turns texts into vectors.
    pub embedder: Setting<EmbedderChoice>,
    pub models: ModelSettings,
}

/// Everything that was typed, as it was read.
#[derive(Debug, Clone, Default)]
pub struct Sources<'a> {
    pub flags: Vec<Typed>,
    /// Variables; those that are not ours are passed over.
    pub environment: Vec<(String, String)>,
    pub user: Option<ConfigFile<'a>>,
    pub workspace: Option<ConfigFile<'a>>,
}

/// Resolves every setting. What cannot be used is passed over with a note that names its place: a slip in a
/// file never stops an answer.
pub fn resolve(sources: Sources<'_>) -> (Settings, Vec<Note>) {
    let mut notes = Vec::new();
    let mut typed = sources.flags;
    typed.extend(from_environment(&sources.environment, &mut notes));
    typed.extend(sources.user.into_iter().flat_map(|file| from_file(file, Owner::User, &mut notes)));
    typed
        .extend(sources.workspace.into_iter().flat_map(|file| from_file(file, Owner::Workspace, &mut notes)));
    let mut choice = Choice { typed, notes };
    let settings = Settings {
        include: choice.of(Name::Include, Vec::new(), patterns),
        exclude: choice.of(Name::Exclude, Vec::new(), patterns),
        tests: choice.of(Name::Tests, Tests::default(), tests),
        depth: choice.of(Name::Depth, None, |value| number(value, 0, LARGEST_DEPTH).map(Some)),
        budget: choice.of(Name::Budget, DEFAULT_BUDGET, |value| number(value, 1, LARGEST_BUDGET)),
        max_files: choice.of(Name::MaxFiles, None, |value| number(value, 1, LARGEST_FILES).map(Some)),
        fill: choice.of(Name::Fill, false, switch),
        format: choice.of(Name::Format, Format::default(), word),
        line_numbers: choice.of(Name::LineNumbers, false, switch),
        mask: choice.of(Name::Mask, true, switch),
        index: choice.of(Name::Index, true, switch),
        lsp: choice.of(Name::Lsp, true, switch),
        lsp_command: choice.of(Name::LspCommand, None, |value| command(value).map(Some)),
        wait_lsp: choice.of(Name::WaitLsp, 0, |value| number(value, 0, LONGEST_WAIT)),
        daemon: choice.of(Name::Daemon, true, switch),
        daemon_idle: choice.of(Name::DaemonIdle, DEFAULT_IDLE, |value| number(value, 1, LONGEST_IDLE)),
        daemon_memory: choice
            .of(Name::DaemonMemory, DEFAULT_MEMORY, |value| number(value, LEAST_MEMORY, LARGEST_MEMORY)),
        planner: choice.of(Name::Planner, Planner::default(), word),
        planner_deadline: choice
            .of(Name::PlannerDeadline, None, |value| number(value, 1, LONGEST_PLANNING).map(Some)),
        embedder: choice.of(Name::Embedder, EmbedderChoice::default(), embedder),
        models: ModelSettings::resolve(&mut choice),
    };
    (settings, choice.notes)
}

/// What `text` says for the setting `name`, checked: for a flag, where a wrong value is an error.
///
/// # Errors
/// A sentence that says what was expected.
pub fn value_of(name: Name, text: &str) -> Result<Value, String> {
    let value = from_text(name, text)?;
    match name {
        Name::Include | Name::Exclude => patterns(&value).map(drop),
        Name::Tests => tests(&value).map(drop),
        Name::Depth => number(&value, 0, LARGEST_DEPTH).map(drop),
        Name::Budget => number(&value, 1, LARGEST_BUDGET).map(drop),
        Name::MaxFiles => number(&value, 1, LARGEST_FILES).map(drop),
        Name::Format => word::<Format>(&value).map(drop),
        Name::Fill | Name::LineNumbers | Name::Mask => switch(&value).map(drop),
        Name::Index | Name::Lsp | Name::Daemon => switch(&value).map(drop),
        Name::DaemonIdle => number(&value, 1, LONGEST_IDLE).map(drop),
        Name::DaemonMemory => number(&value, LEAST_MEMORY, LARGEST_MEMORY).map(drop),
        Name::LspCommand => command(&value).map(drop),
        Name::WaitLsp => number(&value, 0, LONGEST_WAIT).map(drop),
        Name::Planner => word::<Planner>(&value).map(drop),
        Name::PlannerDeadline => number(&value, 1, LONGEST_PLANNING).map(drop),
        Name::Embedder => embedder(&value).map(drop),
        other => models::check(other, &value),
    }?;
    Ok(value)
}

impl Settings {
    /// Each setting with its value as TOML (`None` where it is left to the plan) and its origin.
    pub fn list(&self) -> Vec<(Name, Option<String>, &Origin)> {
        let Settings {
            include,
            exclude,
            tests,
            depth,
            budget,
            max_files,
            fill,
            format,
            line_numbers,
            mask,
            ..
        } = self;
        let Settings { index, lsp, lsp_command, wait_lsp, planner, planner_deadline, models, .. } = self;
        let Settings { daemon, daemon_idle, daemon_memory, embedder, .. } = self;
        let mut list = vec![
            (Name::Include, Some(toml_list(&include.value)), &include.origin),
            (Name::Exclude, Some(toml_list(&exclude.value)), &exclude.origin),
            (Name::Tests, Some(format!("\"{}\"", tests.value)), &tests.origin),
            (Name::Depth, depth.value.map(|depth| depth.to_string()), &depth.origin),
            (Name::Budget, Some(budget.value.to_string()), &budget.origin),
            (Name::MaxFiles, max_files.value.map(|files| files.to_string()), &max_files.origin),
            (Name::Fill, Some(fill.value.to_string()), &fill.origin),
            (Name::Format, Some(format!("\"{}\"", format.value)), &format.origin),
            (Name::LineNumbers, Some(line_numbers.value.to_string()), &line_numbers.origin),
            (Name::Mask, Some(mask.value.to_string()), &mask.origin),
            (Name::Index, Some(index.value.to_string()), &index.origin),
            (Name::Lsp, Some(lsp.value.to_string()), &lsp.origin),
            (Name::LspCommand, lsp_command.value.as_deref().map(toml_list), &lsp_command.origin),
            (Name::WaitLsp, Some(wait_lsp.value.to_string()), &wait_lsp.origin),
            (Name::Daemon, Some(daemon.value.to_string()), &daemon.origin),
            (Name::DaemonIdle, Some(daemon_idle.value.to_string()), &daemon_idle.origin),
            (Name::DaemonMemory, Some(daemon_memory.value.to_string()), &daemon_memory.origin),
            (Name::Planner, Some(format!("\"{}\"", planner.value)), &planner.origin),
            (
                Name::PlannerDeadline,
                planner_deadline.value.map(|seconds| seconds.to_string()),
                &planner_deadline.origin,
            ),
            (Name::Embedder, Some(format!("\"{}\"", embedder.value)), &embedder.origin),
        ];
        list.extend(models.list());
        list
    }
}

fn toml_list(items: &[String]) -> String {
    toml::Value::Array(items.iter().cloned().map(toml::Value::String).collect()).to_string()
}

/// What was typed, while it is weighed.
pub(super) struct Choice {
    /// The strongest origin first.
    typed: Vec<Typed>,
    notes: Vec<Note>,
}

impl Choice {
    /// The first value that means something; those that do not are noted, wherever they stand.
    pub(super) fn of<T>(
        &mut self,
        name: Name,
        default: T,
        meaning: impl Fn(&Value) -> Result<T, String>,
    ) -> Setting<T> {
        let mut chosen = None;
        for typed in self.typed.iter().filter(|typed| typed.name == name) {
            match meaning(&typed.value) {
                Ok(value) if chosen.is_none() => {
                    chosen = Some(Setting { value, origin: typed.origin.clone() })
                }
                Ok(_) => {}
                Err(problem) => {
                    let text = format!("{}: `{}`: {problem}: ignored", typed.origin, name.key());
                    self.notes.push(Note::warning(text));
                }
            }
        }
        chosen.unwrap_or(Setting { value: default, origin: Origin::Default })
    }
}

fn patterns(value: &Value) -> Result<Vec<String>, String> {
    let patterns = match value {
        Value::List(patterns) => patterns.clone(),
        Value::Word(pattern) => vec![pattern.clone()],
        _ => return Err("expected patterns such as \"src/**\"".to_owned()),
    };
    Ok(patterns.into_iter().filter(|pattern| !pattern.trim().is_empty()).collect())
}

fn number(value: &Value, least: u32, most: u32) -> Result<u32, String> {
    let expected = || format!("expected a number from {least} to {most}");
    let Value::Number(number) = value else { return Err(expected()) };
    u32::try_from(*number).ok().filter(|number| (least..=most).contains(number)).ok_or_else(expected)
}

pub(super) fn word<T: std::str::FromStr<Err: ToString>>(value: &Value) -> Result<T, String> {
    match value {
        Value::Word(word) => word.parse().map_err(|error: T::Err| error.to_string()),
        _ => "".parse().map_err(|error: T::Err| error.to_string()),
    }
}

fn tests(value: &Value) -> Result<Tests, String> {
    match value {
        Value::Switch(true) => Ok(Tests::Yes),
        Value::Switch(false) => Ok(Tests::No),
        other => word(other),
    }
}

/// `embedder = false` in a file says what `"off"` does.
fn embedder(value: &Value) -> Result<EmbedderChoice, String> {
    match value {
        Value::Switch(false) => Ok(EmbedderChoice::Off),
        other => word(other),
    }
}

fn switch(value: &Value) -> Result<bool, String> {
    match value {
        Value::Switch(switch) => Ok(*switch),
        _ => Err("expected true or false".to_owned()),
    }
}

/// A list as it is; a text split as a shell does, without what a shell puts in place of names and patterns.
fn command(value: &Value) -> Result<Vec<String>, String> {
    let command = match value {
        Value::List(parts) => Some(parts.clone()),
        // On Windows the backslash parts folders.
        Value::Word(text) if cfg!(windows) => shlex::split(&text.replace('\\', "\\\\")),
        Value::Word(text) => shlex::split(text),
        _ => None,
    };
    command
        .filter(|parts| parts.first().is_some_and(|program| !program.trim().is_empty()))
        .ok_or_else(|| "expected a program with its arguments, such as \"rust-analyzer\"".to_owned())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::{ModelProvider, Secret};

    fn check(flags: Vec<Typed>, environment: &[(&str, &str)], user: &str, workspace: &str, expect: Expect) {
        let environment =
            environment.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        let file = |path, text| Some(ConfigFile { path, text });
        let user = file("user.toml", user);
        let (settings, notes) =
            resolve(Sources { flags, environment, user, workspace: file("ws.toml", workspace) });
        let mut shown = String::new();
        for (name, value, origin) in
            settings.list().into_iter().filter(|(.., origin)| **origin != Origin::Default)
        {
            shown.push_str(&format!("{} = {} # {origin}\n", name.key(), value.unwrap_or_default()));
        }
        for note in notes {
            shown.push_str(&format!("{}\n", note.text));
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn the_nearer_origin_wins() {
        check(
            vec![Typed::flag(Name::Budget, Value::Number(100))],
            &[("DOSSIER_BUDGET", "200"), ("DOSSIER_FORMAT", "xml"), ("DOSSIER_INCLUDE", "src/**, docs")],
            "\nbudget = 300\nformat = 'json'\ndepth = 2\n",
            "budget = 400\ndepth = 3\ntests = false\nexclude = ['a', 'b']",
            expect![[r#"
                include = ["src/**", "docs"] # DOSSIER_INCLUDE
                exclude = ["a", "b"] # ws.toml:4
                tests = "no" # ws.toml:3
                depth = 2 # user.toml:4
                budget = 100 # --token-budget
                format = "xml" # DOSSIER_FORMAT
            "#]],
        );
    }

    #[test]
    fn a_workspace_may_not_set_everything() {
        check(
            vec![],
            &[],
            "mask = true",
            "mask = false\nmax_files = 3\nendpoint = 'http://evil'\nformat = 'xml'\nlsp_command = ['./x']\nwait_lsp = 9\nplanner = 'ollama'",
            expect![[r#"
                format = "xml" # ws.toml:4
                mask = true # user.toml:1
                ws.toml:1: a workspace may not set `mask`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:2: a workspace may not set `max_files`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:3: `endpoint` is not a setting: ignored; `dossier config show` lists them
                ws.toml:5: a workspace may not set `lsp_command`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:6: a workspace may not set `wait_lsp`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:7: a workspace may not set `planner`: ignored; set it in your own settings (`dossier config show`)
            "#]],
        );
    }

    #[test]
    fn a_command_is_a_list_or_split_as_a_shell_does() {
        let split = |value: Value| {
            resolve(Sources { flags: vec![Typed::flag(Name::LspCommand, value)], ..Sources::default() })
        };
        let word = |text: &str| split(Value::Word(text.to_owned())).0.lsp_command.value;
        assert_eq!(word("ra --log-file 'a b'"), Some(vec!["ra".into(), "--log-file".into(), "a b".into()]));
        assert_eq!(split(Value::List(vec!["a b".into()])).0.lsp_command.value, Some(vec!["a b".into()]));
        for wrong in
            [Value::Word("a 'b".into()), Value::Word("  ".into()), Value::List(Vec::new()), Value::Number(1)]
        {
            let (settings, notes) = split(wrong);
            assert_eq!((settings.lsp_command.value, notes.len()), (None, 1));
        }
    }

    #[test]
    fn what_is_unknown_or_wrong_is_told_with_its_place() {
        check(
            vec![],
            &[
                ("DOSSIER_BUGET", "1"),
                ("DOSSIER_BUDGET", "many"),
                ("DOSSIER_MASK", "flase"),
                ("DOSSIER_LOG", "debug"),
            ],
            "buget = 1\n[agent]\nmodel = 'x'\n",
            "budget = 0\ntests = 'perhaps'\ndepth = 99999999999999999999\ninclude = [1]\nformat = 2.5",
            expect![[r#"
                environment: DOSSIER_BUDGET: `many` is not a whole number: ignored
                environment: `DOSSIER_BUGET` is not a setting: ignored; did you mean `DOSSIER_BUDGET`?
                environment: DOSSIER_MASK: `flase` is neither true nor false: ignored
                user.toml:1: `buget` is not a setting: ignored; did you mean `budget`?
                user.toml:2: `agent` is not a setting: ignored; `dossier config show` lists them
                ws.toml:3: `depth`: the number is too large: ignored
                ws.toml:4: `include`: expected a list of strings: ignored
                ws.toml:5: `format`: float is no value for it: ignored
                ws.toml:2: `tests`: expected one of auto, yes, no: ignored
                ws.toml:1: `budget`: expected a number from 1 to 10000000: ignored
            "#]],
        );
    }

    #[test]
    fn keys_come_from_the_user_alone_and_are_shown_nowhere() {
        check(
            vec![],
            &[("OPENAI_API_KEY", " key-1234 "), ("OLLAMA_HOST", ""), ("GEMINI_API_KEY", "a\nb")],
            "groq_key = 'key-5678'\nanthropic_key = 5\nbase_url = 'https://me:key-1234@host'",
            "openai_key = 'evil'\nbase_url = 'http://evil'\nprovider = 'openai'\nollama_host = 'evil'",
            expect![[r#"
                base_url = "https://***@host" # user.toml:3
                openai_key = "***" # OPENAI_API_KEY
                groq_key = "***" # user.toml:1
                environment: GEMINI_API_KEY: it is no key: ignored
                ws.toml:1: a workspace may not set `openai_key`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:2: a workspace may not set `base_url`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:3: a workspace may not set `provider`: ignored; set it in your own settings (`dossier config show`)
                ws.toml:4: a workspace may not set `ollama_host`: ignored; set it in your own settings (`dossier config show`)
                user.toml:2: `anthropic_key`: expected a key: ignored
            "#]],
        );
        let environment = vec![("GROQ_API_KEY".to_owned(), "key-1234".to_owned())];
        let (settings, _) = resolve(Sources { environment, ..Sources::default() });
        let key = settings.models.key(ModelProvider::Groq).map(Secret::expose);
        assert_eq!((key, settings.models.keys().count()), (Some("key-1234"), 1));
        assert!(!format!("{settings:?}").contains("1234"));
    }

    #[test]
    fn a_file_that_is_not_toml_sets_nothing() {
        check(
            vec![],
            &[],
            "budget = 100\nformat =\n",
            "\u{feff}depth = 1\r\n",
            expect![[r#"
            depth = 1 # ws.toml:1
            user.toml:2: string values must be quoted, expected literal string: the file is ignored
        "#]],
        );
    }

    #[test]
    fn nothing_typed_gives_the_defaults() {
        let (settings, notes) = resolve(Sources::default());
        assert!(notes.is_empty());
        assert!(settings.list().iter().all(|(.., origin)| **origin == Origin::Default));
        assert_eq!(settings.budget.value, DEFAULT_BUDGET);
        assert!(settings.mask.value);
    }

    #[test]
    fn a_flags_value_is_checked_at_once() {
        assert_eq!(value_of(Name::Budget, "50"), Ok(Value::Number(50)));
        assert!(value_of(Name::Budget, "0").unwrap_err().contains("from 1 to"));
        assert!(value_of(Name::Depth, "-1").is_err());
        assert!(value_of(Name::Format, "html").is_err());
        assert!(value_of(Name::Format, "json").is_ok());
        assert!(value_of(Name::Include, "a,b").is_ok());
        assert_eq!(value_of(Name::WaitLsp, "3600"), Ok(Value::Number(3600)));
        assert!(value_of(Name::WaitLsp, "3601").is_err());
        assert!(value_of(Name::LspCommand, "a 'b").is_err());
        assert!(value_of(Name::PlannerDeadline, "0").is_err());
        assert!(value_of(Name::Planner, "ollama").is_ok());
        assert!(value_of(Name::Embedder, "all-MiniLM-L6-v2").is_ok());
        assert!(value_of(Name::Embedder, "a/b").is_err());
    }
}
