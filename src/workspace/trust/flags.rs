//! Which flags of rustc are harmless when rustc only tells about itself (`--print`), and compiles and links nothing. A list of
//! the harmless, since flags that load code (`-Zcodegen-backend`, `-Zllvm-plugins`, `--sysroot`, `@file`) come and go.

/// Long flags, and whether a value follows them.
const LONG: [(&str, bool); 17] = [
    ("--cfg", true),
    ("--check-cfg", true),
    ("--cap-lints", true),
    ("--allow", true),
    ("--warn", true),
    ("--deny", true),
    ("--forbid", true),
    ("--force-warn", true),
    ("--codegen", true),
    ("--edition", true),
    ("--remap-path-prefix", true),
    ("--color", true),
    ("--error-format", true),
    ("--diagnostic-width", true),
    ("--verbose", false),
    ("--test", false),
    ("--crate-type", true),
];
/// Short flags that take a value, in the same word or the next: lints, and where libraries are.
const SHORT: [&str; 7] = ["-A", "-W", "-D", "-F", "-L", "-l", "-C"];
const ALONE: [&str; 3] = ["-g", "-O", "-v"];
/// Options of `-C`, with `-` between the words. Those of the linker are among them: nothing is linked.
const CODEGEN: [&str; 35] = [
    "ar",
    "bitcode-in-rlib",
    "code-model",
    "codegen-units",
    "collapse-macro-debuginfo",
    "control-flow-guard",
    "debug-assertions",
    "debuginfo",
    "default-linker-libraries",
    "dwarf-version",
    "embed-bitcode",
    "extra-filename",
    "force-frame-pointers",
    "force-unwind-tables",
    "inline-threshold",
    "instrument-coverage",
    "link-arg",
    "link-args",
    "link-dead-code",
    "link-self-contained",
    "linker",
    "linker-features",
    "linker-flavor",
    "lto",
    "metadata",
    "opt-level",
    "overflow-checks",
    "panic",
    "prefer-dynamic",
    "relocation-model",
    "rpath",
    "split-debuginfo",
    "strip",
    "target-cpu",
    "target-feature",
];
const CODEGEN_RARE: [&str; 5] =
    ["relro-level", "soft-float", "symbol-mangling-version", "no-redzone", "linker-plugin-lto"];

/// The first flag that is not known to be harmless.
pub(super) fn unknown<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let mut rest = arguments.iter().copied();
    while let Some(flag) = rest.next() {
        if !is_harmless(flag, &mut rest) {
            return Some(flag);
        }
    }
    None
}

/// Takes the flag's value from `rest`, where it stands there.
fn is_harmless<'a>(flag: &str, rest: &mut impl Iterator<Item = &'a str>) -> bool {
    if ALONE.contains(&flag) {
        return true;
    }
    if let Some(option) = flag.strip_prefix("-C").filter(|option| !option.is_empty()) {
        return is_harmless_codegen(option);
    }
    if let Some((long, value)) = flag.split_once('=').filter(|_| flag.starts_with("--")) {
        let is_known = LONG.iter().any(|(known, takes_value)| *known == long && *takes_value);
        return is_known && (long != "--codegen" || is_harmless_codegen(value));
    }
    if let Some((long, takes_value)) = LONG.iter().find(|(known, _)| *known == flag) {
        return !takes_value || is_harmless_value(long, rest.next());
    }
    match SHORT.iter().find(|short| flag.starts_with(**short)) {
        Some(short) if flag == *short => is_harmless_value(short, rest.next()),
        Some(_) => true,
        None => false,
    }
}

/// A value that begins with `@` is the name of a file with more arguments, wherever it stands.
fn is_harmless_value(flag: &str, value: Option<&str>) -> bool {
    match (flag, value) {
        (_, None) => true,
        (_, Some(value)) if value.starts_with('@') => false,
        ("-C" | "--codegen", Some(option)) => is_harmless_codegen(option),
        _ => true,
    }
}

fn is_harmless_codegen(option: &str) -> bool {
    let name = option.split_once('=').map_or(option, |(name, _)| name).replace('_', "-");
    CODEGEN.contains(&name.as_str()) || CODEGEN_RARE.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first flag that is not harmless in `text`, parted at its spaces.
    fn check(text: &str, expected: Option<&str>) {
        let arguments: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(unknown(&arguments), expected, "{text}");
    }

    #[test]
    fn flags_that_are_often_set_are_harmless() {
        check("", None);
        check("-C target-cpu=native -Ctarget_feature=+avx2 --codegen=opt-level=3 --codegen lto", None);
        check("-C link-arg=-fuse-ld=lld -Clinker=clang -L /x -lfoo", None);
        check("--cfg tokio_unstable --cfg=x --check-cfg cfg(x) -Dwarnings -W clippy::all -A dead_code", None);
        check("--cap-lints warn -g -O", None);
    }

    #[test]
    fn flags_that_load_code_or_are_not_known_are_not() {
        check("-Zcodegen-backend=./x.so", Some("-Zcodegen-backend=./x.so"));
        check("-Z codegen-backend=./x.so", Some("-Z"));
        check("-O @flags", Some("@flags"));
        check("--cfg @flags", Some("--cfg"));
        check("--sysroot=./x", Some("--sysroot=./x"));
        check("--sysroot ./x", Some("--sysroot"));
        check("-C llvm-args=-load=x.so", Some("-C"));
        check("-Cllvm-args=-load=x.so", Some("-Cllvm-args=-load=x.so"));
        check("--codegen llvm-args=x", Some("--codegen"));
        check("--extern a=b.so", Some("--extern"));
        check("main.rs", Some("main.rs"));
        check("--verbose=-Z", Some("--verbose=-Z"));
    }
}
