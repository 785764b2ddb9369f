//! What methods of the library give back, and what they hand to closures: the table, by what they are methods of.

use super::{Call, Class, class, iterator, names, option, other, parts, tried, vec};
use crate::graph::ty::{Args, Ty};

/// What a method of the library gives back; `None` where it is not known.
pub(in crate::graph) fn result(ty: &Ty, method: &str, call: &mut impl Call) -> Option<Ty> {
    let (class, args) = parts(ty)?;
    match class {
        Class::Option => of_option(ty, &args.at(0), method, call),
        Class::Result => of_result(ty, args, method, call),
        Class::Sequence => of_sequence(ty, &args.at(0), method, call),
        Class::Map => of_map(ty, &args.at(0), &args.at(1), method),
        Class::Entry => method.starts_with("or_").then(|| args.at(1)),
        Class::Iterator => of_iterator(ty, &args.at(0), method, call),
        Class::Pointer => match method {
            "clone" => Some(ty.clone()),
            "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "deref" => Some(args.at(0)),
            _ => None,
        },
        Class::Lock => match method {
            "lock" | "read" | "write" | "into_inner" => Some(Ty::known(names::RESULT, [args.at(0)])),
            "get_mut" => Some(Ty::known(names::RESULT, [args.at(0)])),
            _ => None,
        },
        Class::Cell => match method {
            "borrow" | "borrow_mut" | "into_inner" | "get_or_init" | "take" | "replace" | "get_mut" => {
                Some(args.at(0))
            }
            "get" => {
                Some(if matches!(ty, Ty::External(names::CELL, _)) { args.at(0) } else { option(args.at(0)) })
            }
            "get_or_try_init" => Some(Ty::known(names::RESULT, [args.at(0)])),
            _ => None,
        },
        Class::Text => Some(other()),
        Class::Other if args.is_empty() => Some(other()),
        Class::Other => (matches!(ty, Ty::External(names::WEAK, _)) && method == "upgrade")
            .then(|| option(Ty::known(names::ARC, [args.at(0)]))),
    }
}

fn of_option(ty: &Ty, inner: &Ty, method: &str, call: &mut impl Call) -> Option<Ty> {
    Some(match method {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => inner.clone(),
        "get_or_insert_with" | "get_or_insert" | "insert" | "unwrap_unchecked" => inner.clone(),
        "as_ref" | "as_mut" | "as_deref" | "as_deref_mut" | "take" | "cloned" | "copied" | "clone" => {
            ty.clone()
        }
        "filter" | "or" | "or_else" | "xor" | "replace" | "inspect" | "to_owned" | "take_if" => ty.clone(),
        "ok_or" => Ty::known(names::RESULT, [inner.clone(), call.argument(0)]),
        "ok_or_else" => Ty::known(names::RESULT, [inner.clone(), call.closure_result(0)]),
        "context" | "with_context" => Ty::known(names::RESULT, [inner.clone()]),
        "map" => option(call.closure_result(0)),
        "and_then" => call.closure_result(0),
        "map_or" => call.argument(0).or(|| call.closure_result(1)),
        "map_or_else" => call.closure_result(0).or(|| call.closure_result(1)),
        "and" => call.argument(0),
        "zip" => option(Ty::Tuple(Args::new([inner.clone(), tried(&call.argument(0))]))),
        "flatten" => inner.clone(),
        "iter" | "iter_mut" | "into_iter" => iterator(inner.clone()),
        "transpose" => match inner {
            Ty::External(names::RESULT, args) => Ty::known(names::RESULT, [option(args.at(0)), args.at(1)]),
            _ => Ty::Unknown,
        },
        "is_some" | "is_none" | "is_some_and" | "is_none_or" => other(),
        _ => return None,
    })
}

