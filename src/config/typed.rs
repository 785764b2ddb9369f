//! The first of two steps: what was typed, and where. Nothing is weighed here, and nothing is lost.

use std::fmt;

use toml::de::{DeTable, DeValue};

use super::name::{ENVIRONMENT, Kind, Name};
use super::secret::Secret;
use crate::model::Note;

/// A value as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    List(Vec<String>),
    Number(i64),
    Word(String),
    Switch(bool),
    Secret(Secret),
}

/// Where a value comes from. Flags win over the environment, that over the user's file, that over the
/// workspace's, that over the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Flag(&'static str),
    Environment(String),
    /// The user's own file.
    User {
        file: String,
        line: usize,
    },
    /// The file inside the workspace.
    Workspace {
        file: String,
        line: usize,
    },
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag(flag) => f.write_str(flag),
            Origin::Environment(variable) => f.write_str(variable),
            Origin::User { file, line } | Origin::Workspace { file, line } => write!(f, "{file}:{line}"),
            Origin::Default => f.write_str("default"),
        }
    }
}

/// A setting that someone gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    pub name: Name,
    pub value: Value,
    pub origin: Origin,
}

impl Typed {
    /// What a flag says.
    pub fn flag(name: Name, value: Value) -> Typed {
        Typed { name, value, origin: Origin::Flag(name.flag().unwrap_or_default()) }
    }
}

/// A settings file that was read: its path for a person, and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigFile<'a> {
    pub path: &'a str,
    pub text: &'a str,
}

/// Whose file it is: a workspace's may set less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    User,
    Workspace,
}

/// The settings among the variables of the environment, in the order of their names.
pub(super) fn from_environment(variables: &[(String, String)], notes: &mut Vec<Note>) -> Vec<Typed> {
    let mut typed = Vec::new();
    let mut sorted: Vec<&(String, String)> = variables.iter().collect();
    sorted.sort();
    for (variable, text) in sorted.into_iter().filter(|(variable, text)| is_set(variable, text)) {
        match Name::from_variable(variable) {
            None => {}
            Some(None) => {
                let key = variable.trim_start_matches(ENVIRONMENT);
                let near = Name::near(key).map(Name::variable);
                notes.push(Note::warning(unknown("environment", variable, near)));
            }
            Some(Some(name)) => match from_text(name, text) {
                Ok(value) => typed.push(Typed { name, value, origin: Origin::Environment(variable.clone()) }),
                Err(problem) => {
                    notes.push(Note::warning(format!("environment: {variable}: {problem}: ignored")))
                }
            },
        }
    }
    typed
}

/// Other programs read some of the variables too, and take an empty one for none.
fn is_set(variable: &str, text: &str) -> bool {
    variable.starts_with(ENVIRONMENT) || !text.trim().is_empty()
}

/// What `text` (of a variable, of a flag) says for this setting. Patterns are parted by commas.
pub(super) fn from_text(name: Name, text: &str) -> Result<Value, String> {
    let text = text.trim();
    match name.kind() {
        Kind::Patterns => Ok(Value::List(text.split(',').map(|part| part.trim().to_owned()).collect())),
        Kind::Number => {
            text.parse().map(Value::Number).map_err(|_| format!("`{text}` is not a whole number"))
        }
        Kind::Word | Kind::Command => Ok(Value::Word(text.to_owned())),
        Kind::Secret => secret(text),
        Kind::Switch => match text {
            "1" | "true" | "yes" | "on" => Ok(Value::Switch(true)),
            "0" | "false" | "no" | "off" => Ok(Value::Switch(false)),
            _ => Err(format!("`{text}` is neither true nor false")),
        },
    }
}

fn secret(text: &str) -> Result<Value, String> {
    Secret::new(text).map(Value::Secret).ok_or_else(|| "it is no key".to_owned())
}

/// The settings of a file; what it says beside them becomes notes. A file that is not TOML sets nothing.
pub(super) fn from_file(file: ConfigFile<'_>, owner: Owner, notes: &mut Vec<Note>) -> Vec<Typed> {
    let text = file.text.strip_prefix('\u{feff}').unwrap_or(file.text);
    let table = match DeTable::parse(text) {
        Ok(table) => table.into_inner(),
        Err(error) => {
            let line = line_at(text, error.span().map_or(0, |span| span.start));
            let problem = error.message().replace('\n', " ");
            notes.push(Note::warning(format!("{}:{line}: {problem}: the file is ignored", file.path)));
            return Vec::new();
        }
    };
    let mut typed: Vec<(usize, Typed)> = Vec::new();
    let mut problems: Vec<(usize, String)> = Vec::new();
    for (key, value) in &table {
        let line = line_at(text, key.span().start);
        match in_file(key.get_ref(), value.get_ref(), owner) {
            Ok((name, value)) => {
                typed.push((line, Typed { name, value, origin: owner.origin(file.path, line) }))
            }
            Err(problem) => problems.push((line, problem)),
        }
    }
    typed.sort_by_key(|(line, _)| *line);
    problems.sort();
    let noted =
        problems.into_iter().map(|(line, problem)| Note::warning(format!("{}:{line}: {problem}", file.path)));
    notes.extend(noted);
    typed.into_iter().map(|(_, typed)| typed).collect()
}

fn in_file(key: &str, value: &DeValue<'_>, owner: Owner) -> Result<(Name, Value), String> {
    let Some(name) = Name::from_key(key) else {
        return Err(unknown_key(key, Name::near(key).map(|name| name.key().to_owned())));
    };
    if owner == Owner::Workspace && !name.may_stand_in_workspace() {
        return Err(format!(
            "a workspace may not set `{key}`: ignored; set it in your own settings (`dossier config show`)"
        ));
    }
    let value = match from_toml(value) {
        Ok(Value::Word(text)) if name.kind() == Kind::Secret => secret(&text),
        other => other,
    };
    value.map(|value| (name, value)).map_err(|problem| format!("`{key}`: {problem}: ignored"))
}

fn from_toml(value: &DeValue<'_>) -> Result<Value, String> {
    match value {
        DeValue::String(text) => Ok(Value::Word(text.to_string())),
        DeValue::Boolean(switch) => Ok(Value::Switch(*switch)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Value::Number)
            .map_err(|_| "the number is too large".to_owned()),
        DeValue::Array(items) => {
            let texts = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
            texts
                .collect::<Option<_>>()
                .map(Value::List)
                .ok_or_else(|| "expected a list of strings".to_owned())
        }
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => {
            Err(format!("{} is no value for it", value.type_str()))
        }
    }
}

impl Owner {
    fn origin(self, file: &str, line: usize) -> Origin {
        let file = file.to_owned();
        match self {
            Owner::User => Origin::User { file, line },
            Owner::Workspace => Origin::Workspace { file, line },
        }
    }
}

fn unknown(place: &str, what: &str, near: Option<String>) -> String {
    format!("{place}: {}", unknown_key(what, near))
}

fn unknown_key(what: &str, near: Option<String>) -> String {
    let remedy = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`dossier config show` lists them".to_owned(),
    };
    format!("`{what}` is not a setting: ignored; {remedy}")
}

/// 1-based.
fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
