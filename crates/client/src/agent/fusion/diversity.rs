//! The limit that keeps one store from filling the list: at most two thirds while another store
//! has good results.

use std::collections::BTreeMap;

use super::Ranked;

/// The minimum score of a result that may replace a better one of another store.
const GOOD: f64 = 0.5;

/// Chooses at most `limit` results from a list sorted by rank. The chosen results are not sorted.
pub(super) fn chosen(ranked: Vec<Ranked>, limit: Option<usize>) -> Vec<Ranked> {
    let size = limit.unwrap_or(usize::MAX).min(ranked.len());
    let share = (size * 2).div_ceil(3);
    let mut good_left: BTreeMap<usize, usize> = BTreeMap::new();
    for one in ranked.iter().filter(|one| one.score >= GOOD) {
        *good_left.entry(one.list).or_default() += 1;
    }
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut chosen, mut passed_over) = (Vec::new(), Vec::new());
    for one in ranked {
        if chosen.len() == size {
            break;
        }
        let others_good = good_left.iter().any(|(list, left)| *list != one.list && *left > 0);
        if taken.get(&one.list).copied().unwrap_or(0) >= share && others_good {
            passed_over.push(one);
            continue;
        }
        if one.score >= GOOD {
            good_left.entry(one.list).and_modify(|left| *left = left.saturating_sub(1));
        }
        *taken.entry(one.list).or_default() += 1;
        chosen.push(one);
    }
    let missing = size - chosen.len();
    chosen.extend(passed_over.into_iter().take(missing));
    chosen
}
