//! Everything in the order of the text. The walk meets some of it otherwise: a pattern after the value that it takes apart.

use super::{FileSyntax, PayloadField, Value};

pub(super) fn sort(syntax: &mut FileSyntax) {
    sort_references(syntax);
    syntax.type_arguments.sort_by_key(|arguments| arguments.reference);
    syntax.signatures.sort_by_key(|signature| signature.item);
}

fn sort_references(syntax: &mut FileSyntax) {
    if syntax.references.is_sorted_by_key(|reference| reference.at.start) {
        return;
    }
    let mut order: Vec<u32> = (0..syntax.references.len() as u32).collect();
    let start = |place: &u32| syntax.references.get(*place as usize).map(|reference| reference.at.start);
    order.sort_by_key(start);
    let mut new_places = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(place) = new_places.get_mut(*old as usize) {
            *place = new as u32;
        }
    }
    let mut references: Vec<_> =
        std::mem::take(&mut syntax.references).into_iter().zip(&new_places).collect();
    references.sort_by_key(|(_, place)| **place);
    syntax.references = references.into_iter().map(|(reference, _)| reference).collect();

    let renumber = |place: &mut u32| *place = new_places.get(*place as usize).copied().unwrap_or(*place);
    syntax.values.iter_mut().for_each(|value| renumber_value(value, renumber));
    syntax.type_arguments.iter_mut().for_each(|arguments| renumber(&mut arguments.reference));
}

fn renumber_value(value: &mut Value, renumber: impl Fn(&mut u32)) {
    match value {
        Value::Path(reference) | Value::Field(reference) => renumber(reference),
        Value::Call { reference, .. } | Value::Method { reference, .. } | Value::Macro { reference, .. } => {
            renumber(reference);
        }
        Value::Payload { reference, field, .. } => {
            renumber(reference);
            if let PayloadField::Named(named) = field {
                renumber(named);
            }
        }
        _ => {}
    }
}
