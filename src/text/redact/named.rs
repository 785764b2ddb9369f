//! Secrets that only a name tells: `password = "…"`, `"api_key": "…"`, `DB_PASSWORD=…`.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::Secret;
use super::random::{is_base64_noise, is_random, is_stand_in, is_strong_password};
use crate::text::pattern;

/// A name that ends in the word for a secret, and what binds a value to it, up to the value.
static BOUND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?x-u)
        (?P<name> (?i: pass(?:word|wd|phrase) | pwd | secret | token | api[_-]?key | credentials?
          | (?:access|secret|private|signing|encryption|auth|account|master)[_-]?key ) )
        \\? ["'\])]{0,3} \s{0,9}
        (?: : \s? &? (?:'static\s)? (?:str|String) \s? )?
        (?: => | := | [=:,(] ) \s{0,40}
        (?: (?:Some|String::from|SecretString::(?:new|from)) \( )?
        (?: b?r?\#{0,2} \\? (?P<quote>["'`]) )?
        "#,
    )
});

/// Bytes of a value, from the shortest password to the longest key in one line.
const VALUE: RangeInclusive<usize> = 8..=512;
/// What a token or a key has at least.
const SHORTEST_KEY: usize = 16;

pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for bound in BOUND.captures_iter(text) {
        let (Some(whole), Some(name)) = (bound.get(0), bound.name("name")) else { continue };
        let Some(value) = value(text, &bound) else { continue };
        let is_secret = if is_password_name(name.as_str()) { is_password } else { is_drawn };
        if VALUE.contains(&value.len()) && is_secret(value) {
            found.push(Secret { range: whole.end()..whole.end() + value.len() });
        }
    }
}

/// The value behind a name: up to its closing quote; the rest of the line in a settings file; a parameter of an address, a
/// connection string or a command line.
fn value<'t>(text: &'t str, bound: &Captures) -> Option<&'t str> {
    let (whole, name) = (bound.get(0)?, bound.name("name")?);
    let line = text.get(whole.end()..)?.split('\n').next()?;
    if let Some(quote) = bound.name("quote") {
        let (value, _) = line.split_once(|c: char| c == '\\' || quote.as_str().ends_with(c))?;
        return Some(value);
    }
    let before = text.get(..name.start())?.rsplit('\n').next()?;
    if is_rest_of_name(before.trim_start()) {
        let value = line.trim_end();
        return (!value.contains(IN_EXPRESSIONS)).then_some(value);
    }
    let is_parameter =
        before.trim_end_matches(is_in_name).ends_with([';', '?', '&', ' ']) && whole.as_str().ends_with('=');
    let end = line
        .find(|c: char| c.is_whitespace() || IN_EXPRESSIONS.contains(&c) || c == '&')
        .unwrap_or(line.len());
    is_parameter.then(|| line.get(..end)).flatten()
}

/// What code has and a bare value has not.
const IN_EXPRESSIONS: [char; 17] =
    [' ', '\t', '"', '\'', '`', '#', ',', ';', '(', ')', '{', '}', '<', '>', '[', ']', '\\'];

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.".contains(c)
}

/// `password`, `pwd`, `passphrase`; not `private_key`.
fn is_password_name(name: &str) -> bool {
    name.to_ascii_lowercase().starts_with('p') && !name.to_ascii_lowercase().ends_with("key")
}

/// A value that a machine drew.
fn is_drawn(value: &str) -> bool {
    value.len() >= SHORTEST_KEY
        && is_one_word(value)
        && (is_random(value) || is_long_noise(value))
        && !is_stand_in(value)
}

fn is_password(value: &str) -> bool {
    is_one_word(value)
        && (is_random(value) || is_strong_password(value) || is_long_noise(value))
        && !is_stand_in(value)
}

/// Base64 without digits needs more letters to be told from a name.
fn is_long_noise(value: &str) -> bool {
    value.len() >= LONG_NOISE && is_base64_noise(value)
}

const LONG_NOISE: usize = 24;

/// No sentence, path or address.
fn is_one_word(value: &str) -> bool {
    !value.contains([' ', '\t'])
        && !value.contains("://")
        && !value.contains("::")
        && !value.starts_with(['/', '.', '~', '-', '@', '#'])
}

/// Whether what stands before a name on its line is nothing but the rest of it, as in `.env`, YAML and TOML files: in code a
/// bare value is an expression.
fn is_rest_of_name(line: &str) -> bool {
    let prefixes = ["export ", "set ", "ENV ", "ARG ", "- "];
    let line = prefixes.into_iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    line.chars().all(|c| is_in_name(c) || c == '"')
}
