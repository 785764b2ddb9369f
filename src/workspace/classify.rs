//! What a file is by its path, and whether it can be a candidate at all.
//!
//! A list of what comes in, not of what stays out: a format nobody thought of is no candidate.

use crate::model::FileKind;

use super::path;

/// A JSON or YAML file above this (bytes) is data, not configuration; the same for generated pages and word lists.
const DATA_BYTES: u64 = 128 << 10;

/// A line above this (bytes), in anything that is not Rust, was not written by a person.
const MINIFIED_LINE_BYTES: usize = 8 << 10;

/// Folders whose JSON, YAML and text files are inputs and expected outputs of tests.
const DATA_FOLDERS: [&str; 9] = [
    "testdata",
    "test_data",
    "test-data",
    "snapshots",
    "fixtures",
    "corpus",
    "corpora",
    "goldens",
    "expected",
];

/// Names that hold keys and passwords by convention, in configuration and plain text. A `credentials.md` speaks about them.
const SECRET_STEMS: [&str; 12] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "credential",
    "secrets",
    "secret",
    "service-account",
    "service_account",
    "htpasswd",
    "kubeconfig",
];

/// Extensions of key files and stores.
const SECRET_EXTENSIONS: [&str; 15] = [
    "pem", "key", "p12", "pfx", "p8", "jks", "keystore", "ppk", "kdbx", "der", "crt", "cer", "gpg", "asc",
    "env",
];

/// The kind of a file that may be a candidate; `None` for everything else. `path` is relative to the root.
pub(super) fn kind_of(path: &str) -> Option<FileKind> {
    let name = path::name(path);
    if name == "Cargo.toml" {
        return Some(FileKind::Manifest);
    }
    let lower = name.to_ascii_lowercase();
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    if extension == "rs" && !lower.starts_with('.') {
        return Some(FileKind::Rust);
    }
    if is_secret(&lower) || is_lock(&lower) || is_minified(&lower) {
        return None;
    }
    let kind = kind_of_name(&lower).or_else(|| kind_of_extension(extension))?;
    let may_hold_secrets = kind == FileKind::Config || extension == "txt";
    (!may_hold_secrets || !has_secret_name(&lower)).then_some(kind)
}

/// Whether a file of this kind, path and size (bytes) holds data instead of something a person wrote.
pub(super) fn is_data(path: &str, kind: FileKind, bytes: u64) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
    let serial = matches!(extension.as_str(), "json" | "jsonc" | "json5" | "yaml" | "yml" | "txt");
    match kind {
        FileKind::Config | FileKind::Docs if serial => bytes > DATA_BYTES || in_data_folder(path),
        FileKind::Template | FileKind::Sql => bytes > DATA_BYTES,
        _ => false,
    }
}

/// Whether the text has a line that no person writes. Rust files are never judged by it.
pub(super) fn has_minified_line(kind: FileKind, text: &str) -> bool {
    !matches!(kind, FileKind::Rust | FileKind::Manifest | FileKind::Docs)
        && text.len() > MINIFIED_LINE_BYTES
        && text.split('\n').any(|line| line.len() > MINIFIED_LINE_BYTES)
}

/// Key files and what looks like `.env`.
fn is_secret(lower: &str) -> bool {
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    lower.starts_with(".env") || SECRET_EXTENSIONS.contains(&extension)
}

fn has_secret_name(lower: &str) -> bool {
    let stem = lower.trim_start_matches('.').split('.').next().unwrap_or("");
    SECRET_STEMS.contains(&stem)
}

fn is_lock(lower: &str) -> bool {
    let stem = path::stem(lower);
    lower.ends_with(".lock") || stem.ends_with("-lock") || stem.ends_with(".lock") || stem == "npm-shrinkwrap"
}

fn is_minified(lower: &str) -> bool {
    lower.contains(".min.") || lower.contains(".bundle.")
}

fn kind_of_name(lower: &str) -> Option<FileKind> {
    match lower {
        "dockerfile" | "makefile" | "justfile" | "cmakelists.txt" | "requirements.txt" => {
            Some(FileKind::Config)
        }
        _ => None,
    }
}

fn kind_of_extension(extension: &str) -> Option<FileKind> {
    Some(match extension {
        "md" | "markdown" | "mdx" | "rst" | "adoc" | "asciidoc" | "txt" => FileKind::Docs,
        "sql" => FileKind::Sql,
        "proto" => FileKind::Proto,
        "html" | "htm" | "j2" | "jinja" | "jinja2" | "tera" | "hbs" | "handlebars" | "askama"
        | "mustache" | "liquid" | "tmpl" | "tpl" | "stpl" => FileKind::Template,
        "toml" | "yaml" | "yml" | "json" | "jsonc" | "json5" | "ron" | "ini" | "cfg" | "conf" | "kdl"
        | "properties" | "just" => FileKind::Config,
        _ => return None,
    })
}

fn in_data_folder(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    parts.next();
    parts.any(|part| DATA_FOLDERS.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Option<FileKind>, paths: &[&str]) {
        for path in paths {
            assert_eq!(kind_of(path), kind, "{path}");
        }
    }

    #[test]
    fn candidates_are_told_by_name() {
        check(Some(FileKind::Rust), &["src/lib.rs", "build.rs", "secret.rs", "src/id_rsa.rs", "src/key.RS"]);
        check(Some(FileKind::Manifest), &["Cargo.toml", "crates/a/Cargo.toml"]);
        check(Some(FileKind::Docs), &["README.md", "docs/a.RST", "notes.txt", "x.adoc", "docs/secrets.md"]);
        check(Some(FileKind::Sql), &["migrations/1_users.sql"]);
        check(Some(FileKind::Proto), &["proto/a.proto"]);
        check(Some(FileKind::Template), &["templates/a.html", "a.html.j2", "x.tera", "y.hbs"]);
        check(
            Some(FileKind::Config),
            &["a.toml", "b.yml", "c.json", "d.ron", "Dockerfile", "justfile", "rustfmt.toml"],
        );
    }

    #[test]
    fn what_holds_secrets_never_enters() {
        check(
            None,
            &[".env", ".env.local", ".env.toml", "prod.env", "a.pem", "server.key", "id_rsa", "id_rsa.txt"],
        );
        check(
            None,
            &["secrets.toml", "credentials.json", "conf/secrets.prod.yaml", ".npmrc", "service-account.json"],
        );
    }

    #[test]
    fn locks_minified_files_and_unknown_formats_stay_out() {
        check(
            None,
            &["Cargo.lock", "package-lock.json", "pnpm-lock.yaml", "a.min.html", "x.png", "LICENSE", "a.py"],
        );
        check(None, &["data.csv", "noext", "", "a/", ".rs"]);
    }

    #[test]
    fn data_is_told_by_size_and_folder() {
        assert!(is_data("a.json", FileKind::Config, DATA_BYTES + 1));
        assert!(!is_data("a.json", FileKind::Config, DATA_BYTES));
        assert!(!is_data("languages.toml", FileKind::Config, 4 * DATA_BYTES));
        assert!(is_data("tests/fixtures/a.json", FileKind::Config, 10));
        assert!(!is_data("fixtures.json", FileKind::Config, 10));
        assert!(!is_data("fixtures/src/lib.rs", FileKind::Rust, 10 * DATA_BYTES));
    }

    #[test]
    fn a_very_long_line_is_minified() {
        let long = "x".repeat(MINIFIED_LINE_BYTES + 1);
        assert!(has_minified_line(FileKind::Config, &long));
        assert!(!has_minified_line(FileKind::Rust, &long));
        assert!(!has_minified_line(FileKind::Config, "short\n"));
    }
}
