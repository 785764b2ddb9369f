//! What other files can see of a file: as long as it stays the same, what they name means what it meant before.

use super::FileSyntax;
use crate::model::Span;
use crate::text::Digest;

/// A digest of all in `syntax` but where it stands and how it reads. What is new in `FileSyntax` counts until it is taken
/// out here.
pub(super) fn of(syntax: &FileSyntax) -> Digest {
    let mut seen = syntax.clone();
    (seen.docs, seen.errors, seen.interface) = (None, 0, Digest::default());
    seen.folds.clear();
    for item in &mut seen.items {
        item.docs = None;
        // Whether a struct has one tells what it is.
        item.body = item.body.map(|_| Span::default());
        (item.span, item.name_span, item.signature) = Default::default();
    }
    for import in &mut seen.uses {
        (import.span, import.at) = Default::default();
    }
    postcard::to_stdvec(&seen).map(|bytes| Digest::of(&bytes)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// Whether two texts look the same to other files.
    fn check(one: &str, other: &str, expected: bool) {
        let interface = |text: &str| parse(text).syntax.interface;
        assert_eq!(interface(one) == interface(other), expected, "{one}\n{other}");
    }

    #[test]
    fn bodies_docs_and_places_do_not_count() {
        check("fn a() { b() }", "/// Docs\n\nfn a() {\n    c.d()\n}", true);
        check("use a::b; struct S { f: u8 }", "use   a::b;\n// S\nstruct S {\n    f: u8,\n}", true);
    }

    #[test]
    fn names_types_and_order_count() {
        for other in [
            "fn b() {}",
            "pub fn a() {}",
            "fn a(x: u8) {}",
            "fn a() {} fn b() {}",
            "fn a() { let x: Other; }",
            "use a::b; fn a() {}",
            "#[test] fn a() {}",
        ] {
            check("fn a() {}", other, false);
        }
        check("struct S;", "struct S {}", false);
        check("fn a() {} fn b() {}", "fn b() {} fn a() {}", false);
    }
}
