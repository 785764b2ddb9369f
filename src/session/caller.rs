//! Who asks: the texts that its user has not saved, and the language servers that it lends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};

use serde_json::{Value, json};

use super::Overlays;
use super::protocol::Lent;
use crate::lsp::ServerState;
use crate::model::Deadline;
use crate::pipeline::{LanguageServer, Workspace};
use crate::rpc::{Lost, Reply, Wire, lock};

/// The request by which a client is asked to ask its language server.
pub const FORWARD: &str = "dossier/forward";

/// A client, as one request sees it.
#[derive(Clone, Default)]
pub struct Caller {
    /// As of the moment in which the request came.
    pub unsaved: Arc<Overlays>,
    /// `None`: it cannot be asked anything.
    pub lender: Option<Arc<Lender>>,
}

/// A client's language servers, each proved once for a workspace.
pub struct Lender {
    client: Weak<dyn Wire>,
    known: Mutex<BTreeMap<(PathBuf, Lent), Arc<LanguageServer>>>,
}

/// The way to one server through the client that runs it.
struct Through {
    client: Weak<dyn Wire>,
    server: String,
}

impl Lender {
    /// A client that answers `dossier/forward`.
    pub(crate) fn new(client: Weak<dyn Wire>) -> Lender {
        Lender { client, known: Mutex::default() }
    }

    /// The server that is lent for a workspace: waited for until the deadline. `None` where it is none that we know.
    pub(super) fn server(
        &self,
        lent: &Lent,
        workspace: &Workspace,
        deadline: &Deadline,
    ) -> Option<Arc<LanguageServer>> {
        let root = &workspace.snapshot.root;
        let server = {
            let mut known = lock(&self.known);
            match known.get(&(root.clone(), lent.clone())) {
                Some(server) => Arc::clone(server),
                None => {
                    let wire = Through { client: Weak::clone(&self.client), server: lent.server.clone() };
                    let server = LanguageServer::lent(root, &lent.server, &lent.encoding, Box::new(wire))?;
                    let server = Arc::new(server);
                    known.insert((root.clone(), lent.clone()), Arc::clone(&server));
                    server
                }
            }
        };
        if server.status().state != ServerState::Ready {
            server.wait(workspace, deadline, &mut |_| ());
        }
        Some(server)
    }
}

impl Wire for Through {
    fn ask(&self, method: &str, params: Value, deadline: &Deadline) -> Result<Reply, Lost> {
        let client = self.client.upgrade().ok_or(Lost::Ended)?;
        let params = json!({ "server": self.server, "method": method, "params": params });
        client.ask(FORWARD, params, deadline)
    }

    /// The client keeps its server's texts and files up to date itself.
    fn tell(&self, _: &str, _: Value) -> Result<(), Lost> {
        Ok(())
    }
}
