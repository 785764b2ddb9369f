//! JSON-RPC over two streams, in the framing of the language server protocol: to a language server, to the daemon, from an editor. Knows
//! no methods.

mod frame;
mod transport;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use frame::read;
pub(crate) use transport::{
    Answer, CANCEL, Ending, Listener, Lost, Pending, Reply, Transport, Waiting, Wire,
};

/// The value behind a lock, whoever panicked with it: no value here is left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that nobody waits for; whether the system had one to give.
pub(crate) fn spawn_thread(name: &str, run: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name(name.to_owned()).spawn(run).is_ok()
}
