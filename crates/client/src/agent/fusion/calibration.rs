//! Comparable scores of entries from several stores: calibrated scores stay unchanged, and other
//! entries get a score from their position in the list.

use super::{Ranked, StoreList};

/// The maximum score of an entry from a store without calibrated scores. Its best entry may be
/// relevant, but no score proves it.
const UNCALIBRATED_MAX: f64 = 0.5;

pub(super) fn ranked(lists: Vec<StoreList>) -> Vec<Ranked> {
    let mut out = Vec::new();
    for (list, found) in lists.into_iter().enumerate() {
        let count = found.entries.len();
        for (place, entry) in found.entries.into_iter().enumerate() {
            let own = entry.score.filter(|score| found.scored && score.is_finite());
            let score = own.map_or_else(|| by_place(place, count), |score| score.clamp(0.0, 1.0));
            out.push(Ranked { entry, score, list, place });
        }
    }
    out
}

fn by_place(place: usize, count: usize) -> f64 {
    UNCALIBRATED_MAX * (1.0 - place as f64 / count.max(1) as f64)
}
