//! What the graph makes of small workspaces. A fixture is several files, each behind a line `//- /path`.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::answers::Made;
use super::learned::Lesson;
use super::{Answers, FileAnswers, Graph, Speaker, WHOLE_FILE};
use crate::lsp::{Fact, LanguageProvider};
use crate::model::{Certainty, Deadline, EdgeKind, FileId, Source, Span, SymbolId};
use crate::syntax;
use crate::workspace::{FileKey, Snapshot};

struct Fixture {
    snapshot: Snapshot,
    graph: Graph,
}

impl Fixture {
    fn new(text: &str) -> Fixture {
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            match line.trim().strip_prefix("//- /") {
                Some(path) => files.push((path.to_owned(), String::new())),
                None => files.last_mut().into_iter().for_each(|(_, text)| text.push_str(line)),
            }
        }
        if files.iter().all(|(path, _)| !path.ends_with("Cargo.toml")) {
            let manifest = "[package]\nname = \"krate\"\nedition = \"2024\"\n";
            files.push(("Cargo.toml".to_owned(), manifest.to_owned()));
        }
        let snapshot = Snapshot::from_files("/fixture", files);
        let texts = snapshot.files.iter().map(|file| file.path.ends_with(".rs").then_some(&*file.text));
        let (syntax, bodies) = syntax::parse_all(&texts.collect::<Vec<_>>());
        let graph = Graph::build(&snapshot, &syntax, &bodies);
        Fixture { snapshot, graph }
    }

    fn name(&self, id: SymbolId) -> String {
        let path = self.graph.module_path(id);
        if id.item == WHOLE_FILE { format!("{path} (file)") } else { path }
    }

    /// One line for each edge of the kinds: `from -kind-> to`, `?` where it is guessed.
    fn edges(&self, kinds: &[EdgeKind]) -> String {
        let mut out = String::new();
        for edge in self.graph.edges().filter(|edge| kinds.contains(&edge.kind)) {
            let mark = if edge.certainty == Certainty::Resolved { "" } else { "?" };
            let at = edge.at.of(&self.snapshot.file(edge.from.file).text);
            writeln!(out, "{} -{at}{mark}-> {}", self.name(edge.from), self.name(edge.to)).unwrap();
        }
        out
    }

    fn symbol(&self, path: &str) -> SymbolId {
        match self.graph.definitions(path).as_slice() {
            [only] => *only,
            found => panic!("{path}: {found:?}"),
        }
    }

    fn told(&self, facts: &[Fact]) -> String {
        let told = facts.iter().map(|fact| {
            let mark = if fact.certainty == Certainty::Resolved { "" } else { "?" };
            format!("{}{mark}", self.name(fact.symbol))
        });
        told.collect::<Vec<_>>().join(", ")
    }
}

/// The calls and uses in a fixture.
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&Fixture::new(text).edges(&[EdgeKind::Calls, EdgeKind::Uses]));
}

fn check_kind(text: &str, kind: EdgeKind, expect: Expect) {
    expect.assert_eq(&Fixture::new(text).edges(&[kind]));
}

