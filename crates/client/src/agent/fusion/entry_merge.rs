//! Merging of entries with the same meaning: the best one stays, with the newest time and the
//! names of all stores.

use super::Ranked;
use super::likeness::Likeness;

/// Merges entries of a list that is sorted, best first.
pub(super) fn merged(ranked: Vec<Ranked>) -> Vec<Ranked> {
    let mut kept: Vec<(Ranked, Likeness)> = Vec::new();
    for other in ranked {
        let likeness = Likeness::of(&other.entry.content);
        match kept.iter_mut().find(|(_, known)| known.is_same(&likeness)) {
            Some((best, _)) => take_in(best, other),
            None => kept.push((other, likeness)),
        }
    }
    kept.into_iter().map(|(ranked, _)| ranked).collect()
}

fn take_in(best: &mut Ranked, other: Ranked) {
    let (entry, other) = (&mut best.entry, other.entry);
    // `None` is less than any time.
    entry.created_at_ms = entry.created_at_ms.max(other.created_at_ms);
    entry.observed_at_ms = entry.observed_at_ms.max(other.observed_at_ms);
    for name in std::iter::once(other.store_name).chain(other.also_in) {
        if name != entry.store_name && !entry.also_in.contains(&name) {
            entry.also_in.push(name);
        }
    }
}
