//! How much memory processes take, where the system tells.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Bytes in memory of this process.
pub(super) fn own() -> Option<u64> {
    resident("self")
}

/// Bytes in memory of everything that this process started, directly or not.
pub(super) fn of_children() -> Option<u64> {
    let mut parents: BTreeMap<u32, u32> = BTreeMap::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(parent) = parent(&entry.path()) {
            parents.insert(process, parent);
        }
    }
    let own = std::process::id();
    let is_ours = |process: &&u32| {
        // A chain of parents is short; the bound is for a table that changed while it was read.
        let mut at = **process;
        (0..parents.len()).any(|_| {
            at = parents.get(&at).copied().unwrap_or(0);
            at == own
        })
    };
    Some(parents.keys().filter(is_ours).filter_map(|process| resident(&process.to_string())).sum())
}

/// The second number of `/proc/PID/statm` is the pages in memory.
fn resident(process: &str) -> Option<u64> {
    let text = fs::read_to_string(Path::new("/proc").join(process).join("statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * page_size())
}

/// `/proc/PID/stat`: the name stands in brackets and may hold anything; the parent is the second word behind it.
fn parent(process: &Path) -> Option<u32> {
    let text = fs::read_to_string(process.join("stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(unix)]
fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

#[cfg(not(unix))]
fn page_size() -> u64 {
    0
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_takes_some() {
        assert!(own().unwrap() > 1 << 20);
        assert!(of_children().is_some());
    }
}
