//! What edges are found by: all names, items, modules, scopes and members of the workspace. It speaks of what is seen of the
//! files from outside alone, so that it serves as long as that is the same (`environment`), whatever their bodies say.

use std::fmt;
use std::sync::Arc;

use crate::syntax::FileSyntax;
use crate::workspace::Snapshot;

use super::items::{Items, Order};
use super::lookup::Lookup;
use super::members::Members;
use super::method::World;
use super::modules::Modules;
use super::names::Names;
use super::scopes::Scopes;

pub(super) struct Frame {
    names: Names,
    order: Arc<Order>,
    pub modules: Modules,
    scopes: Scopes,
    pub members: Members,
}

impl Frame {
    pub fn new(snapshot: &Snapshot, files: &[Option<Arc<FileSyntax>>]) -> Frame {
        let mut names = Names::new();
        let items = Items::new(files, &mut names);
        let modules = Modules::new(snapshot, &items, &mut names);
        let scopes = Scopes::new(&items, &modules, &mut names);
        names.intern_types(files);
        let members =
            Members::new(Lookup { items: &items, modules: &modules, names: &names, scopes: &scopes });
        Frame { order: Arc::clone(items.order()), names, modules, scopes, members }
    }

    /// The items of `files`, which look from outside as those did that it was made of.
    pub fn items<'a>(&self, files: &'a [Option<Arc<FileSyntax>>]) -> Items<'a> {
        Items::of(files, &self.order)
    }

    pub fn world<'w, 'a>(&'w self, items: &'w Items<'a>) -> World<'w, 'a> {
        let Frame { names, modules, scopes, members, .. } = self;
        World { lookup: Lookup { items, modules, names, scopes }, members }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").finish_non_exhaustive()
    }
}
