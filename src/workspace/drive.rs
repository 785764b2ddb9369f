//! Whether a folder lies on a disk of this machine, or is reached over a network or from a virtual machine's host.
//!
//! There, other machines write too: the system tells nothing of what they change, processes have no memory in common through a mapped
//! file, and a socket is of use to one of the machines alone.

use std::path::Path;

/// File systems that others may write, by the numbers of Linux (`linux/magic.h`, and the sources of those that are not part of it).
#[cfg(target_os = "linux")]
const SHARED: [(u32, &str); 14] = [
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb2"),
    (0x0102_1997, "9p"),
    // sshfs and what virtual machines share of their hosts; those that are a disk of this machine's are not told from them.
    (0x6573_5546, "fuse"),
    (0x5346_414f, "afs"),
    (0x6b41_4653, "kafs"),
    (0x7375_7245, "coda"),
    (0x00c3_6400, "ceph"),
    (0x0bd0_0bd0, "lustre"),
    (0x4750_4653, "gpfs"),
    (0x786f_4256, "vboxsf"),
    (0xbacb_acbc, "vmhgfs"),
];

/// The name of the file system, where `path`, or what there is of it, lies on one that other machines may write; where the system does
/// not tell, none.
#[cfg(target_os = "linux")]
pub(crate) fn shared(path: &Path) -> Option<&'static str> {
    let found = path.ancestors().find_map(|path| rustix::fs::statfs(path).ok())?;
    // The number has 32 bits, in a field that is signed on some machines.
    name(found.f_type as u32)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn shared(_: &Path) -> Option<&'static str> {
    None
}

#[cfg(target_os = "linux")]
fn name(number: u32) -> Option<&'static str> {
    SHARED.iter().find(|(shared, _)| *shared == number).map(|(_, name)| *name)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_other_machines_may_write_is_told_from_a_disk() {
        const EXT: u32 = 0xef53;
        const TMPFS: u32 = 0x0102_1994;
        const OVERLAY: u32 = 0x794c_7630;
        assert_eq!([EXT, TMPFS, OVERLAY].map(name), [None; 3]);
        assert_eq!([0x6969, 0xff53_4d42, 0x0102_1997].map(name), [Some("nfs"), Some("cifs"), Some("9p")]);
        assert_eq!(shared(Path::new("/proc/self/nothing/here")), None);
        assert_eq!(shared(Path::new("")), None);
    }
}
