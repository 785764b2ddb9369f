//! One `Cargo.toml` as data. Fields of an unexpected type count as absent: Cargo will say what is wrong with them.

use toml::{Table, Value};

/// The tables in which Cargo looks for dependencies, its old spellings too.
const DEPENDENCY_TABLES: [&str; 5] =
    ["dependencies", "dev-dependencies", "build-dependencies", "dev_dependencies", "build_dependencies"];

/// The edition of a manifest that names none.
const FIRST_EDITION: u16 = 2015;

/// What is needed of a manifest.
#[derive(Debug, Default, Clone)]
pub(super) struct Manifest {
    pub package: Option<PackageTable>,
    pub workspace: Option<WorkspaceTable>,
    pub lib: Option<TargetTable>,
    pub bins: Vec<TargetTable>,
    pub tests: Vec<TargetTable>,
    pub benches: Vec<TargetTable>,
    pub examples: Vec<TargetTable>,
    /// Of all tables: normal, dev, build, target-specific.
    pub dependencies: Vec<Dependency>,
    /// Entries of `[patch.*]` with a path.
    pub patches: Vec<Dependency>,
}

#[derive(Debug, Default, Clone)]
pub(super) struct PackageTable {
    pub name: Option<String>,
    pub edition: Edition,
    /// `package.workspace`: where the workspace's root is.
    pub workspace: Option<String>,
    pub build: BuildScripts,
    pub autolib: Option<bool>,
    pub autobins: Option<bool>,
    pub autotests: Option<bool>,
    pub autobenches: Option<bool>,
    pub autoexamples: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edition {
    Year(u16),
    /// `edition.workspace = true`.
    Inherited,
}

impl Default for Edition {
    fn default() -> Edition {
        Edition::Year(FIRST_EDITION)
    }
}

/// `package.build`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) enum BuildScripts {
    /// Not said: `build.rs` where there is one.
    #[default]
    Default,
    Off,
    Paths(Vec<String>),
}

#[derive(Debug, Default, Clone)]
pub(super) struct WorkspaceTable {
    pub members: Vec<String>,
    pub exclude: Vec<String>,
    pub edition: Option<u16>,
    pub dependencies: Vec<Dependency>,
}

/// `[lib]`, `[[bin]]`, `[[test]]` …
#[derive(Debug, Default, Clone)]
pub(super) struct TargetTable {
    pub name: Option<String>,
    pub path: Option<String>,
    pub proc_macro: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    /// The key in the table.
    pub name: String,
    /// `package = "…"`: the real name, where the key is a new one.
    pub package: Option<String>,
    pub path: Option<String>,
    /// `workspace = true`.
    pub inherited: bool,
}

impl Manifest {
    /// Reads a manifest. The error is one line for a person, with the place.
    pub(super) fn parse(text: &str) -> Result<Manifest, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let table: Table = toml::from_str(text).map_err(|error| one_line(text, &error))?;
        let package = ["package", "project"].into_iter().find_map(|key| sub(&table, key)).map(package_table);
        Ok(Manifest {
            package,
            workspace: sub(&table, "workspace").map(workspace_table),
            lib: sub(&table, "lib").map(target_table),
            bins: target_tables(&table, "bin"),
            tests: target_tables(&table, "test"),
            benches: target_tables(&table, "bench"),
            examples: target_tables(&table, "example"),
            dependencies: all_dependencies(&table),
            patches: patches(&table),
        })
    }
}

fn one_line(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().next().unwrap_or("not TOML");
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message.to_owned(),
    }
}

fn package_table(table: &Table) -> PackageTable {
    PackageTable {
        name: string(table, "name"),
        edition: match table.get("edition") {
            Some(Value::String(year)) => Edition::Year(year.parse().unwrap_or(FIRST_EDITION)),
            Some(Value::Table(table)) if boolean(table, "workspace") == Some(true) => Edition::Inherited,
            _ => Edition::default(),
        },
        workspace: string(table, "workspace"),
        build: match table.get("build") {
            Some(Value::Boolean(false)) => BuildScripts::Off,
            Some(Value::String(path)) => BuildScripts::Paths(vec![path.clone()]),
            Some(Value::Array(paths)) => BuildScripts::Paths(strings(paths)),
            _ => BuildScripts::Default,
        },
        autolib: boolean(table, "autolib"),
        autobins: boolean(table, "autobins"),
        autotests: boolean(table, "autotests"),
        autobenches: boolean(table, "autobenches"),
        autoexamples: boolean(table, "autoexamples"),
    }
}

fn workspace_table(table: &Table) -> WorkspaceTable {
    WorkspaceTable {
        members: list(table, "members"),
        exclude: list(table, "exclude"),
        edition: sub(table, "package").and_then(|package| string(package, "edition")?.parse().ok()),
        dependencies: sub(table, "dependencies").map(dependencies).unwrap_or_default(),
    }
}

fn target_tables(table: &Table, key: &str) -> Vec<TargetTable> {
    let Some(Value::Array(targets)) = table.get(key) else { return Vec::new() };
    targets.iter().filter_map(Value::as_table).map(target_table).collect()
}

fn target_table(table: &Table) -> TargetTable {
    let proc_macro = ["proc-macro", "proc_macro"].iter().any(|key| boolean(table, key) == Some(true));
    let by_type = ["crate-type", "crate_type"]
        .iter()
        .any(|key| list(table, key).iter().any(|crate_type| crate_type == "proc-macro"));
    TargetTable {
        name: string(table, "name"),
        path: string(table, "path"),
        proc_macro: proc_macro || by_type,
    }
}

fn all_dependencies(table: &Table) -> Vec<Dependency> {
    let per_target =
        sub(table, "target").into_iter().flat_map(|targets| targets.values().filter_map(Value::as_table));
    std::iter::once(table)
        .chain(per_target)
        .flat_map(|table| DEPENDENCY_TABLES.iter().filter_map(|key| sub(table, key)))
        .flat_map(dependencies)
        .collect()
}

fn patches(table: &Table) -> Vec<Dependency> {
    let registries =
        sub(table, "patch").into_iter().flat_map(|patch| patch.values().filter_map(Value::as_table));
    registries.flat_map(dependencies).filter(|patch| patch.path.is_some()).collect()
}

fn dependencies(table: &Table) -> Vec<Dependency> {
    table
        .iter()
        .map(|(name, value)| {
            let details = value.as_table();
            Dependency {
                name: name.clone(),
                package: details.and_then(|table| string(table, "package")),
                path: details.and_then(|table| string(table, "path")),
                inherited: details.is_some_and(|table| boolean(table, "workspace") == Some(true)),
            }
        })
        .collect()
}

fn sub<'t>(table: &'t Table, key: &str) -> Option<&'t Table> {
    table.get(key)?.as_table()
}

fn string(table: &Table, key: &str) -> Option<String> {
    table.get(key)?.as_str().map(str::to_owned)
}

fn boolean(table: &Table, key: &str) -> Option<bool> {
    table.get(key)?.as_bool()
}

fn list(table: &Table, key: &str) -> Vec<String> {
    table.get(key).and_then(Value::as_array).map(|values| strings(values)).unwrap_or_default()
}

fn strings(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
