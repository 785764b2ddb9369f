//! The daemon's life: it takes the lock, listens, and ends when it is asked to, is not used, or cannot be found any more.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::connection::Peer;
use super::place::{DaemonPlace, PlaceError};
use super::socket::{self, Listener};
use crate::rpc::spawn_thread;
use crate::session::protocol::{Lsp, Place};
use crate::session::{Dispatch, Host, Sessions};

/// How often it looks whether it should end.
const ROUND: Duration = Duration::from_millis(100);
/// Requests under way get so long when it is asked to end.
const FAREWELL: Duration = Duration::from_secs(5);
/// Clients at once; an editor has one, a command one for as long as it runs.
const MOST_CLIENTS: usize = 256;

/// Why it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// A client asked it to.
    Asked,
    /// Nobody used it.
    Idle,
    /// Its socket was removed: nobody could find it.
    Lost,
}

/// Why there is no daemon.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error("another daemon runs already (process {})", .0.map_or("?".to_owned(), |process| process.to_string()))]
    Held(Option<u32>),
    #[error("cannot listen at {}", path.display())]
    Listen { path: std::path::PathBuf, source: std::io::Error },
}

/// Serves until it ends. `build` tells this build of the program from others; `opened` is a workspace that is asked for soon.
///
/// # Errors
/// Where another process serves already, or nothing can be listened at.
pub fn serve(
    place: &DaemonPlace,
    host: Host,
    build: String,
    opened: Option<(Place, Lsp)>,
) -> Result<Ended, ServeError> {
    place.make()?;
    let path = place.socket();
    let failed = |source| ServeError::Listen { path: path.clone(), source };
    let lock = place.lock().map_err(failed)?.ok_or_else(|| ServeError::Held(place.holder()))?;
    let listener = socket::bind(&path).map_err(failed)?;
    let limits = host.limits;
    let sessions = Sessions::new(host);
    let dispatch = Arc::new(Dispatch::new(Arc::clone(&sessions), build));
    let clients = Arc::new(AtomicUsize::new(0));
    let (accepting, counted) = (Arc::clone(&dispatch), Arc::clone(&clients));
    if !spawn_thread("clients", move || accept(&listener, &accepting, &counted)) {
        return Err(failed(std::io::ErrorKind::OutOfMemory.into()));
    }
    if let Some((place, lsp)) = opened {
        let dispatch = Arc::clone(&dispatch);
        let _opens_with_the_first_request = spawn_thread("opening", move || dispatch.open(&place, &lsp));
    }
    tracing::info!(version = env!("CARGO_PKG_VERSION"), process = std::process::id(), "began");
    let own = identity(&path);
    let mut used = Instant::now();
    let ended = loop {
        std::thread::park_timeout(ROUND);
        if clients.load(Ordering::Relaxed) > 0 || !dispatch.is_idle() {
            used = Instant::now();
        }
        if dispatch.is_ending() {
            break Ended::Asked;
        }
        if identity(&path) != own {
            break Ended::Lost;
        }
        if used.elapsed() > limits.idle {
            break Ended::Idle;
        }
    };
    tracing::info!(?ended, "ends");
    if ended != Ended::Lost {
        let _is_a_dead_ones_for_the_next = std::fs::remove_file(&path);
    }
    let since = Instant::now();
    while !dispatch.is_idle() && since.elapsed() < FAREWELL {
        std::thread::park_timeout(ROUND);
    }
    sessions.close();
    lock.release();
    Ok(ended)
}

fn accept(listener: &Listener, dispatch: &Arc<Dispatch>, clients: &Arc<AtomicUsize>) {
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // No descriptors are left, or the client has gone already.
            Err(error) => {
                tracing::warn!(%error, "no client");
                std::thread::park_timeout(ROUND);
                continue;
            }
        };
        if !socket::is_our_users(&stream) || clients.load(Ordering::Relaxed) >= MOST_CLIENTS {
            tracing::warn!("a client is turned away");
            continue;
        }
        let Ok(peer) = Peer::new(stream, Arc::clone(dispatch)) else { continue };
        clients.fetch_add(1, Ordering::Relaxed);
        let counted = Arc::clone(clients);
        let served = spawn_thread("client", move || {
            if let Err(error) = peer.serve() {
                tracing::warn!(kind = %error.kind(), "a client sent what is no message");
            }
            counted.fetch_sub(1, Ordering::Relaxed);
        });
        if !served {
            clients.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Which file is at a path, so that another's socket is told from ours.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|_| (0, 0))
}
