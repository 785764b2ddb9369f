//! What a file's name says of its language: the word behind a fence, and how a comment is written.

/// The opening and the closing of a comment on one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommentStyle {
    pub open: &'static str,
    pub close: &'static str,
}

const SLASHES: CommentStyle = CommentStyle { open: "// ", close: "" };
const HASH: CommentStyle = CommentStyle { open: "# ", close: "" };
const DASHES: CommentStyle = CommentStyle { open: "-- ", close: "" };
const SEMICOLON: CommentStyle = CommentStyle { open: "; ", close: "" };
const MARKUP: CommentStyle = CommentStyle { open: "<!-- ", close: " -->" };
const STARRED: CommentStyle = CommentStyle { open: "/* ", close: " */" };
const TEMPLATE: CommentStyle = CommentStyle { open: "{# ", close: " #}" };
const HANDLEBARS: CommentStyle = CommentStyle { open: "{{!-- ", close: " --}}" };
/// For text that has no comments.
const BRACKETS: CommentStyle = CommentStyle { open: "[", close: "]" };

/// Extension, word behind the fence, comment.
const LANGUAGES: &[(&str, &str, CommentStyle)] = &[
    ("rs", "rust", SLASHES),
    ("toml", "toml", HASH),
    ("md", "markdown", MARKUP),
    ("markdown", "markdown", MARKUP),
    ("sql", "sql", DASHES),
    ("proto", "proto", SLASHES),
    ("yaml", "yaml", HASH),
    ("yml", "yaml", HASH),
    ("json", "json", SLASHES),
    ("json5", "json5", SLASHES),
    ("jsonc", "jsonc", SLASHES),
    ("ron", "ron", SLASHES),
    ("kdl", "kdl", SLASHES),
    ("ini", "ini", SEMICOLON),
    ("cfg", "", HASH),
    ("conf", "", HASH),
    ("properties", "", HASH),
    ("sh", "sh", HASH),
    ("bash", "bash", HASH),
    ("zsh", "zsh", HASH),
    ("fish", "fish", HASH),
    ("nu", "nu", HASH),
    ("nix", "nix", HASH),
    ("just", "just", HASH),
    ("mk", "make", HASH),
    ("cmake", "cmake", HASH),
    ("py", "python", HASH),
    ("rb", "ruby", HASH),
    ("graphql", "graphql", HASH),
    ("tf", "hcl", HASH),
    ("lua", "lua", DASHES),
    ("html", "html", MARKUP),
    ("htm", "html", MARKUP),
    ("xml", "xml", MARKUP),
    ("svg", "svg", MARKUP),
    ("svelte", "svelte", MARKUP),
    ("vue", "vue", MARKUP),
    ("css", "css", STARRED),
    ("scss", "scss", SLASHES),
    ("js", "js", SLASHES),
    ("mjs", "js", SLASHES),
    ("jsx", "jsx", SLASHES),
    ("ts", "ts", SLASHES),
    ("tsx", "tsx", SLASHES),
    ("c", "c", SLASHES),
    ("h", "c", SLASHES),
    ("cc", "cpp", SLASHES),
    ("cpp", "cpp", SLASHES),
    ("hpp", "cpp", SLASHES),
    ("go", "go", SLASHES),
    ("java", "java", SLASHES),
    ("kt", "kotlin", SLASHES),
    ("swift", "swift", SLASHES),
    ("wgsl", "wgsl", SLASHES),
    ("glsl", "glsl", SLASHES),
    ("fbs", "fbs", SLASHES),
    ("capnp", "capnp", HASH),
    ("pest", "pest", SLASHES),
    ("lalrpop", "rust", SLASHES),
    ("slint", "slint", SLASHES),
    ("j2", "jinja", TEMPLATE),
    ("jinja", "jinja", TEMPLATE),
    ("jinja2", "jinja", TEMPLATE),
    ("tera", "jinja", TEMPLATE),
    ("askama", "jinja", TEMPLATE),
    ("hbs", "handlebars", HANDLEBARS),
    ("handlebars", "handlebars", HANDLEBARS),
];

/// Files whose name alone tells it, in lower case.
const NAMES: &[(&str, &str, CommentStyle)] = &[
    ("dockerfile", "dockerfile", HASH),
    ("makefile", "make", HASH),
    ("justfile", "just", HASH),
    (".justfile", "just", HASH),
    ("cargo.lock", "toml", HASH),
    (".gitignore", "", HASH),
    (".gitattributes", "", HASH),
    (".ignore", "", HASH),
    (".editorconfig", "ini", HASH),
];

/// The word behind the fence; empty where none is known.
pub(super) fn fence_word(path: &str) -> &'static str {
    lookup(path).map_or("", |(word, _)| word)
}

pub(super) fn comment_style(path: &str) -> CommentStyle {
    lookup(path).map_or(BRACKETS, |(_, style)| style)
}

fn lookup(path: &str) -> Option<(&'static str, CommentStyle)> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let by_name = NAMES.iter().find(|(known, ..)| *known == name);
    let by_extension = LANGUAGES.iter().find(|(known, ..)| Some(*known) == extension);
    by_name.or(by_extension).map(|(_, word, style)| (*word, *style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_written_in_the_files_own_style() {
        let of = |path| comment_style(path).open;
        assert_eq!(of("src/lib.rs"), "// ");
        assert_eq!(of("Cargo.toml"), "# ");
        assert_eq!(of("docs/README.MD"), "<!-- ");
        assert_eq!(of("migrations/1.sql"), "-- ");
        assert_eq!(of("ci/Dockerfile"), "# ");
        assert_eq!(of("NEWS"), "[");
        assert_eq!(of(""), "[");
    }
}
