//! The tree of a text, freed by whoever drops it.
//!
//! Not `SourceFile::parse`: its `Parse` hands the tree on to a thread that frees ten times a second, so that the
//! trees of many files stand in memory at once, and tells the errors only together with a second walk over the
//! tree. The calls are those that it makes itself.

use ra_ap_parser::{LexedStr, StrStep, TopEntryPoint};
use ra_ap_syntax::ast::SourceFile;
use ra_ap_syntax::{AstNode, SyntaxKind, SyntaxNode};
use rowan::GreenNodeBuilder;

use super::parse::EDITION;

pub(super) struct Tree {
    pub file: SourceFile,
    /// Where the lexer and the parser could not read on, in bytes.
    pub errors: Vec<u32>,
}

/// `None` where the parser gives no file.
pub(super) fn tree(text: &str) -> Option<Tree> {
    let lexed = LexedStr::new(EDITION, text);
    let parsed = TopEntryPoint::SourceFile.parse(&lexed.to_input(EDITION));
    let mut builder = GreenNodeBuilder::new();
    let mut errors: Vec<u32> = lexed.errors().map(|(token, _)| lexed.text_start(token) as u32).collect();
    lexed.intersperse_trivia(&parsed, &mut |step| match step {
        StrStep::Token { kind, text } => builder.token(raw(kind), text),
        StrStep::Enter { kind } => builder.start_node(raw(kind)),
        StrStep::Exit => builder.finish_node(),
        StrStep::Error { pos, .. } => errors.push(pos as u32),
    });
    let file = SourceFile::cast(SyntaxNode::new_root(builder.finish()))?;
    Some(Tree { file, errors })
}

fn raw(kind: SyntaxKind) -> rowan::SyntaxKind {
    rowan::SyntaxKind(kind.into())
}
