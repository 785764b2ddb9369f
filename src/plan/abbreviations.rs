//! The trade's abbreviations, and words that programmers use for one another.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::text::normalize;

/// The words of each line mean the same or nearly so.
const KIN: &str = "
    abort cancel
    address addr
    administrator admin
    allocation allocator alloc
    application app
    argument arg argv
    array arr
    asynchronous async
    attribute attr
    authentication authenticate auth authn login
    authorization authorize auth authz permission
    average avg
    background bg
    boolean bool
    buffer buf
    calculate calc compute
    callback cb
    certificate cert
    character char
    client cli
    color colour
    column col
    command cmd
    command subcommand
    comment docs
    communication comm
    compile compiler build
    concatenate concat
    condition cond
    configuration config cfg conf settings
    connection conn
    context ctx cx
    control ctrl
    conversion convert
    coordinate coord
    count num
    current cur curr
    database db sql
    declaration decl
    default fallback
    definition def
    delete remove
    dependency dep deps
    description desc
    descriptor desc
    destination dest dst target
    developer dev
    device dev
    dictionary dict
    difference diff
    directory dir folder
    document doc docs
    documentation doc docs
    duration elapsed timeout
    element elem
    environment env
    equal eq
    error err failure
    evaluate eval
    event evt
    exception error
    executable exe binary bin
    execute exec run
    expression expr
    extension ext
    extract unpack
    field column
    filename file
    folder directory dir
    format fmt
    formatter fmt format
    function func fn
    generate gen
    generator gen
    global globals
    header hdr
    hyperlink link url
    identifier ident id
    image img
    implementation impl
    implementor impl
    increment inc
    index idx
    information info
    initialize init initialise
    initialization init
    insert add
    instruction insn instr
    integer int
    internationalization i18n locale
    iterator iter
    iteration iter
    keyboard key
    keybinding keymap binding
    keymap keybinding
    language lang
    length len
    level lvl
    library lib
    license licence
    location loc position
    login auth
    manager mgr
    matrix mat
    maximum max
    memory mem
    message msg
    minimum min
    miscellaneous misc
    modify edit change
    multiple multi
    multiply mul
    mutable mut
    navigate goto jump
    number num
    object obj
    operating os
    operation op
    operator op
    optimization opt optimize
    option opt
    original orig
    overwrite force clobber
    package pkg crate
    panic unwrap
    parameter param
    parser parse
    pattern pat
    performance perf
    permission perm
    pointer ptr
    position pos
    predicate pred
    prefix pre
    previous prev
    print display
    procedure proc
    process proc
    production prod
    property prop
    protocol proto
    quotation quote
    random rng rand
    receive recv receiver rx
    recursion recursive
    reference ref
    register reg
    regularexpression regex
    relative rel
    remote origin
    repository repo
    request req
    response resp res
    result res
    return ret
    revision rev
    schema ddl
    select choose pick
    selection sel
    send sender tx
    separator sep delimiter
    sequence seq
    serialization serialize serde ser
    deserialization deserialize serde de
    server srv serve
    session sess
    shortcut keybinding hotkey
    signature sig
    source src
    specification spec
    standard std
    statement stmt
    statistics stats
    status state
    string str
    structure struct
    subscribe subscription
    symlink symboliclink
    synchronize sync
    synchronous sync
    syntax grammar
    system sys
    table tbl
    temporary temp tmp
    terminal term tty
    text txt
    timestamp time
    token tok
    transaction txn tx
    translate translation
    truncate trunc
    upgrade update bump
    utility util
    utilities util
    validate check verify
    validation validate check verify
    value val
    variable var
    vector vec
    version ver
    warning warn
    whitespace space blank
    window win
    workspace ws
";

/// Other words for a lower-case word, in the order of the table. Words are compared as [`normalize`]d.
pub(super) fn kin(word: &str) -> &'static [&'static str] {
    static TABLE: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(table);
    TABLE.get(normalize(word)).map_or(&[], Vec::as_slice)
}

fn table() -> HashMap<&'static str, Vec<&'static str>> {
    let mut table: HashMap<&str, Vec<&str>> = HashMap::new();
    for line in KIN.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for word in &words {
            let others = table.entry(normalize(word)).or_default();
            for other in &words {
                if other != word && !others.contains(other) {
                    others.push(other);
                }
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_work_both_ways_and_in_every_form() {
        assert!(kin("configuration").contains(&"cfg"));
        assert!(kin("cfg").contains(&"configuration"));
        assert!(kin("repositories").contains(&"repo"));
        assert!(kin("messages").contains(&"msg"));
        assert!(kin("unheard").is_empty());
    }
}
