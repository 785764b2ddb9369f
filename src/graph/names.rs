//! Names as numbers: every name that something in the workspace has or is imported by, and those of the standard
//! library whose meaning the graph knows.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::syntax::FileSyntax;

/// A name, by its place in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name(pub u32);

macro_rules! known_names {
    ($($constant:ident $text:literal)*) => {
        known_names!(@number 0u32; $($constant)*);
        const KNOWN: &[&str] = &[$($text),*];
    };
    (@number $next:expr; $constant:ident $($rest:ident)*) => {
        pub(super) const $constant: Name = Name($next);
        known_names!(@number $next + 1; $($rest)*);
    };
    (@number $next:expr;) => {};
}

known_names! {
    // Some type or trait of elsewhere that nothing in the workspace shares its name with.
    OTHER "" SELF_TYPE "Self" SELF_VALUE "self" CRATE "crate" SUPER "super"
    OPTION "Option" RESULT "Result" SOME "Some" NONE "None" OK "Ok" ERR "Err"
    BOX "Box" RC "Rc" ARC "Arc" COW "Cow" PIN "Pin" WEAK "Weak" STRING "String" STR "str"
    VEC "Vec" VEC_DEQUE "VecDeque" HASH_SET "HashSet" BTREE_SET "BTreeSet" INDEX_SET "IndexSet" BINARY_HEAP "BinaryHeap"
    HASH_MAP "HashMap" BTREE_MAP "BTreeMap" INDEX_MAP "IndexMap"
    CELL "Cell" REF_CELL "RefCell" MUTEX "Mutex" RW_LOCK "RwLock" ONCE_CELL "OnceCell" ONCE_LOCK "OnceLock"
    LAZY "Lazy" LAZY_LOCK "LazyLock" LAZY_CELL "LazyCell"
    REF "Ref" REF_MUT "RefMut" MUTEX_GUARD "MutexGuard" READ_GUARD "RwLockReadGuard" WRITE_GUARD "RwLockWriteGuard"
    ITERATOR "Iterator" INTO_ITERATOR "IntoIterator" DOUBLE_ENDED "DoubleEndedIterator" EXACT_SIZE "ExactSizeIterator"
    PEEKABLE "Peekable" ITEM "Item" OUTPUT "Output" TARGET "Target"
    FN "Fn" FN_MUT "FnMut" FN_ONCE "FnOnce" ASYNC_FN "AsyncFn" ASYNC_FN_MUT "AsyncFnMut" ASYNC_FN_ONCE "AsyncFnOnce"
    FUTURE "Future" BOX_FUTURE "BoxFuture" LOCAL_BOX_FUTURE "LocalBoxFuture"
    STREAM "Stream" BOX_STREAM "BoxStream" LOCAL_BOX_STREAM "LocalBoxStream" JOIN_HANDLE "JoinHandle"
    ENTRY "Entry" BOOL "bool" CHAR "char" NUMBER "usize" BYTES "u8"
    PATH "Path" PATH_BUF "PathBuf"
}

/// What is in scope without an import.
const PRELUDE: &[&str] = &[
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "bool",
    "char",
    "str",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Box",
    "String",
    "Vec",
    "Copy",
    "Send",
    "Sized",
    "Sync",
    "Unpin",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "Future",
    "IntoFuture",
    "AsMut",
    "AsRef",
    "From",
    "Into",
    "TryFrom",
    "TryInto",
    "Default",
    "Iterator",
    "Extend",
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "FromIterator",
    "Clone",
    "Debug",
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "Hash",
    "ToOwned",
    "ToString",
    "drop",
];

#[derive(Debug)]
pub(super) struct Names {
    places: FxHashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
    prelude: Vec<Name>,
}

impl Names {
    pub fn new() -> Names {
        let mut names = Names { places: FxHashMap::default(), texts: Vec::new(), prelude: Vec::new() };
        KNOWN.iter().for_each(|text| {
            names.intern(text);
        });
        names.prelude = PRELUDE.iter().map(|text| names.intern(text)).collect();
        names.prelude.sort_unstable();
        names
    }

    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.places.get(text) {
            return *name;
        }
        let (name, text): (Name, Arc<str>) = (Name(self.texts.len() as u32), text.into());
        self.texts.push(Arc::clone(&text));
        self.places.insert(text, name);
        name
    }

    /// `None` where nothing in the workspace has this name.
    pub fn get(&self, text: &str) -> Option<Name> {
        self.places.get(text).copied()
    }

    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }

    /// Whether the name means something of the standard library where nothing else has it.
    pub fn is_prelude(&self, name: Name) -> bool {
        self.prelude.binary_search(&name).is_ok()
    }

    /// Names of types of elsewhere, so that they can be told apart.
    pub fn intern_types(&mut self, files: &[Option<Arc<FileSyntax>>]) {
        for name in files.iter().flatten().flat_map(|syntax| &syntax.type_names) {
            self.intern(name);
        }
    }
}
