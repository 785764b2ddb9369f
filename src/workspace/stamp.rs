//! What tells without reading a file that it has not changed.

use std::fs::Metadata;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A file that changed so shortly before it was read may have changed once more without a new time: a file system's clock
/// ticks (FAT: every two seconds), and a network's may go behind ours. Git calls such files racy.
const TICK: Duration = Duration::from_secs(2);

/// What the file system says of a file. Times are in nanoseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    modified: i64,
    /// When its entry changed, which no program can set. Zero where the system does not tell.
    changed: i64,
    /// Zero where the system does not tell.
    inode: u64,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Stamp {
        let (changed, inode) = identity(metadata);
        let modified = metadata.modified().map(nanos).unwrap_or(i64::MAX);
        Stamp { bytes: metadata.len(), modified, changed, inode }
    }

    #[cfg(test)]
    pub(super) fn sized(bytes: u64) -> Stamp {
        Stamp { bytes, ..Stamp::default() }
    }

    /// Whether the text that was read at `read` is that of every file with this stamp.
    pub(super) fn is_settled(&self, read: i64) -> bool {
        self.modified.max(self.changed).saturating_add(TICK.as_nanos() as i64) < read
    }
}

/// The time by our clock.
pub(super) fn now() -> i64 {
    nanos(SystemTime::now())
}

fn nanos(time: SystemTime) -> i64 {
    let nanos = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    time.duration_since(UNIX_EPOCH).map_or_else(|before| -nanos(before.duration()), nanos)
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (i64, u64) {
    use std::os::unix::fs::MetadataExt;
    const NANOS: i64 = 1_000_000_000;
    let changed = metadata.ctime().saturating_mul(NANOS).saturating_add(metadata.ctime_nsec());
    (changed, metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (i64, u64) {
    (0, 0)
}
