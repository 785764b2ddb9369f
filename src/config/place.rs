//! Where the project's own files are outside a workspace, and its settings inside. Nothing is read here.

use std::path::PathBuf;

/// The settings file of a workspace, from its root.
pub const WORKSPACE_FILE: &str = ".dossier/config.toml";

/// The user's settings file: in `$XDG_CONFIG_HOME`, else in `%APPDATA%` on Windows and in `~/.config` elsewhere
/// (on macOS too, where command-line tools are looked for there). `None` where there is no home.
pub fn user_file(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    Some(config_folder(variable, home)?.join("config.toml"))
}

/// The file beside it that names the workspaces that the user trusts. `None` where there is no home.
pub fn trusted_file(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    Some(config_folder(variable, home)?.join("trusted.toml"))
}

fn config_folder(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let system = if cfg!(windows) { folder("APPDATA") } else { home.map(|home| home.join(".config")) };
    Some(folder("XDG_CONFIG_HOME").or(system)?.join("dossier"))
}

/// Where what can be made again is kept: in `$XDG_CACHE_HOME`, else in `%LOCALAPPDATA%` on Windows and in `~/.cache`
/// elsewhere. `None` where there is no home.
pub fn cache_folder(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let system = if cfg!(windows) { folder("LOCALAPPDATA") } else { home.map(|home| home.join(".cache")) };
    Some(folder("XDG_CACHE_HOME").or(system)?.join("dossier"))
}

/// Where the user's own data is kept: in `$XDG_DATA_HOME`, else in `%LOCALAPPDATA%` on Windows and in `~/.local/share`
/// elsewhere. `None` where there is no home.
pub fn data_folder(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let system =
        if cfg!(windows) { folder("LOCALAPPDATA") } else { home.map(|home| home.join(".local/share")) };
    Some(folder("XDG_DATA_HOME").or(system)?.join("dossier"))
}

/// Where the daemon's log is: in `$XDG_STATE_HOME`, else in `%LOCALAPPDATA%` on Windows and in `~/.local/state` elsewhere. `None`
/// where there is no home.
pub fn state_folder(variable: impl Fn(&str) -> Option<String>, home: Option<PathBuf>) -> Option<PathBuf> {
    let folder = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let system =
        if cfg!(windows) { folder("LOCALAPPDATA") } else { home.map(|home| home.join(".local/state")) };
    Some(folder("XDG_STATE_HOME").or(system)?.join("dossier"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn xdg_wins_where_it_is_absolute() {
        let file = |xdg: Option<&str>| {
            user_file(|name| xdg.filter(|_| name == "XDG_CONFIG_HOME").map(str::to_owned), Some("/u".into()))
        };
        assert_eq!(file(Some("/x")), Some("/x/dossier/config.toml".into()));
        assert_eq!(file(Some("x")), Some("/u/.config/dossier/config.toml".into()));
        assert_eq!(file(None), Some("/u/.config/dossier/config.toml".into()));
        assert_eq!(user_file(|_| None, None), None);
        assert_eq!(cache_folder(|_| None, Some("/u".into())), Some("/u/.cache/dossier".into()));
        assert_eq!(data_folder(|_| None, Some("/u".into())), Some("/u/.local/share/dossier".into()));
    }
}
