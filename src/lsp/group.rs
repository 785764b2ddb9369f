//! A process group that ends with its owner, however the owner ends.
//!
//! Its leader is a guard, a shell that reads a pipe of ours: when we die, by whatever signal, the pipe closes and the guard kills the
//! group. The guard is there before the server is, so that no moment is unguarded; and while it is not reaped nobody else can be given
//! the group's number. A handler of signals would do neither: nothing handles `kill -9`.

use std::io;
use std::path::Path;
use std::process::{Child, Command};

#[cfg(unix)]
pub(super) use unix::Group;

#[cfg(not(unix))]
pub(super) use elsewhere::Group;

#[cfg(unix)]
mod unix {
    use std::os::unix::process::CommandExt;
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    const SHELL: &str = "/bin/sh";

    /// `kill … 0` is for the whole group of the one who says it; the guard itself outlives the first. `$1` is the server's folder for
    /// temporary files: we are not there to remove it.
    const GUARD: &str =
        "trap '' HUP INT TERM; read -r line; kill -TERM 0; sleep 1; rm -rf -- \"$1\"; kill -KILL 0";

    /// The guard's name among the processes.
    const GUARD_NAME: &str = "dossier-guard";

    pub(in super::super) struct Group {
        /// `None` where there is no shell: then the first child leads the group, and ends with its input alone if we are killed.
        guard: Option<Child>,
        leader: Option<Pid>,
    }

    impl Group {
        /// Starts a program in a group of its own; `scratch` is its folder for temporary files.
        pub(in super::super) fn spawn(command: &mut Command, scratch: &Path) -> io::Result<(Child, Group)> {
            // From here on the guard dies with the value, on every way out.
            let mut group = Group::guarded(scratch);
            command.process_group(group.leader.map_or(0, |leader| leader.as_raw_nonzero().get()));
            let child = command.spawn()?;
            group.leader = group.leader.or_else(|| Some(Pid::from_child(&child)));
            Ok((child, group))
        }

        fn guarded(scratch: &Path) -> Group {
            let guard = Command::new(SHELL)
                .args(["-c", GUARD, GUARD_NAME])
                .arg(scratch)
                .env_clear()
                .current_dir("/")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .ok();
            let leader = guard.as_ref().map(Pid::from_child);
            Group { guard, leader }
        }

        /// Kills everything in the group. Call it before the group's leader is reaped.
        pub(in super::super) fn kill(&mut self) {
            if let Some(leader) = self.leader.take() {
                // An error means that nobody is left.
                let _ = kill_process_group(leader, Signal::KILL);
            }
            if let Some(mut guard) = self.guard.take() {
                let _ = guard.wait();
            }
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            self.kill();
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use super::*;

    /// Without groups the server ends with its input, or is killed alone.
    pub(in super::super) struct Group;

    impl Group {
        pub(in super::super) fn spawn(command: &mut Command, _scratch: &Path) -> io::Result<(Child, Group)> {
            Ok((command.spawn()?, Group))
        }

        pub(in super::super) fn kill(&mut self) {}
    }
}
