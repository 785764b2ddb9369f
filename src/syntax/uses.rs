//! `use` trees, flattened to their leaves.

use ra_ap_syntax::ast::{self, HasName, HasVisibility};
use ra_ap_syntax::{AstNode, SyntaxToken, T};

use super::Import;
use super::extract::Extractor;

impl Extractor<'_> {
    pub(super) fn use_item(&mut self, item: &ast::Use) {
        let public = item.visibility().is_some();
        if let Some(tree) = item.use_tree() {
            self.use_tree(&tree, &mut Vec::new(), public);
        }
    }

    pub(super) fn extern_crate(&mut self, item: &ast::ExternCrate) {
        let Some(name) = item.name_ref() else { return };
        let at = self.span(name.syntax().text_range());
        let crate_name = self.ident(at).to_owned();
        let path = match crate_name.as_str() {
            "self" => vec!["crate".to_owned()],
            _ => vec![String::new(), crate_name.clone()],
        };
        let name = item.rename().map_or(crate_name, |rename| self.renamed(&rename));
        self.out.uses.push(Import {
            path,
            name,
            glob: false,
            public: item.visibility().is_some(),
            scope: self.scope,
            span: self.span(item.syntax().text_range()),
            at,
        });
    }

    fn use_tree(&mut self, tree: &ast::UseTree, prefix: &mut Vec<String>, public: bool) {
        let outer = prefix.len();
        if let Some(path) = tree.path() {
            self.push_segments(&path, prefix);
        } else if starts_at_root(tree) && prefix.is_empty() {
            prefix.push(String::new());
        }
        if let Some(list) = tree.use_tree_list() {
            for child in list.use_trees() {
                self.use_tree(&child, prefix, public);
            }
        } else if tree.star_token().is_some() {
            self.push_import(tree, prefix.clone(), String::new(), true, public);
        } else {
            self.use_leaf(tree, prefix, public);
        }
        prefix.truncate(outer);
    }

    fn use_leaf(&mut self, tree: &ast::UseTree, prefix: &[String], public: bool) {
        let mut path = prefix.to_vec();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(last) = path.last() else { return };
        let name = tree.rename().map_or_else(|| last.clone(), |rename| self.renamed(&rename));
        self.push_import(tree, path, name, false, public);
    }

    fn push_import(
        &mut self,
        tree: &ast::UseTree,
        path: Vec<String>,
        name: String,
        glob: bool,
        public: bool,
    ) {
        let span = self.span(tree.syntax().text_range());
        let name_ref = tree.path().and_then(|path| path.segment()).and_then(|segment| segment.name_ref());
        let at = name_ref.map_or(span, |name| self.span(name.syntax().text_range()));
        self.out.uses.push(Import { path, name, glob, public, scope: self.scope, span, at });
    }

    fn renamed(&self, rename: &ast::Rename) -> String {
        rename.name().map_or_else(
            || "_".to_owned(),
            |name| self.ident(self.span(name.syntax().text_range())).to_owned(),
        )
    }

    /// Appends the segments of a path as written, without generic arguments; an empty one for a leading `::`.
    pub(super) fn push_segments(&self, path: &ast::Path, into: &mut Vec<String>) {
        if let Some(qualifier) = path.qualifier() {
            self.push_segments(&qualifier, into);
        }
        let Some(segment) = path.segment() else { return };
        if path.qualifier().is_none() && into.is_empty() && segment.coloncolon_token().is_some() {
            into.push(String::new());
        }
        if let Some(name) = segment.name_ref() {
            into.push(self.ident(self.span(name.syntax().text_range())).to_owned());
        }
    }
}

/// `use ::{a, b}` and `use ::*`.
fn starts_at_root(tree: &ast::UseTree) -> bool {
    let first: Option<SyntaxToken> = tree.syntax().first_token();
    first.is_some_and(|token| token.kind() == T![::])
}