#[test]
fn or_patterns_take_each_alternative_apart() {
    check(
        r#"
//- /src/lib.rs
use std::process::ExitStatus;
struct Code;
impl Code { fn code(&self) {} }
enum Error { A { status: ExitStatus }, B { status: ExitStatus }, C { status: Code } }
impl Error {
    fn code(&self) {
        match self {
            Self::A { status, .. } | Self::B { status, .. } => status.code(),
            Self::C { status } => status.code(),
        }
    }
}
"#,
        expect![[r#"
            krate::Code -Code-> krate::Code
            krate::Error::C::status -Code-> krate::Code
            krate::Error -Error-> krate::Error
            krate::Error::code -A-> krate::Error::A
            krate::Error::code -status-> krate::Error::A::status
            krate::Error::code -B-> krate::Error::B
            krate::Error::code -status-> krate::Error::B::status
            krate::Error::code -C-> krate::Error::C
            krate::Error::code -status-> krate::Error::C::status
            krate::Error::code -code-> krate::Code::code
        "#]],
    );
}

#[test]
fn what_a_trait_gives_to_all_goes_only_to_what_meets_its_bounds() {
    check(
        r#"
//- /src/lib.rs
trait Walk<I: ?Sized> { type Item; fn next(&mut self); fn map<F>(self, f: F) where Self: Sized {} }
impl<I: ?Sized, W: Walk<I> + ?Sized> Walk<I> for Box<W> { type Item = W::Item; fn next(&mut self) {} }
trait Property { type Output; fn extract(&self); }
trait PropertyExt: Property { fn map<F>(self, f: F) where Self: Sized {} }
impl<P: Property + ?Sized> PropertyExt for P {}
type Boxed<'a, O> = Box<dyn Property<Output = O> + 'a>;
fn f(a: Boxed<String>, b: Box<dyn Walk<u8>>, c: impl Property) {
    a.map(|x| x);
    b.map(|x| x);
    c.map(|x| x);
}
"#,
        expect![[r#"
            krate::Box -Walk-> krate::Walk
            krate::Box -Walk-> krate::Walk
            krate::Box::Item -Item-> krate::Walk::Item
            krate::PropertyExt -Property-> krate::Property
            krate::P -Property-> krate::Property
            krate::P -PropertyExt-> krate::PropertyExt
            krate::Boxed -Property-> krate::Property
            krate::f -Boxed-> krate::Boxed
            krate::f -Walk-> krate::Walk
            krate::f -Property-> krate::Property
            krate::f -map-> krate::PropertyExt::map
            krate::f -map-> krate::Walk::map
            krate::f -map-> krate::PropertyExt::map
        "#]],
    );
}

#[test]
fn modules_and_imports_lead_to_items() {
    check(
        r#"
//- /src/lib.rs
mod a;
mod b { pub fn in_b() { super::top(); self::deep::low(); } mod deep { pub fn low() {} } }
#[path = "odd/place.rs"] mod c;
pub use a::inner::{deep as renamed, *};
use crate::a as aa;
fn top() { a::in_a(); renamed(); by_glob(); aa::in_a(); crate::c::in_c(); b::in_b(); unknown(); }
//- /src/a/mod.rs
pub mod inner;
pub fn in_a() {}
//- /src/a/inner.rs
pub fn deep() { super::in_a() }
pub fn by_glob() {}
fn private() {}
//- /src/odd/place.rs
mod next;
pub fn in_c() { next::in_next() }
//- /src/odd/next.rs
pub fn in_next() { crate::renamed(); crate::private(); }
"#,
        expect![[r#"
            krate::a::inner::deep -in_a-> krate::a::in_a
            krate::b::in_b -top-> krate::top
            krate::b::in_b -low-> krate::b::deep::low
            krate::top -in_a-> krate::a::in_a
            krate::top -renamed-> krate::a::inner::deep
            krate::top -by_glob-> krate::a::inner::by_glob
            krate::top -in_a-> krate::a::in_a
            krate::top -in_c-> krate::c::in_c
            krate::top -in_b-> krate::b::in_b
            krate::c::next::in_next -renamed-> krate::a::inner::deep
            krate::c::in_c -in_next-> krate::c::next::in_next
        "#]],
    );
}

#[test]
fn crates_of_the_workspace_see_one_another_by_their_names() {
    check(
        r#"
//- /Cargo.toml
[workspace]
members = ["app", "lib-core"]
//- /lib-core/Cargo.toml
[package]
name = "lib-core"
//- /lib-core/src/lib.rs
pub mod api { pub struct Client; impl Client { pub fn send(&self) {} } }
pub use api::Client;
#[macro_export] macro_rules! exported { () => {} }
//- /app/Cargo.toml
[package]
name = "app"
[dependencies]
core2 = { package = "lib-core", path = "../lib-core" }
//- /app/src/lib.rs
pub fn run(client: &core2::Client) { client.send(); core2::exported!(); }
//- /app/src/main.rs
use core2::api::Client;
fn main() { app::run(&Client); }
//- /app/tests/it.rs
#[test] fn it() { app::run(&core2::api::Client) }
"#,
        expect![[r#"
            app::run -Client-> lib_core::api::Client
            app::run -send-> lib_core::api::Client::send
            app::run -exported-> lib_core::exported
            app::main -run-> app::run
            app::main -Client-> lib_core::api::Client
            it::it -run-> app::run
            it::it -Client-> lib_core::api::Client
            lib_core::api::Client -Client-> lib_core::api::Client
        "#]],
    );
}

#[test]
fn names_of_the_library_and_of_locals_lead_nowhere() {
    check(
        r#"
//- /src/lib.rs
use std::fmt::{self, Display};
struct Vec2; fn drop() {} fn take() {} mod mem {}
trait T { fn len(&self); } impl T for Vec2 { fn len(&self) {} }
fn f<Item: Display>(take: fn(), v: Vec<u8>, i: Item) {
    take();
    v.len();
    let drop = 1;
    drop + 1;
    fmt::write(i);
    String::new().len();
    std::mem::take(&mut v);
    Some(v).map(|x| x.len());
    println!("{}", v.len());
    let Item = 1;
}
struct Item;
"#,
        expect![[r#"
            krate::Vec2 -T-> krate::T
            krate::Vec2 -Vec2-> krate::Vec2
        "#]],
    );
}

#[test]
fn methods_are_found_by_the_type_of_their_receiver() {
    check(
        r#"
//- /src/lib.rs
use std::{collections::HashMap, sync::{Arc, Mutex}};
struct Pool { conns: Vec<Conn>, by_name: HashMap<String, Arc<Conn>>, last: Option<Box<Conn>> }
struct Conn; struct Stream(Conn, Pair<Conn, Pool>);
struct Pair<A, B> { a: A, b: B }
struct Failure;
impl Failure { fn why(&self) {} }
impl Conn { fn open() -> Result<Conn, Failure> { Ok(Conn) } fn ping(&self) -> &Self { self } async fn query(&self) -> Result<Row, Failure> { todo!() } }
struct Row; impl Row { fn show(&self) {} }
impl<A, B> Pair<A, B> { fn new(a: A, b: B) -> Pair<A, B> { Pair { a, b } } fn a(&self) -> &A { &self.a } fn swap(self) -> Pair<B, A> { todo!() } }
impl Pool {
    fn fields(&mut self, stream: Stream, lock: Mutex<Conn>) {
        self.conns[0].ping();
        self.by_name.get("x").unwrap().ping();
        self.last.as_ref()?.ping().ping();
        stream.0.ping();
        stream.1.b.fields();
        stream.1.a().ping();
        Pair::new(Row, 1).a().show();
        stream.1.swap().a().fields();
        lock.lock().unwrap().ping();
    }
    async fn flow(&self) {
        Conn::open().map_err(|e| e.why());
        for conn in &self.conns { conn.ping(); }
        for (i, conn) in self.conns.iter().enumerate() { conn.ping(); }
        for (_, conn) in &self.by_name { conn.ping(); }
        self.conns.iter().filter(|c| c.ping()).map(|c| c.query()).collect::<Vec<_>>()[0].await?.show();
        let rows: Vec<Row> = vec![];
        rows.iter().for_each(|row| row.show());
        if let Some(conn) = &self.last { conn.ping(); }
        let Ok(conn) = Conn::open() else { return };
        conn.query().await.unwrap().show();
        match Conn::open() { Ok(conn) => conn.ping(), Err(e) => e.why() };
        let pick = if true { Conn } else { Conn };
        pick.ping();
        let make = || Row;
        make().show();
        [Row, Row].iter().last().unwrap().show();
        self.conns.first().cloned().unwrap_or_default().ping();
    }
}
"#,
        expect![[r#"
            krate::Pool::conns -Conn-> krate::Conn
            krate::Pool::by_name -Conn-> krate::Conn
            krate::Pool::last -Conn-> krate::Conn
            krate::Stream -Conn-> krate::Conn
            krate::Stream -Pair-> krate::Pair
            krate::Stream -Conn-> krate::Conn
            krate::Stream -Pool-> krate::Pool
            krate::Failure -Failure-> krate::Failure
            krate::Conn -Conn-> krate::Conn
            krate::Conn::open -Conn-> krate::Conn
            krate::Conn::open -Failure-> krate::Failure
            krate::Conn::open -Conn-> krate::Conn
            krate::Conn::query -Row-> krate::Row
            krate::Conn::query -Failure-> krate::Failure
            krate::Row -Row-> krate::Row
            krate::Pair -Pair-> krate::Pair
            krate::Pair::new -Pair-> krate::Pair
            krate::Pair::new -Pair-> krate::Pair
            krate::Pair::new -a-> krate::Pair::a
            krate::Pair::new -b-> krate::Pair::b
            krate::Pair::a -a-> krate::Pair::a
            krate::Pair::swap -Pair-> krate::Pair
            krate::Pool -Pool-> krate::Pool
            krate::Pool::fields -Stream-> krate::Stream
            krate::Pool::fields -Conn-> krate::Conn
            krate::Pool::fields -conns-> krate::Pool::conns
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -by_name-> krate::Pool::by_name
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -last-> krate::Pool::last
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -b-> krate::Pair::b
            krate::Pool::fields -fields-> krate::Pool::fields
            krate::Pool::fields -a-> krate::Pair::a
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::fields -Pair-> krate::Pair
            krate::Pool::fields -new-> krate::Pair::new
            krate::Pool::fields -Row-> krate::Row
            krate::Pool::fields -a-> krate::Pair::a
            krate::Pool::fields -show-> krate::Row::show
            krate::Pool::fields -swap-> krate::Pair::swap
            krate::Pool::fields -a-> krate::Pair::a
            krate::Pool::fields -fields-> krate::Pool::fields
            krate::Pool::fields -ping-> krate::Conn::ping
            krate::Pool::flow -Conn-> krate::Conn
            krate::Pool::flow -open-> krate::Conn::open
            krate::Pool::flow -why-> krate::Failure::why
            krate::Pool::flow -conns-> krate::Pool::conns
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -conns-> krate::Pool::conns
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -by_name-> krate::Pool::by_name
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -conns-> krate::Pool::conns
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -query-> krate::Conn::query
            krate::Pool::flow -show-> krate::Row::show
            krate::Pool::flow -Row-> krate::Row
            krate::Pool::flow -show-> krate::Row::show
            krate::Pool::flow -last-> krate::Pool::last
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -Conn-> krate::Conn
            krate::Pool::flow -open-> krate::Conn::open
            krate::Pool::flow -query-> krate::Conn::query
            krate::Pool::flow -show-> krate::Row::show
            krate::Pool::flow -Conn-> krate::Conn
            krate::Pool::flow -open-> krate::Conn::open
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -why-> krate::Failure::why
            krate::Pool::flow -Conn-> krate::Conn
            krate::Pool::flow -Conn-> krate::Conn
            krate::Pool::flow -ping-> krate::Conn::ping
            krate::Pool::flow -Row-> krate::Row
            krate::Pool::flow -show-> krate::Row::show
            krate::Pool::flow -Row-> krate::Row
            krate::Pool::flow -Row-> krate::Row
            krate::Pool::flow -show-> krate::Row::show
            krate::Pool::flow -conns-> krate::Pool::conns
            krate::Pool::flow -ping-> krate::Conn::ping
        "#]],
    );
}

#[test]
fn traits_give_methods_to_what_implements_or_is_bound_by_them() {
    check(
        r#"
//- /src/lib.rs
use std::ops::Deref;
trait Base { fn base(&self); }
trait Store: Base { type Key; fn key(&self) -> Self::Key; fn by_default(&self) { self.key(); self.base() } }
struct Key; impl Key { fn hex(&self) {} }
struct Disk; struct Wrapper(Disk);
impl Base for Disk { fn base(&self) {} }
impl Store for Disk { type Key = Key; fn key(&self) -> Key { Key } }
impl Deref for Wrapper { type Target = Disk; fn deref(&self) -> &Disk { &self.0 } }
fn generic<S: Store<Key = Key>>(s: S) { s.by_default(); s.key().hex(); S::key(&s); }
fn clause<S>(s: &S) where S: Store { s.base(); }
fn dynamic(s: Box<dyn Store<Key = Key>>, t: impl Store) { s.key().hex(); t.by_default(); }
fn concrete(d: Disk, w: Wrapper) { d.key().hex(); d.by_default(); w.key(); Store::key(&d); <Disk as Store>::key(&d); Disk::by_default(&d); }
trait Ext { fn ext(&self); }
impl Ext for str { fn ext(&self) {} }
trait Start { fn start() -> Self; }
impl Start for std::process::Command { fn start() -> Self { todo!() } }
fn starts() { use std::process::Command; Command::start(); Command::new("x"); }
impl<T: Base> Ext for Vec<T> { fn ext(&self) {} }
fn ext(s: String, v: Vec<Disk>) { s.ext(); "x".ext(); v.ext(); 1.ext(); }
fn callback(f: impl Fn(&Disk) -> Key, g: fn() -> Key) { f(&Disk).hex(); g().hex(); }
fn calls() { callback(|disk| { disk.key(); Key }, || Key); }
"#,
        expect![[r#"
            krate::Store -Base-> krate::Base
            krate::Store::key -Key-> krate::Store::Key
            krate::Store::by_default -key-> krate::Store::key
            krate::Store::by_default -base-> krate::Base::base
            krate::Key -Key-> krate::Key
            krate::Wrapper -Disk-> krate::Disk
            krate::Disk -Base-> krate::Base
            krate::Disk -Disk-> krate::Disk
            krate::Disk -Store-> krate::Store
            krate::Disk -Disk-> krate::Disk
            krate::Disk::Key -Key-> krate::Key
            krate::Disk::key -Key-> krate::Key
            krate::Disk::key -Key-> krate::Key
            krate::Wrapper -Wrapper-> krate::Wrapper
            krate::Wrapper::Target -Disk-> krate::Disk
            krate::Wrapper::deref -Disk-> krate::Disk
            krate::generic -Store-> krate::Store
            krate::generic -Key-> krate::Key
            krate::generic -by_default-> krate::Store::by_default
            krate::generic -key-> krate::Store::key
            krate::generic -hex-> krate::Key::hex
            krate::generic -key-> krate::Store::key
            krate::clause -Store-> krate::Store
            krate::clause -base-> krate::Base::base
            krate::dynamic -Store-> krate::Store
            krate::dynamic -Key-> krate::Key
            krate::dynamic -Store-> krate::Store
            krate::dynamic -key-> krate::Store::key
            krate::dynamic -hex-> krate::Key::hex
            krate::dynamic -by_default-> krate::Store::by_default
            krate::concrete -Disk-> krate::Disk
            krate::concrete -Wrapper-> krate::Wrapper
            krate::concrete -key-> krate::Disk::key
            krate::concrete -hex-> krate::Key::hex
            krate::concrete -by_default-> krate::Store::by_default
            krate::concrete -key-> krate::Disk::key
            krate::concrete -Store-> krate::Store
            krate::concrete -key-> krate::Store::key
            krate::concrete -Disk-> krate::Disk
            krate::concrete -Store-> krate::Store
            krate::concrete -key-> krate::Disk::key
            krate::concrete -Disk-> krate::Disk
            krate::concrete -by_default-> krate::Store::by_default
            krate::str -Ext-> krate::Ext
            krate::Command -Start-> krate::Start
            krate::starts -start-> krate::Command::start
            krate::Vec -Base-> krate::Base
            krate::Vec -Ext-> krate::Ext
            krate::ext -Disk-> krate::Disk
            krate::ext -ext-> krate::str::ext
            krate::ext -ext-> krate::Vec::ext
            krate::callback -Disk-> krate::Disk
            krate::callback -Key-> krate::Key
            krate::callback -Key-> krate::Key
            krate::callback -Disk-> krate::Disk
            krate::callback -hex-> krate::Key::hex
            krate::callback -hex-> krate::Key::hex
            krate::calls -callback-> krate::callback
            krate::calls -key-> krate::Disk::key
            krate::calls -Key-> krate::Key
            krate::calls -Key-> krate::Key
        "#]],
    );
}

#[test]
fn constructors_variants_constants_and_aliases_are_followed() {
    check(
        r#"
//- /src/lib.rs
enum Shape { Round(Circle), Flat { side: Side }, None }
use Shape::*;
struct Circle; impl Circle { fn area(&self) {} }
struct Side; impl Side { fn len2(&self) {} }
impl Shape {
    const UNIT: Circle = Circle;
    fn area(&self) {
        match self { Self::Round(c) => c.area(), Flat { side } => side.len2(), Shape::None => Self::UNIT.area() }
    }
    fn new() -> Self { Self::Round(Circle) }
}
type Alias = Shape;
type Res<T> = std::result::Result<T, Side>;
static SHARED: Circle = Circle;
fn make() -> Res<Alias> { Ok(Alias::new()) }
fn f() { make().unwrap().area(); make().unwrap_err().len2(); SHARED.area(); Shape::Round(Circle).area(); let s = Round; Flat { side: Side }; }
"#,
        expect![[r#"
            krate::Shape::Round -Circle-> krate::Circle
            krate::Shape::Flat::side -Side-> krate::Side
            krate::Circle -Circle-> krate::Circle
            krate::Side -Side-> krate::Side
            krate::Shape -Shape-> krate::Shape
            krate::Shape::UNIT -Circle-> krate::Circle
            krate::Shape::UNIT -Circle-> krate::Circle
            krate::Shape::area -Round-> krate::Shape::Round
            krate::Shape::area -area-> krate::Circle::area
            krate::Shape::area -Flat-> krate::Shape::Flat
            krate::Shape::area -side-> krate::Shape::Flat::side
            krate::Shape::area -len2-> krate::Side::len2
            krate::Shape::area -Shape-> krate::Shape
            krate::Shape::area -None-> krate::Shape::None
            krate::Shape::area -UNIT-> krate::Shape::UNIT
            krate::Shape::area -area-> krate::Circle::area
            krate::Shape::new -Round-> krate::Shape::Round
            krate::Shape::new -Circle-> krate::Circle
            krate::Alias -Shape-> krate::Shape
            krate::Res -Side-> krate::Side
            krate::SHARED -Circle-> krate::Circle
            krate::SHARED -Circle-> krate::Circle
            krate::make -Res-> krate::Res
            krate::make -Alias-> krate::Alias
            krate::make -Alias-> krate::Alias
            krate::make -new-> krate::Shape::new
            krate::f -make-> krate::make
            krate::f -area-> krate::Shape::area
            krate::f -make-> krate::make
            krate::f -len2-> krate::Side::len2
            krate::f -SHARED-> krate::SHARED
            krate::f -area-> krate::Circle::area
            krate::f -Shape-> krate::Shape
            krate::f -Round-> krate::Shape::Round
            krate::f -Circle-> krate::Circle
            krate::f -area-> krate::Shape::area
            krate::f -Round-> krate::Shape::Round
            krate::f -Flat-> krate::Shape::Flat
            krate::f -side-> krate::Shape::Flat::side
            krate::f -Side-> krate::Side
        "#]],
    );
}

#[test]
fn macros_are_found_by_their_text_and_by_their_paths() {
    check(
        r#"
//- /src/lib.rs
macro_rules! early { () => {} }
#[macro_use] mod macros;
mod user;
//- /src/macros.rs
macro_rules! shared { () => {} }
#[macro_export] macro_rules! exported { () => {} }
pub(crate) use shared as by_path;
//- /src/user.rs
fn f() { early!(); shared!(); exported!(); crate::exported!(); crate::macros::by_path!(); vec![1]; }
mod own { macro_rules! own { () => {} } fn g() { own!() } }
fn h() { own!() }
"#,
        expect![[r#"
            krate::user::f -early-> krate::early
            krate::user::f -shared-> krate::macros::shared
            krate::user::f -exported-> krate::macros::exported
            krate::user::f -exported-> krate::macros::exported
            krate::user::f -by_path-> krate::macros::shared
            krate::user::own::g -own-> krate::user::own::own
        "#]],
    );
}

#[test]
fn functions_hold_items_and_imports_of_their_own() {
    check(
        r#"
//- /src/lib.rs
mod a { pub fn x() {} pub fn y() {} }
fn x() {}
fn outer() {
    use a::x;
    x();
    fn y() { x() }
    { y(); }
    struct Local; impl Local { fn go(&self) { y() } }
    Local.go();
}
fn other() { x(); y(); }
"#,
        expect![[r#"
            krate::outer -x-> krate::a::x
            krate::outer::y -x-> krate::a::x
            krate::outer -y-> krate::outer::y
            krate::outer::Local -Local-> krate::outer::Local
            krate::outer::Local::go -y-> krate::outer::y
            krate::outer -Local-> krate::outer::Local
            krate::outer -go-> krate::outer::Local::go
            krate::other -x-> krate::x
            krate::other -y?-> krate::a::y
            krate::other -y?-> krate::outer::y
        "#]],
    );
}

#[test]
fn what_no_type_is_shown_of_is_guessed_by_name() {
    check(
        r#"
//- /src/lib.rs
struct A; impl A { fn rare(&self) {} fn shared(&self) {} fn len(&self) {} }
struct B; impl B { fn shared(&self) {} }
fn f() { let x = outside::thing(); x.rare(); x.shared(); x.len(); missing::B::shared(); }
"#,
        expect![[r#"
            krate::A -A-> krate::A
            krate::B -B-> krate::B
            krate::f -rare?-> krate::A::rare
            krate::f -shared?-> krate::A::shared
            krate::f -shared?-> krate::B::shared
        "#]],
    );
}

#[test]
fn overloaded_functions_are_told_apart_by_their_arguments() {
    check(
        r#"
//- /src/lib.rs
struct Value; struct Other;
impl From<&str> for Value { fn from(s: &str) -> Value { Value } }
impl From<Other> for Value { fn from(o: Other) -> Value { Value } }
fn f() { Value::from("x"); Value::from(Other); Value::from(unknown()); }
"#,
        expect![[r#"
            krate::Value -Value-> krate::Value
            krate::Value::from -Value-> krate::Value
            krate::Value::from -Value-> krate::Value
            krate::Value -Other-> krate::Other
            krate::Value -Value-> krate::Value
            krate::Value::from -Other-> krate::Other
            krate::Value::from -Value-> krate::Value
            krate::Value::from -Value-> krate::Value
            krate::f -Value-> krate::Value
            krate::f -from-> krate::Value::from
            krate::f -Value-> krate::Value
            krate::f -from-> krate::Value::from
            krate::f -Other-> krate::Other
            krate::f -Value-> krate::Value
            krate::f -from?-> krate::Value::from
            krate::f -from?-> krate::Value::from
        "#]],
    );
}

#[test]
fn imports_begin_at_items_or_at_files() {
    check_kind(
        r#"
//- /src/lib.rs
mod a;
use a::{S, self as b, *};
fn f() { use crate::a::S as T; }
//- /src/a.rs
pub struct S;
use std::fmt;
use super::*;
"#,
        EdgeKind::Imports,
        expect![[r#"
            krate (file) -S-> krate::a::S
            krate (file) -self-> krate::a
            krate (file) -*-> krate::a
            krate::f -S-> krate::a::S
        "#]],
    );
}

#[test]
fn impls_and_their_methods_implement() {
    check_kind(
        r#"
//- /src/lib.rs
trait T { fn a(&self); fn b(&self) {} }
struct S;
impl T for S { fn a(&self) {} }
impl T for Vec<S> { fn a(&self) {} fn b(&self) {} }
impl Clone for S { fn clone(&self) -> S { S } }
"#,
        EdgeKind::Implements,
        expect![[r#"
            krate::S -S-> krate::T
            krate::S::a -a-> krate::T::a
            krate::Vec -Vec-> krate::T
            krate::Vec::a -a-> krate::T::a
            krate::Vec::b -b-> krate::T::b
        "#]],
    );
}

#[test]
fn without_a_manifest_each_undeclared_file_is_a_crate() {
    let fixture = Fixture::new(
        r#"
//- /Cargo.toml
broken
//- /main.rs
mod a;
fn main() { a::go(); }
//- /a.rs
pub fn go() { crate::main(); }
//- /script.rs
fn alone() { crate::alone() }
"#,
    );
    let expected = expect![[r#"
        main::a::go -main-> main::main
        main::main -go-> main::a::go
        script::alone -alone-> script::alone
    "#]];
    expected.assert_eq(&fixture.edges(&[EdgeKind::Calls]));
}

#[test]
fn questions_are_answered() {
    let fixture = Fixture::new(
        r#"
//- /src/lib.rs
pub mod auth {
    pub struct Session { pub user: User }
    pub struct User;
    pub trait Login { fn login(&self) -> Session; }
    impl Login for User { fn login(&self) -> Session { check(self); Session { user: User } } }
    fn check(user: &User) {}
    impl User { pub fn rename(&self) { check(self) } }
}
#[cfg(test)]
mod tests {
    use super::auth::{Login, User};
    fn user() -> User { User }
    #[test] fn logs_in() { user().login(); }
    #[test] fn renames() { helper(&user()) }
    fn helper(user: &User) { user.rename() }
}
"#,
    );
    let Fixture { graph, .. } = &fixture;
    let never = Deadline::never();
    let answers = [
        ("definition of login", fixture.told(&graph.definition("login", &never))),
        ("definition of User::login", fixture.told(&graph.definition("auth::User::login()", &never))),
        ("definition of auth::login", fixture.told(&graph.definition("auth::login", &never))),
        (
            "definition of crate::auth::Session",
            fixture.told(&graph.definition("crate::auth::Session", &never)),
        ),
        ("callers of check", fixture.told(&graph.callers(fixture.symbol("check"), &never))),
        ("callees of User::login", fixture.told(&graph.callees(fixture.symbol("User::login"), &never))),
        ("references of Session", fixture.told(&graph.references(fixture.symbol("Session"), &never))),
        ("implementations of Login", fixture.told(&graph.implementations(fixture.symbol("Login"), &never))),
        ("implementations of User", fixture.told(&graph.implementations(fixture.symbol("User"), &never))),
        (
            "implementations of Login::login",
            fixture.told(&graph.implementations(fixture.symbol("Login::login"), &never)),
        ),
        ("types of User::login", fixture.told(&graph.type_definition(fixture.symbol("User::login"), &never))),
        ("types of Session", fixture.told(&graph.type_definition(fixture.symbol("Session"), &never))),
        ("methods of User", fixture.told(&graph.methods_of(fixture.symbol("User")))),
        ("methods of Login", fixture.told(&graph.methods_of(fixture.symbol("Login")))),
        ("tests of rename", fixture.told(&graph.tests(fixture.symbol("rename"), &never))),
        ("tests of User::login", fixture.told(&graph.tests(fixture.symbol("User::login"), &never))),
        ("when it is too late", fixture.told(&graph.callers(fixture.symbol("check"), &over()))),
    ];
    let mut out = String::new();
    for (question, answer) in answers {
        writeln!(out, "{question}: {answer}").unwrap();
    }
    for it in graph.neighbours(fixture.symbol("rename"), 2) {
        writeln!(out, "{} step(s) from rename: {}", it.steps, fixture.name(it.symbol)).unwrap();
    }
    let expected = expect![[r#"
        definition of login: krate::auth::Login::login?, krate::auth::User::login?
        definition of User::login: krate::auth::User::login
        definition of auth::login: krate::auth::Login::login?, krate::auth::User::login?
        definition of crate::auth::Session: krate::auth::Session
        callers of check: krate::auth::User::login, krate::auth::User::rename
        callees of User::login: krate::auth::check
        references of Session: krate::auth::Login::login, krate::auth::User::login
        implementations of Login: krate::auth::User
        implementations of User: krate::auth::User, krate::auth::User
        implementations of Login::login: krate::auth::User::login
        types of User::login: krate::auth::Session
        types of Session: krate::auth::User
        methods of User: krate::auth::User::login, krate::auth::User::rename
        methods of Login: krate::auth::Login::login
        tests of rename: krate::tests::renames
        tests of User::login: krate::tests::logs_in
        when it is too late: 
        1 step(s) from rename: krate::auth::check
        1 step(s) from rename: krate::tests::helper
        2 step(s) from rename: krate::auth::User
        2 step(s) from rename: krate::tests::renames
    "#]];
    expected.assert_eq(&out);
}

fn over() -> Deadline {
    let deadline = Deadline::never();
    deadline.cancel();
    deadline
}

#[test]
fn files_import_what_they_declare_and_use() {
    let fixture = Fixture::new(
        r#"
//- /src/lib.rs
mod a; mod b;
//- /src/a.rs
use crate::b::X;
//- /src/b.rs
pub struct X;
"#,
    );
    let imports = |path: &str| -> Vec<&str> {
        let file = fixture.snapshot.find(path).unwrap();
        fixture.graph.imports(file).iter().map(|file| fixture.snapshot.file(*file).path.as_str()).collect()
    };
    assert_eq!(imports("src/lib.rs"), ["src/a.rs", "src/b.rs"]);
    assert_eq!(imports("src/a.rs"), ["src/b.rs"]);
    assert_eq!(imports("src/b.rs"), [""; 0]);
}

#[test]
fn circles_end() {
    check(
        r#"
//- /src/lib.rs
mod a; mod b;
pub use a::*;
pub use crate::x::y;
use self::z as z;
type L = M; type M = L;
struct D; impl std::ops::Deref for D { type Target = D; }
struct E; impl std::ops::Deref for E { type Target = <E as std::ops::Deref>::Target; }
trait P: Q {} trait Q: P {}
impl Iterator for Vec<Self> { type Item = Self::Item; }
fn f(l: L, d: D, e: E, p: impl P) { l.go(); d.go(); e.go(); p.go(); z(); let x = || x(); let y = y; y.go(); }
fn g() { let mut it = h(|x| it.go(x.go())); let a = (b, b); a.0.go() }
//- /src/a.rs
pub use crate::b::*;
pub use super::*;
//- /src/b.rs
pub use crate::a::*;
mod a;
//- /src/b/a.rs
#[path = "../lib.rs"] mod again;
"#,
        expect![[r#"
            krate::L -M-> krate::M
            krate::M -L-> krate::L
            krate::D -D-> krate::D
            krate::D::Target -D-> krate::D
            krate::E -E-> krate::E
            krate::E::Target -E-> krate::E
            krate::E::Target -Target-> krate::E::Target
            krate::P -Q-> krate::Q
            krate::Q -P-> krate::P
            krate::Vec::Item -Item-> krate::Vec::Item
            krate::f -L-> krate::L
            krate::f -D-> krate::D
            krate::f -E-> krate::E
            krate::f -P-> krate::P
        "#]],
    );
}

// What a language server says, laid over the text.

const TICKS: &str = r#"
//- /src/lib.rs
struct Gauge;
struct Clock;
impl Gauge { fn tick(&self) {} }
impl Clock { fn tick(&self) {} }
fn guessed() { gauges()[0].tick() }
fn silent() { made!(Clock) }
"#;

/// The calls of `TICKS` after a lesson, and before it: a graph that was cloned earlier learns nothing.
fn check_lesson(teach: impl Fn(&Fixture, &mut Lesson<'_>), expect: Expect) {
    let mut fixture = Fixture::new(TICKS);
    let (before, kept) = (fixture.edges(&[EdgeKind::Calls]), fixture.graph.clone());
    let mut graph = fixture.graph.clone();
    teach(&fixture, &mut graph.lesson(Source::Server("server")));
    fixture.graph = graph;
    expect.assert_eq(&fixture.edges(&[EdgeKind::Calls]));
    fixture.graph = kept;
    assert_eq!(fixture.edges(&[EdgeKind::Calls]), before);
}

fn call_of_tick(fixture: &Fixture) -> (SymbolId, Span) {
    let from = fixture.symbol("guessed");
    let start = fixture.snapshot.file(from.file).text.find("tick() }\nfn silent").unwrap() as u32;
    (from, Span::new(start, start + 4))
}

#[test]
fn a_guess_stays_where_the_server_says_nothing() {
    check_lesson(
        |_, _| {},
        expect![[r#"
        krate::guessed -tick?-> krate::Gauge::tick
        krate::guessed -tick?-> krate::Clock::tick
    "#]],
    );
}

#[test]
fn a_guess_is_confirmed_and_the_others_at_its_place_are_denied() {
    let teach = |fixture: &Fixture, lesson: &mut Lesson<'_>| {
        let (from, at) = call_of_tick(fixture);
        lesson.names(from, fixture.symbol("Gauge::tick"), EdgeKind::Calls, at);
        lesson.is_all((from.file, at.start));
    };
    check_lesson(
        teach,
        expect![[r#"
        krate::guessed -tick-> krate::Gauge::tick
    "#]],
    );
}

#[test]
fn a_confirmed_guess_alone_denies_nothing() {
    let teach = |fixture: &Fixture, lesson: &mut Lesson<'_>| {
        let (from, at) = call_of_tick(fixture);
        lesson.names(from, fixture.symbol("Gauge::tick"), EdgeKind::Calls, at);
    };
    check_lesson(
        teach,
        expect![[r#"
        krate::guessed -tick-> krate::Gauge::tick
        krate::guessed -tick?-> krate::Clock::tick
    "#]],
    );
}

#[test]
fn guesses_are_denied_where_the_name_means_nothing_of_the_workspace() {
    let teach = |fixture: &Fixture, lesson: &mut Lesson<'_>| {
        let (from, at) = call_of_tick(fixture);
        lesson.is_all((from.file, at.start));
    };
    check_lesson(teach, expect![[r#""#]]);
}

#[test]
fn what_the_text_does_not_show_is_added_once() {
    let teach = |fixture: &Fixture, lesson: &mut Lesson<'_>| {
        let (silent, tick) = (fixture.symbol("silent"), fixture.symbol("Clock::tick"));
        let start = fixture.snapshot.file(silent.file).text.find("made!").unwrap() as u32;
        for _ in 0..2 {
            lesson.names(silent, tick, EdgeKind::Calls, Span::new(start, start + 4));
        }
    };
    check_lesson(
        teach,
        expect![[r#"
        krate::guessed -tick?-> krate::Gauge::tick
        krate::guessed -tick?-> krate::Clock::tick
        krate::silent -made-> krate::Clock::tick
    "#]],
    );
}

#[test]
fn what_is_kept_of_a_lesson_confirms_and_adds_and_denies_nothing() {
    let fixture = Fixture::new(TICKS);
    let mut graph = fixture.graph.clone();
    let (from, at) = call_of_tick(&fixture);
    let source = Source::Server("server");
    let mut lesson = graph.lesson(source);
    lesson.names(from, fixture.symbol("Gauge::tick"), EdgeKind::Calls, at);
    lesson.is_all((from.file, at.start));
    lesson.pair(fixture.symbol("Clock"), fixture.symbol("Gauge"), EdgeKind::Uses, Span::new(9, 9));
    let by = fixture.symbol("silent");
    lesson.makes(Made { by, name: "Order".into(), container: "shop::orders".into() });
    let speaker = Speaker { name: "server".into(), version: Some("1".into()) };
    let answers = Answers::of(speaker.clone(), &graph.learned);
    assert_eq!(answers.len(), 3);

    let keys: Vec<FileKey> = fixture.snapshot.files.iter().map(|file| file.key()).collect();
    let find = |key: &FileKey| Some(FileId(keys.iter().position(|own| own == key)? as u32));
    let kept: FileAnswers = {
        let bytes = postcard::to_stdvec(&answers.of_file(from.file, &keys)).unwrap();
        postcard::from_bytes(&bytes).unwrap()
    };
    let mut again = Answers::none(speaker.clone());
    again.add(from.file, &kept, find);
    assert_eq!(again, answers);
    let laid = fixture.graph.with_answers(&again, source);
    let callers = |symbol: &str| -> Vec<(Certainty, Source)> {
        let facts = laid.callers_of(fixture.symbol(symbol));
        facts.iter().map(|fact| (fact.certainty, fact.source)).collect()
    };
    assert_eq!(callers("Gauge::tick"), [(Certainty::Resolved, source)]);
    assert_eq!(callers("Clock::tick"), [(Certainty::Guessed, Source::Graph)]);
    assert_eq!((laid.made("orders::Order"), laid.made("baskets::Order")), (vec![by], vec![]));

    // Nothing is left of it where a file is another.
    let mut other = Answers::none(speaker);
    other.add(from.file, &kept, |_| None);
    assert_eq!((other.len(), answers.moved(|_| None).len()), (1, 0));
}
