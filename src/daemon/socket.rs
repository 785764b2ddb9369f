//! The socket itself. Elsewhere than on Unix there is none yet, and commands do the work themselves.

#[cfg(unix)]
pub(super) use unix::{Listener, Stream, bind, connect};

#[cfg(not(unix))]
pub(super) use elsewhere::{Listener, Stream, bind, connect};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::path::Path;

    pub(in super::super) use std::os::unix::net::UnixListener as Listener;
    pub(in super::super) use std::os::unix::net::UnixStream as Stream;

    /// Listens at a path. Whoever calls this holds the lock: what is there is a dead process's.
    pub(in super::super) fn bind(path: &Path) -> io::Result<Listener> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Listener::bind(path),
        }
    }

    pub(in super::super) fn connect(path: &Path) -> io::Result<Stream> {
        let stream = Stream::connect(path)?;
        if is_our_users(&stream) { Ok(stream) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    /// Whether the other side is this user's: the folder lets nobody else in, and what is not certain is asked.
    #[cfg(target_os = "linux")]
    pub(in super::super) fn is_our_users(stream: &Stream) -> bool {
        let other = rustix::net::sockopt::socket_peercred(stream);
        other.is_ok_and(|other| other.uid == rustix::process::getuid())
    }

    #[cfg(not(target_os = "linux"))]
    pub(in super::super) fn is_our_users(_: &Stream) -> bool {
        true
    }
}

#[cfg(unix)]
pub(super) use unix::is_our_users;

#[cfg(not(unix))]
pub(super) use elsewhere::is_our_users;

/// What cannot be had is never there.
#[cfg(not(unix))]
mod elsewhere {
    use std::io::{self, Read, Write};
    use std::net::Shutdown;
    use std::path::Path;
    use std::time::Duration;

    pub(in super::super) enum Listener {}
    #[derive(Debug)]
    pub(in super::super) enum Stream {}

    pub(in super::super) fn bind(_: &Path) -> io::Result<Listener> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in super::super) fn connect(_: &Path) -> io::Result<Stream> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in super::super) fn is_our_users(stream: &Stream) -> bool {
        match *stream {}
    }

    impl Listener {
        pub fn accept(&self) -> io::Result<(Stream, ())> {
            match *self {}
        }

        pub fn set_nonblocking(&self, _: bool) -> io::Result<()> {
            match *self {}
        }
    }

    impl Stream {
        pub fn try_clone(&self) -> io::Result<Stream> {
            match *self {}
        }

        pub fn shutdown(&self, _: Shutdown) -> io::Result<()> {
            match *self {}
        }

        pub fn set_nonblocking(&self, _: bool) -> io::Result<()> {
            match *self {}
        }

        pub fn set_write_timeout(&self, _: Option<Duration>) -> io::Result<()> {
            match *self {}
        }
    }

    impl Read for Stream {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            match *self {}
        }
    }

    impl Write for Stream {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            match *self {}
        }

        fn flush(&mut self) -> io::Result<()> {
            match *self {}
        }
    }
}
