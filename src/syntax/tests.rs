//! What is read from a text, shown as text.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{Parsed, PayloadField, Receiver, TypePath, TypeRef, Value, ValueId, enclosing, parse, skeleton};
use crate::model::Symbol;

fn check(text: &str, show: impl Fn(&str, &Parsed) -> String, expect: Expect) {
    let parsed = parse(text);
    expect.assert_eq(&show(text, &parsed));
}

fn outline(text: &str, parsed: &Parsed) -> String {
    let mut out = String::new();
    for item in &parsed.syntax.items {
        let depth =
            std::iter::successors(item.parent, |parent| parsed.syntax.items[*parent as usize].parent).count();
        let signature = item.signature.of(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let docs = item.docs.map(|docs| format!(" docs={:?}", docs.of(text))).unwrap_or_default();
        let test = if item.is_test { " test" } else { "" };
        let header = item.header.as_ref().map(|header| format!(" {header:?}")).unwrap_or_default();
        let (kind, visibility, name) = (item.kind, item.visibility, &item.name);
        let indent = "  ".repeat(depth);
        writeln!(out, "{indent}{kind:?} {visibility:?} {name} `{signature}`{docs}{test}{header}").unwrap();
    }
    out
}

fn uses(_: &str, parsed: &Parsed) -> String {
    let mut out = String::new();
    for import in &parsed.syntax.uses {
        let scope = import.scope.map_or("", |scope| parsed.syntax.items[scope as usize].name.as_str());
        let public = if import.public { "pub " } else { "" };
        let name = if import.glob { "*" } else { import.name.as_str() };
        writeln!(out, "{scope}: {public}{} as {name}", import.path.join("::")).unwrap();
    }
    out
}

/// One line for each reference: what it names, where, and what is shown of its receiver.
fn references(text: &str, parsed: &Parsed) -> String {
    let mut out = String::new();
    for (place, reference) in parsed.body.references.iter().enumerate() {
        let scope = reference.scope.map_or("", |scope| parsed.syntax.items[scope as usize].name.as_str());
        let (kind, path) = (reference.kind, reference.path.join("::"));
        let arguments = parsed.body.type_arguments.iter().find(|it| it.reference == place as u32);
        let arguments =
            arguments.map(|it| format!(" ::{}", listed(&it.arguments, written_type))).unwrap_or_default();
        let receiver = match reference.receiver {
            Receiver::Unknown => String::new(),
            Receiver::SelfValue => " of self".to_owned(),
            Receiver::Typed(id) | Receiver::Field(id) | Receiver::CallOf(id) | Receiver::MethodOf(id) => {
                format!(" of {}", written_value(parsed, id))
            }
        };
        assert!(path.ends_with(reference.at.of(text)), "{path} {:?}", reference.at.of(text));
        writeln!(out, "{scope}: {kind:?} {path}{arguments}{receiver}").unwrap();
    }
    out
}

fn written_value(parsed: &Parsed, id: ValueId) -> String {
    let inner = |id: &ValueId| written_value(parsed, *id);
    let path = |place: &u32| parsed.body.references[*place as usize].path.join("::");
    let receiver = |place: &u32| match parsed.body.references[*place as usize].receiver {
        Receiver::Unknown => "?".to_owned(),
        Receiver::SelfValue => "self".to_owned(),
        Receiver::Typed(id) | Receiver::Field(id) | Receiver::CallOf(id) | Receiver::MethodOf(id) => {
            inner(&id)
        }
    };
    match &parsed.body.values[id.0 as usize] {
        Value::Unknown => "?".to_owned(),
        Value::SelfValue => "self".to_owned(),
        Value::Typed(ty) => format!("<{}>", written_type(ty)),
        Value::Path(place) => path(place),
        Value::Call { reference, .. } => format!("{}()", path(reference)),
        Value::CallValue(callee) => format!("({})()", inner(callee)),
        Value::Method { reference, .. } => format!("{}.{}()", receiver(reference), path(reference)),
        Value::Field(place) => format!("{}.{}", receiver(place), path(place)),
        Value::Part { base, index } => format!("{}.{index}", inner(base)),
        Value::Payload { base, reference, field } => match field {
            PayloadField::Index(index) => format!("({} as {}).{index}", inner(base), path(reference)),
            PayloadField::Named(name) => format!("({} as {}).{}", inner(base), path(reference), path(name)),
        },
        Value::Tuple(parts) => format!("({} parts)", parts.len()),
        Value::Array(element) => format!("[{}]", element.as_ref().map_or("?".to_owned(), inner)),
        Value::Element(base) => format!("each of {}", inner(base)),
        Value::Index(base) => format!("{}[]", inner(base)),
        Value::Try(base) => format!("{}?", inner(base)),
        Value::Await(base) => format!("{}.await", inner(base)),
        Value::Closure(result) => format!("|| {}", result.as_ref().map_or("?".to_owned(), inner)),
        Value::ClosureParameter { call, argument, parameter } => {
            format!("parameter {parameter} of argument {argument} of {}", inner(call))
        }
        Value::OneOf(branches) => branches.iter().map(inner).collect::<Vec<_>>().join(" | "),
        Value::Macro { reference, arguments } => format!("{}!({})", path(reference), arguments.len()),
        Value::Literal(literal) => format!("{literal:?}"),
    }
}

fn written_type(ty: &TypeRef) -> String {
    match ty {
        TypeRef::Unknown => "_".to_owned(),
        TypeRef::Path(path) => written_type_path(path),
        TypeRef::Tuple(parts) => format!("({})", listed(parts, written_type)),
        TypeRef::Slice(element) => format!("[{}]", written_type(element)),
        TypeRef::Bounds(bounds) => format!("dyn {}", listed(bounds, written_type_path)),
        TypeRef::Function(signature) => {
            format!("fn({}) -> {}", listed(&signature.0, written_type), written_type(&signature.1))
        }
    }
}

fn written_type_path(path: &TypePath) -> String {
    let bindings = path.bindings.iter().map(|(name, ty)| format!("{name}={}", written_type(ty)));
    let parts: Vec<String> = path.arguments.iter().map(written_type).chain(bindings).collect();
    let arguments = if parts.is_empty() { String::new() } else { format!("<{}>", parts.join(", ")) };
    format!("{}{arguments}", path.path.join("::"))
}

fn listed<T>(parts: &[T], written: fn(&T) -> String) -> String {
    parts.iter().map(written).collect::<Vec<_>>().join(", ")
}

fn signatures(_: &str, parsed: &Parsed) -> String {
    let mut out = String::new();
    for it in &parsed.syntax.signatures {
        let name = &parsed.syntax.items[it.item as usize].name;
        let generics: Vec<String> = it
            .generics
            .iter()
            .map(|it| {
                format!(
                    "{}: {} = {}",
                    it.name,
                    listed(&it.bounds, written_type_path),
                    written_type(&it.default)
                )
            })
            .collect();
        let receiver = if it.takes_self { "self; " } else { "" };
        let (parameters, result) = (listed(&it.parameters, written_type), written_type(&it.result));
        let traits = listed(&it.traits, written_type_path);
        writeln!(out, "{name}[{}]({receiver}{parameters}) -> {result} of {traits}", generics.join("; "))
            .unwrap();
    }
    out
}

/// The kept lines, and one comment for each gap.
fn shown(text: &str, parsed: &Parsed) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::new();
    let mut next = 1;
    let gap = |next: u32, first: u32, out: &mut String| {
        if first > next {
            writeln!(out, "// … {} lines", first - next).unwrap();
        }
    };
    for range in skeleton(text, &parsed.syntax) {
        gap(next, range.first, &mut out);
        lines[range.first as usize - 1..range.last as usize].iter().for_each(|line| out.push_str(line));
        next = range.last + 1;
    }
    gap(next, lines.len() as u32 + 1, &mut out);
    out
}

