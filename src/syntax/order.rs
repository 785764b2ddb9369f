//! Everything in the order of the text. The walk meets some of it otherwise: a pattern after the value that it takes apart.

use super::{Body, Parsed};

pub(super) fn sort(parsed: &mut Parsed) {
    sort_references(&mut parsed.body);
    parsed.body.type_arguments.sort_by_key(|arguments| arguments.reference);
    parsed.syntax.signatures.sort_by_key(|signature| signature.item);
}

fn sort_references(body: &mut Body) {
    if body.references.is_sorted_by_key(|reference| reference.at.start) {
        return;
    }
    let mut order: Vec<u32> = (0..body.references.len() as u32).collect();
    let start = |place: &u32| body.references.get(*place as usize).map(|reference| reference.at.start);
    order.sort_by_key(start);
    let mut new_places = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(place) = new_places.get_mut(*old as usize) {
            *place = new as u32;
        }
    }
    let mut references: Vec<_> = std::mem::take(&mut body.references).into_iter().zip(&new_places).collect();
    references.sort_by_key(|(_, place)| **place);
    body.references = references.into_iter().map(|(reference, _)| reference).collect();

    let renumber = |place: &mut u32| *place = new_places.get(*place as usize).copied().unwrap_or(*place);
    for value in &mut body.values {
        value.for_each_place(&mut |_| {}, &mut |reference| renumber(reference));
    }
    body.type_arguments.iter_mut().for_each(|arguments| renumber(&mut arguments.reference));
}