fn of_result(ty: &Ty, args: &Args, method: &str, call: &mut impl Call) -> Option<Ty> {
    let (good, bad) = (args.at(0), args.at(1));
    Some(match method {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => good,
        "unwrap_err" | "expect_err" => bad,
        "ok" => option(good),
        "err" => option(bad),
        "map" => Ty::known(names::RESULT, [call.closure_result(0), bad]),
        "map_err" => Ty::known(names::RESULT, [good, call.closure_result(0)]),
        "and_then" => call.closure_result(0),
        "map_or" => call.argument(0).or(|| call.closure_result(1)),
        "map_or_else" => call.closure_result(0).or(|| call.closure_result(1)),
        "as_ref" | "as_mut" | "as_deref" | "cloned" | "copied" | "clone" | "inspect" | "inspect_err" => {
            ty.clone()
        }
        "or_else" | "or" => Ty::known(names::RESULT, [good]),
        "context" | "with_context" | "wrap_err" | "wrap_err_with" => Ty::known(names::RESULT, [good]),
        "iter" | "into_iter" => iterator(good),
        "flatten" => good,
        "transpose" => match good {
            Ty::External(names::OPTION, args) => option(Ty::known(names::RESULT, [args.at(0), bad])),
            _ => Ty::Unknown,
        },
        "is_ok" | "is_err" | "is_ok_and" | "is_err_and" => other(),
        _ => return None,
    })
}

fn of_sequence(ty: &Ty, element: &Ty, method: &str, call: &mut impl Call) -> Option<Ty> {
    let slices = || iterator(Ty::Slice(Args::one(element.clone())));
    Some(match method {
        "iter" | "iter_mut" | "into_iter" | "drain" | "union" | "difference" | "intersection" | "splice" => {
            iterator(element.clone())
        }
        "symmetric_difference" | "extract_if" | "par_iter" | "into_par_iter" | "into_sorted_vec" => {
            iterator(element.clone())
        }
        "first" | "last" | "first_mut" | "last_mut" | "pop" | "pop_front" | "pop_back" | "front" | "back" => {
            option(element.clone())
        }
        "front_mut" | "back_mut" | "peek" | "pop_first" | "pop_last" | "get" | "get_mut" | "take"
        | "replace" => option(element.clone()),
        "get_or_insert_with" | "swap_remove" => element.clone(),
        "remove" if matches!(ty, Ty::External(names::VEC, _)) => element.clone(),
        "clone" | "to_vec" | "as_slice" | "as_mut_slice" | "to_owned" | "split_off" | "into_boxed_slice" => {
            ty.clone()
        }
        "as_ref" | "as_mut" | "as_deref" | "into_vec" | "borrow" | "repeat" => ty.clone(),
        "split_first" | "split_last" => option(Ty::Tuple(Args::new([element.clone(), vec(element.clone())]))),
        "split_at" | "split_at_mut" => Ty::Tuple(Args::new([ty.clone(), ty.clone()])),
        "chunks" | "windows" | "chunks_exact" | "split" | "rchunks" => slices(),
        "concat" => element.clone(),
        "push" | "len" | "is_empty" | "contains" | "insert" | "extend" | "sort" | "reverse" | "clear"
        | "join" => other(),
        "push_back" | "push_front" | "retain" | "truncate" | "append" | "reserve" | "capacity"
        | "sort_by" => other(),
        "binary_search" | "starts_with" | "ends_with" | "iter_sum" | "sort_by_key" | "sort_unstable" => {
            other()
        }
        "dedup" | "is_subset" | "is_superset" | "is_disjoint" | "resize" | "swap" | "extend_from_slice" => {
            other()
        }
        "map" => Ty::Slice(Args::one(call.closure_result(0))),
        _ => return None,
    })
}

fn of_map(ty: &Ty, key: &Ty, value: &Ty, method: &str) -> Option<Ty> {
    let pair = || Ty::Tuple(Args::new([key.clone(), value.clone()]));
    Some(match method {
        "get" | "get_mut" | "remove" | "insert" | "swap_remove" | "shift_remove" => option(value.clone()),
        "values" | "values_mut" | "into_values" => iterator(value.clone()),
        "keys" | "into_keys" => iterator(key.clone()),
        "iter" | "iter_mut" | "into_iter" | "drain" | "range" | "range_mut" | "extract_if" => {
            iterator(pair())
        }
        "entry" => Ty::known(names::ENTRY, [key.clone(), value.clone()]),
        "get_key_value" | "first_key_value" | "last_key_value" | "pop_first" | "pop_last"
        | "remove_entry" => option(pair()),
        "get_index" | "first" | "last" => option(pair()),
        "clone" | "as_ref" | "as_mut" | "to_owned" => ty.clone(),
        "contains_key" | "len" | "is_empty" | "extend" | "retain" | "clear" | "append" => other(),
        _ => return None,
    })
}