#[test]
fn items_have_kind_visibility_name_parent_signature_and_docs() {
    check(
        r#"
//! The file.

/// Routes.
/// And more.
#[derive(Clone)]
pub struct Router<S = ()> where S: Clone {
    /// Its path.
    pub(crate) path: String,
    state: S,
}

pub(super) struct Pair(pub u8, u16);

enum Kind { A, B { x: u8 }, C(u8) = 3 }

pub trait Service: Clone {
    const NAME: &'static str = "x";
    type Error;
    fn call(&self) -> Result<(), Self::Error>;
    fn ready(&self) -> bool { true }
}

impl<S> fmt::Display for Router<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { Ok(()) }
}
impl Service for &dyn crate::a::Handler<u8> {}
impl Router {}

const LIMITS: [u8; 2] = [
    1,
    2,
];
static ONE: u8 = 1;
type Alias<T> = Vec<T>;
union U { a: u8 }
extern "C" { fn c(); static S: u8; }
macro_rules! m { () => {} }
m! { x }

mod inner {
    pub async unsafe fn deep() {
        fn local() {}
        const X: u8 = { fn in_const() {} 1 };
    }
}
fn r#type() {}
"#,
        outline,
        expect![[r#"
            Struct Public Router `pub struct Router<S = ()> where S: Clone` docs="/// Routes.\n/// And more."
              Field Restricted path `pub(crate) path: String` docs="/// Its path."
              Field Private state `state: S`
            Struct Restricted Pair `pub(super) struct Pair(pub u8, u16);`
            Enum Private Kind `enum Kind`
              Variant Private A `A`
              Variant Private B `B`
                Field Private x `x: u8`
              Variant Private C `C(u8) = 3`
            Trait Public Service `pub trait Service: Clone`
              Const Private NAME `const NAME: &'static str = "x";`
              TypeAlias Private Error `type Error;`
              Method Private call `fn call(&self) -> Result<(), Self::Error>;`
              Method Private ready `fn ready(&self) -> bool`
            Impl Private Router `impl<S> fmt::Display for Router<S>` ImplHeader { self_type: "Router", trait_path: Some("fmt::Display") }
              Method Private fmt `fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result`
            Impl Private Handler `impl Service for &dyn crate::a::Handler<u8>` ImplHeader { self_type: "crate::a::Handler", trait_path: Some("Service") }
            Impl Private Router `impl Router` ImplHeader { self_type: "Router", trait_path: None }
            Const Private LIMITS `const LIMITS: [u8; 2]`
            Static Private ONE `static ONE: u8 = 1;`
            TypeAlias Private Alias `type Alias<T> = Vec<T>;`
            Union Private U `union U`
              Field Private a `a: u8`
            ExternBlock Private  `extern "C"`
              Function Private c `fn c();`
              Static Private S `static S: u8;`
            Macro Private m `macro_rules! m`
            MacroCall Private m `m!`
            Module Private inner `mod inner`
              Function Public deep `pub async unsafe fn deep()`
                Function Private local `fn local()`
                Const Private X `const X: u8 = { fn in_const() {} 1 };`
                  Function Private in_const `fn in_const()`
            Function Private type `fn r#type()`
        "#]],
    );
}

#[test]
fn items_in_the_arguments_of_macros_are_read_or_told_by_their_heads() {
    check(
        r#"
thread_local! { static A: u8 = 1; fn b() {} }
id_type! {
    /// An id.
    #[derive(Clone)]
    pub CommitId { hex() }
    pub(crate) ChangeId;
}
bitflags! { pub struct Flags: u8 { const A = 1; } enum Kind { x => y } }
other! { Name, pub name, PUB }
"#,
        outline,
        expect![[r#"
            MacroCall Private thread_local `thread_local!`
              Static Private A `static A: u8 = 1;`
              Function Private b `fn b()`
            MacroCall Private id_type `id_type!`
              Struct Public CommitId `pub CommitId` docs="/// An id."
              Struct Restricted ChangeId `pub(crate) ChangeId`
            MacroCall Private bitflags `bitflags!`
              Struct Public Flags `pub struct Flags`
              Enum Private Kind `enum Kind`
            MacroCall Private other `other!`
        "#]],
    );
}

#[test]
fn use_trees_are_flattened() {
    check(
        r#"
use a;
use a::b as c;
pub(crate) use crate::a::{self, b::{C as D, self as e, *}, f as _};
use {x::y, ::z::w};
use ::{p, q::*};
use self::super::r;
extern crate alloc;
pub extern crate core as k;
extern crate self as me;
mod m { use super::*; fn f() { use std::fmt; } }
use r#type::r#fn as r#match;
"#,
        uses,
        expect![[r#"
            : a as a
            : a::b as c
            : pub crate::a as a
            : pub crate::a::b::C as D
            : pub crate::a::b as e
            : pub crate::a::b as *
            : pub crate::a::f as _
            : x::y as y
            : ::z::w as w
            : ::p as p
            : ::q as *
            : self::super::r as r
            : ::alloc as alloc
            : pub ::core as k
            : crate as me
            m: super as *
            f: std::fmt as fmt
            : type::fn as match
        "#]],
    );
}

#[test]
fn tests_are_known_by_attribute_and_by_configuration() {
    check(
        r#"
#[test] fn a() {}
#[tokio::test(flavor = "x")] async fn b() {}
#[rstest] fn c() {}
#[cfg(test)] mod tests { fn d() {} mod inner { struct E { x: u8 } } }
#[cfg(all(unix, test))] fn e() {}
#[cfg(not(test))] fn f() {}
#[cfg_attr(test, derive(Debug))] struct G;
#[cfg(feature = "x")] fn h() {}
"#,
        |_, parsed| {
            let tests = parsed.syntax.items.iter().filter(|item| item.is_test);
            tests.map(|item| item.name.as_str()).collect::<Vec<_>>().join(" ")
        },
        expect!["a b c tests d inner E x e"],
    );
}

#[test]
fn modules_tell_where_their_text_is() {
    check(
        r#"
mod a;
#[path = "x/y.rs"] mod b;
#[macro_use] mod c { #[path="z.rs"] pub mod d; }
"#,
        |_, parsed| format!("{:#?}", parsed.syntax.modules),
        expect![[r#"
            [
                ModuleDecl {
                    item: 0,
                    path: None,
                    inline: false,
                    macro_use: false,
                },
                ModuleDecl {
                    item: 1,
                    path: Some(
                        "x/y.rs",
                    ),
                    inline: false,
                    macro_use: false,
                },
                ModuleDecl {
                    item: 2,
                    path: None,
                    inline: true,
                    macro_use: true,
                },
                ModuleDecl {
                    item: 3,
                    path: Some(
                        "z.rs",
                    ),
                    inline: false,
                    macro_use: false,
                },
            ]"#]],
    );
}

#[test]
fn signatures_say_what_types_items_are_written_with() {
    check(
        r#"
struct Pair<T: Clone = u8>(pub T, &'static [Vec<T>]);
enum Kind { A(u8), B { x: Box<dyn Fn(u8) -> String + Send> } }
trait Service<R>: Clone + fmt::Debug { type Error: Into<X>; fn call(&self, r: R) -> Result<(), Self::Error>; }
impl<R> Service<R> for Pair<R> where R: Iterator<Item = u8> + 'static { type Error = io::Error; }
fn f<T, const N: usize>(self: Arc<Self>, (a, b): (T, [u8; N]), c: impl Into<String>, d: <T as Iterator>::Item) -> ! where T: A, Vec<T>: B {}
const C: fn(u8) -> Option<u8> = g;
type Alias<T> = std::result::Result<T, Error>;
"#,
        signatures,
        expect![[r#"
            Pair[T: Clone = u8](T, [Vec<T>]) -> _ of 
            Kind[]() -> _ of 
            A[](u8) -> _ of 
            B[]() -> _ of 
            x[]() -> Box<dyn Fn<(u8), Output=String>, Send> of 
            Service[R:  = _]() -> _ of Clone, fmt::Debug
            Error[]() -> _ of Into<X>
            call[](self; R) -> Result<(), Self::Error> of 
            Pair[R: Iterator<Item=u8> = _]() -> Pair<R> of Service<R>
            Error[]() -> io::Error of 
            f[T: A = _; N:  = _](self; (T, [u8]), dyn Into<String>, Iterator::Item) -> _ of 
            C[]() -> fn(u8) -> Option<u8> of 
            Alias[T:  = _]() -> std::result::Result<T, Error> of 
        "#]],
    );
}

#[test]
fn references_say_what_is_named_and_what_is_shown_of_receivers() {
    check(
        r#"
impl<T: Store> App<T> {
    fn run(&self, config: &Config, items: Vec<Item>) -> Result<Self> {
        self.start();
        self.state.inner.load(config.path());
        let x = Config::load("a")?.merge(config);
        x.go();
        let App { name, pool: Pool(p), .. } = other;
        p.get(); name.len();
        for (index, item) in items.iter().enumerate() { item.show(index); }
        if let Some(y) = self.find(x) && y.ok() { y.yes() } else if let Err(e) = f() { e.no() }
        match z::<u8>() { Kind::A(a) | Kind::B { a, .. } => a.b(), NONE => {} _ if c.d() => {} }
        items.into_iter().map(|item| item.name()).collect::<Vec<String>>().join("");
        let g = |q: Q, r| q.r(r);
        g(1).h();
        T::new().save();
        Self::make(App { state, x: 1, ..Default::default() }).await.done();
        let v = vec![Item::new(); 3];
        v.len();
        (a, b) = (1, 2);
        "s".len();
        <Foo as Bar>::baz().x();
        <T as Bar>::baz();
        let t: (A, B) = t2;
        t.1.c();
        fn inner(x: u8) { x.y(); config.z(); }
        Vec::<Item>::new()
    }
}
"#,
        references,
        expect![[r#"
            App: Type Store
            App: Type App
            run: Type Config
            run: Type Vec
            run: Type Item
            run: Type Result
            run: MethodCall start of self
            run: Field state of self
            run: Field inner of self.state
            run: MethodCall load of self.state.inner
            run: MethodCall path of <Config>
            run: Type Config
            run: Call Config::load
            run: MethodCall merge of Config::load()?
            run: MethodCall go of Config::load()?.merge()
            run: Type App
            run: Field name of <App>
            run: Field pool of <App>
            run: Value Pool
            run: Value other
            run: MethodCall get of ((other as App).pool as Pool).0
            run: MethodCall len of (other as App).name
            run: MethodCall iter of <Vec<Item>>
            run: MethodCall enumerate of <Vec<Item>>.iter()
            run: MethodCall show of each of <Vec<Item>>.iter().enumerate().1
            run: Value Some
            run: MethodCall find of self
            run: MethodCall ok of (self.find() as Some).0
            run: MethodCall yes of (self.find() as Some).0
            run: Value Err
            run: Call f
            run: MethodCall no of (f() as Err).0
            run: Call z ::u8
            run: Type u8
            run: Type Kind
            run: Value Kind::A
            run: Type Kind
            run: Type Kind::B
            run: Field a of <Kind::B>
            run: MethodCall b of (z() as Kind::B).a
            run: Value NONE
            run: Value c
            run: MethodCall d of c
            run: MethodCall into_iter of <Vec<Item>>
            run: MethodCall map of <Vec<Item>>.into_iter()
            run: MethodCall name of parameter 0 of argument 0 of <Vec<Item>>.into_iter().map()
            run: MethodCall collect ::Vec<String> of <Vec<Item>>.into_iter().map()
            run: Type Vec
            run: Type String
            run: MethodCall join of <Vec<Item>>.into_iter().map().collect()
            run: Type Q
            run: MethodCall r of <Q>
            run: MethodCall h of (|| <Q>.r())()
            run: Call T::new
            run: MethodCall save of T::new()
            run: Call Self::make
            run: Type App
            run: Field state of <App>
            run: Value state
            run: Field x of <App>
            run: Type Default
            run: Call Default::default
            run: MethodCall done of Self::make().await
            run: MacroCall vec
            run: Type Item
            run: Call Item::new
            run: MethodCall len of vec!(2)
            run: Value a
            run: Value b
            run: MethodCall len of Text
            run: Type Foo
            run: Type Bar
            run: Call Foo::baz
            run: MethodCall x of Foo::baz()
            run: Type Bar
            run: Call Bar::baz
            run: Type A
            run: Type B
            run: Value t2
            run: MethodCall c of <(A, B)>.1
            inner: Type u8
            inner: MethodCall y of <u8>
            inner: Value config
            inner: MethodCall z of config
            run: Type Vec
            run: Type Item
            run: Call Vec::new ::Item
        "#]],
    );
}

#[test]
fn arguments_of_macros_are_read() {
    check(
        r#"
fn f(a: A) {
    println!("{} {x}", a.b(), x = c(1));
    assert_eq!(a.d(), vec![e(), a.f()], "no {}", g!(h()));
    info!(?a, id = %a.i(), "text");
    json!({ "k": a.j(), "l": [ k() ] });
    matches!(a.l(), Some(M { .. }) | None if n());
    quote! { not(read) };
    select! { x = a.o() => { p(x) }, else => q() }
    a::r!(s::t);
    map! { 1 => u(), "2" => v() };
}
thread_local! { static LOCAL: Cell<W> = Cell::new(y()); }
custom! { name: z(), other { aa() } }
"#,
        references,
        expect![[r#"
            f: Type A
            f: MacroCall println
            f: MethodCall b of <A>
            f: Call c
            f: MacroCall assert_eq
            f: MethodCall d of <A>
            f: MacroCall vec
            f: Call e
            f: MethodCall f of <A>
            f: MacroCall g
            f: Call h
            f: MacroCall info
            f: MethodCall i of <A>
            f: MacroCall json
            f: MethodCall j of <A>
            f: Call k
            f: MacroCall matches
            f: MethodCall l of <A>
            f: Call Some
            f: Type M
            f: Value None
            f: Call n
            f: MacroCall quote
            f: MacroCall select
            f: Value x
            f: MethodCall o of <A>
            f: Call p
            f: Value x
            f: Call q
            f: MacroCall a::r
            f: Value s::t
            f: MacroCall map
            f: Call u
            f: Call v
            thread_local: MacroCall thread_local
            LOCAL: Type Cell
            LOCAL: Type W
            LOCAL: Type Cell
            LOCAL: Call Cell::new
            LOCAL: Call y
            custom: MacroCall custom
            custom: Call z
            custom: Type other
            custom: Call aa
        "#]],
    );
}

#[test]
fn skeleton_keeps_what_declares_and_leaves_out_bodies() {
    check(
        r#"//! Docs.
use a::b;

/// Adds.
fn add(a: u8) -> u8 {
    let b = 1;
    a + b
}
fn short() {
    1
}
fn awkward() { let x = (1,
        2);
    work();
    more();
    last() }
impl A {
    // Kept.
    const LONG: &[u8] = &[
        1, 2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
    ];
    fn f() { // why
        one();
        two();
        // end
    }
}
static TEXT: &str = "
1
2
3
4
5
6
7
8
9
10
";
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t() {
        one();
    }
}
"#,
        shown,
        expect![[r#"
            //! Docs.
            use a::b;

            /// Adds.
            fn add(a: u8) -> u8 {
            // … 2 lines
            }
            fn short() {
                1
            }
            fn awkward() { let x = (1,
                    2);
            // … 2 lines
                last() }
            impl A {
                // Kept.
                const LONG: &[u8] = &[
            // … 11 lines
                ];
                fn f() { // why
            // … 3 lines
                }
            }
            static TEXT: &str = "
            // … 10 lines
            ";
            #[cfg(test)]
            mod tests {
            // … 6 lines
            }
        "#]],
    );
}

#[test]
fn broken_code_gives_what_can_be_read() {
    check(
        "fn a( { struct B { x: } impl C for { fn d(&self -> X { } use e::{f, ",
        outline,
        expect![[r#"
            Function Private a `fn a(`
              Struct Private B `struct B`
                Field Private x `x:`
              Impl Private  `impl C for` ImplHeader { self_type: "", trait_path: Some("C") }
                Method Private d `fn d(&self ->`
        "#]],
    );
}

#[test]
fn innermost_item_around_an_offset() {
    let text = "mod a { fn b() { 1 } } struct C;";
    let items = parse(text).syntax.items;
    let around = |word: &str| {
        enclosing(&items, text.find(word).unwrap() as u32).map(|place| items[place as usize].name.clone())
    };
    assert_eq!(around("1").as_deref(), Some("b"));
    assert_eq!(around("} struct").as_deref(), Some("a"));
    assert_eq!(around("C;").as_deref(), Some("C"));
    assert_eq!(around(" struct"), None);
    assert_eq!(enclosing(&items, u32::MAX), None);
}

/// Far beyond every limit, and quick to make.
const DEEP_BYTES: usize = 1 << 16;

#[test]
fn a_megabyte_of_brackets_does_not_overflow() {
    for bracket in ["(", "[", "{"] {
        let parsed = parse(&bracket.repeat(1 << 20));
        assert!(parsed.syntax.errors > 0 && parsed.syntax.items.is_empty());
    }
}

#[test]
fn deep_nesting_does_not_overflow() {
    let patterns = [
        "(",
        "[",
        "{",
        "((",
        "!",
        "&",
        "-",
        "*",
        "a.b()",
        "a+",
        "a::<",
        "A<",
        "A<B,",
        "fn a() {",
        "mod a {",
        "if a {} else ",
        "|a| ",
        "|a, b| ",
        "return ",
        "a = ",
        "match a { _ => ",
        "f!(",
        "f![{",
        "impl A for ",
        "use a::{",
        "&&",
        "x as ",
        "..",
        "let a = || {",
        "&mut ",
        "fn(",
        "-> ",
        "for<'a> ",
        "<A as ",
        "dyn ",
        "box ",
        "a?",
        "a[",
        "S { a: ",
        "async move { ",
        "'a: loop {",
        "break ",
        "#[a",
        "#[a(",
        "/*",
        "r#\"",
        "a || ",
        "Box<dyn Fn(",
        "where A: ",
        "enum E { A(",
        "_ | ",
        "ref ",
        "(a, ",
        "[a; ",
        "{ a; ",
        "{ fn f() {} ",
        "while let ",
        "if let A(",
        "struct A<const N: u8 = {",
        "impl Fn() -> ",
    ];
    for pattern in patterns {
        let text = format!("fn before() {{}} fn f() {{ x = {}", pattern.repeat(DEEP_BYTES / pattern.len()));
        let parsed = parse(&text);
        assert_eq!(parsed.syntax.items.first().map(|item| item.name.as_str()), Some("before"), "{pattern}");
        let parsed = parse(&pattern.repeat(DEEP_BYTES / pattern.len()));
        skeleton(&text, &parsed.syntax);
    }
}

fn own_sources() -> Vec<String> {
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                sources.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    sources
}

fn assert_skeleton_is_valid(text: &str) {
    let parsed = parse(text);
    let shown = shown(text, &parsed);
    if parsed.syntax.errors == 0 {
        assert_eq!(parse(&shown).syntax.errors, 0, "{text}\n-----\n{shown}");
    }
}

fn assert_items_nest(text: &str) {
    let items = parse(text).syntax.items;
    for (place, item) in items.iter().enumerate() {
        if let Some(parent) = item.parent {
            assert!((parent as usize) < place && items[parent as usize].span.covers(item.span), "{text}");
        }
        assert!(item.span.covers(item.name_span) && item.span.covers(item.signature), "{text}");
        let inside = |span: Option<crate::model::Span>| span.is_none_or(|span| item.span.covers(span));
        assert!(inside(item.body) && inside(item.docs), "{text}");
    }
    assert!(items.is_sorted_by_key(|item: &Symbol| item.span.start), "{text}");
}

#[test]
fn skeletons_of_real_files_are_valid() {
    for text in own_sources() {
        assert_skeleton_is_valid(&text);
        assert_items_nest(&text);
    }
}

/// Rust texts as formatters never write them: lines broken anywhere.
fn odd_source() -> impl Strategy<Value = String> {
    let gap = || prop_oneof![4 => Just(" "), 3 => Just("\n"), 1 => Just(" // c\n"), 1 => Just("\n\n"), 1 => Just("/* c\n */"), 1 => Just("\r\n")];
    let words = [
        "fn f ( ) { a ( ) ; b ( 1 , 2 ) ; let x = \"p\nq\" ; if c { d } e }",
        "const X : & [ u8 ] = & [ 1 , 2 , 3 , 4 , 5 , 6 , 7 , 8 , 9 , 10 , 11 , 12 ] ;",
        "const Y : S = S { a : 1 , b : [ 2 ; 3 ] , c , .. d } ;",
        "static Z : & str = \"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\" ;",
        "# [ cfg ( test ) ] mod tests { use a ; fn t ( ) { } const C : u8 = 1 ; }",
        "impl A for B { fn f ( & self ) -> u8 { match self { A => 1 , B if x => { 2 } _ => 3 } } }",
        "macro_rules ! m { ( $ a : expr ) => { $ a } ; ( ) => { 1 } }",
        "m ! { a , b ; c => { d } }",
        "const F : fn ( ) = || { a ( ) ; match x { 1 => 2 , _ => { 3 } } } ;",
    ];
    let item = proptest::sample::select(words.to_vec()).prop_flat_map(move |item| {
        let words: Vec<&'static str> = item.split(' ').collect();
        let gaps = proptest::collection::vec(gap(), words.len());
        gaps.prop_map(move |gaps| {
            words.iter().zip(gaps).map(|(word, gap)| format!("{word}{gap}")).collect::<String>()
        })
    });
    proptest::collection::vec(item, 1..5).prop_map(|items| items.concat())
}

proptest! {
    #[test]
    fn skeletons_of_odd_texts_are_valid(text in odd_source()) {
        assert_eq!(parse(&text).syntax.errors, 0, "{text}");
        assert_skeleton_is_valid(&text);
        assert_items_nest(&text);
    }

    #[test]
    fn skeletons_of_cut_texts_do_not_fail(text in odd_source(), from in 0usize..400, length in 0usize..60) {
        let from = text.floor_char_boundary(from.min(text.len()));
        let to = text.floor_char_boundary((from + length).min(text.len()));
        let cut = format!("{}{}", &text[..from], &text[to..]);
        assert_skeleton_is_valid(&cut);
        assert_items_nest(&cut);
    }
}
