//! Citations of an equal fact join those it has (verified-memory.md §5.4): nothing is silently replaced.

use loci_model::citation::Citation;

use super::CITATIONS_MAX;

/// Adds new citations; the number of those for which there was no room.
pub(super) fn merge(kept: &mut Vec<Citation>, new: Vec<Citation>) -> usize {
    let mut over = 0;
    for citation in new {
        let place = |one: &Citation| {
            one.current.as_ref().map_or_else(|| one.anchor.place.clone(), |(place, _)| place.clone())
        };
        match kept.iter().position(|one| place(one) == place(&citation)) {
            Some(known) => renew(kept.get_mut(known), citation),
            None if kept.len() < CITATIONS_MAX => kept.push(citation),
            None => over += 1,
        }
    }
    over
}

/// The lines at a place that is cited already: as they are now.
fn renew(known: Option<&mut Citation>, citation: Citation) {
    let Some(one) = known.filter(|one| one.anchor.snippet_hash != citation.anchor.snippet_hash) else {
        return;
    };
    let before = std::mem::replace(one, citation).anchor.place.path;
    if one.anchor.place.path != before {
        one.earlier_paths.push(before);
    }
}