fn of_iterator(ty: &Ty, element: &Ty, method: &str, call: &mut impl Call) -> Option<Ty> {
    let pair = |a: Ty, b: Ty| iterator(Ty::Tuple(Args::new([a, b])));
    Some(match method {
        "map" | "map_ok" | "then" => iterator(call.closure_result(0)),
        "filter" | "skip" | "take" | "rev" | "inspect" | "peekable" | "skip_while" | "take_while"
        | "step_by" => ty.clone(),
        "fuse" | "cycle" | "by_ref" | "into_iter" | "iter" | "cloned" | "copied" | "chain" | "clone" => {
            ty.clone()
        }
        "sorted" | "sorted_by" | "sorted_by_key" | "sorted_unstable" | "dedup" | "unique" | "unique_by" => {
            ty.clone()
        }
        "boxed" | "boxed_local" | "fallible" | "multipeek" | "dedup_by" | "into_stream" | "interleave" => {
            ty.clone()
        }
        "enumerate" => pair(Ty::External(names::NUMBER, Args::default()), element.clone()),
        "zip" | "zip_eq" | "zip_longest" => {
            let other = call.argument(0);
            pair(element.clone(), super::element(&other).unwrap_or_default())
        }
        "next" | "last" | "nth" | "find" | "min" | "max" | "min_by" | "max_by" | "min_by_key"
        | "max_by_key" => option(element.clone()),
        "next_back" | "peek" | "peek_mut" | "next_if" | "reduce" | "rfind" | "next_if_eq" => {
            option(element.clone())
        }
        "try_next" => Ty::known(names::RESULT, [option(tried(element))]),
        "filter_map" | "map_while" | "flat_map" => {
            iterator(super::element(&call.closure_result(0)).unwrap_or_default())
        }
        "find_map" => call.closure_result(0),
        "flatten" => iterator(super::element(element).unwrap_or_default()),
        "collect" | "try_collect" => collected(call.type_argument(), element),
        "collect_vec" => vec(element.clone()),
        "fold" => call.argument(0),
        "partition" => Ty::Unknown,
        "tuple_windows" | "tuples" => pair(element.clone(), element.clone()),
        "exactly_one" => Ty::known(names::RESULT, [element.clone()]),
        "any" | "all" | "count" | "position" | "for_each" | "join" | "sum" | "contains" => other(),
        "at_most_one" => Ty::known(names::RESULT, [option(element.clone())]),
        _ => return None,
    })
}

/// `collect::<Vec<_>>()`, `collect::<Result<Vec<_>, _>>()`.
fn collected(written: Ty, element: &Ty) -> Ty {
    match written {
        Ty::External(wrapper @ (names::RESULT | names::OPTION), args) => {
            Ty::known(wrapper, [collected(args.at(0), &tried(element)), args.at(1)])
        }
        Ty::External(of, args) if args.at(0).is_unknown() && class(of) == Class::Map => match element {
            Ty::Tuple(parts) => Ty::External(of, parts.clone()),
            _ => Ty::Unknown,
        },
        Ty::External(of, args) if args.at(0).is_unknown() => Ty::known(of, [element.clone()]),
        written => written,
    }
}

/// The type of the parameter at `parameter` of a closure that is the argument at `argument` of a method.
pub(in crate::graph) fn closure_parameter(
    ty: &Ty,
    method: &str,
    argument: usize,
    parameter: usize,
    call: &mut impl Call,
) -> Option<Ty> {
    let (class, args) = parts(ty)?;
    match (class, method) {
        (Class::Option, _) => Some(args.at(0)),
        (Class::Result, "map_err" | "unwrap_or_else" | "or_else" | "inspect_err" | "is_err_and") => {
            Some(args.at(1))
        }
        (Class::Result, "map_or_else") if argument == 0 => Some(args.at(1)),
        (Class::Result, _) => Some(args.at(0)),
        (Class::Map, "retain") => Some(args.at(parameter)),
        (Class::Entry, "and_modify") => Some(args.at(1)),
        (Class::Iterator, "fold" | "try_fold") if parameter == 0 => Some(call.argument(0)),
        (Class::Iterator, "map_ok" | "and_then") => Some(tried(&args.at(0))),
        (Class::Iterator | Class::Sequence, _) => Some(args.at(0)),
        (Class::Cell, "with" | "with_borrow" | "with_borrow_mut" | "update") => Some(args.at(0)),
        _ => None,
    }
}
