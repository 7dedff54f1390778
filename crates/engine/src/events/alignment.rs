//! Finds the items of an event that an earlier event already contains in the same order, as in a
//! diff. This module only compares texts; it does not read the store.

use std::collections::HashSet;

/// The maximum product of the two numbers of items for the exact comparison. Above it, a repeated
/// item may be missed, which only costs a second extraction.
const CELLS_MAX: usize = 64 * 1024;

/// Marks in `known` the items that `part` also contains, as a longest common subsequence of the
/// items that are not marked yet. Each item of `part` marks at most one item, so that content
/// that an event repeats is extracted again.
pub(super) fn mark(part: &[&str], items: &[String], known: &mut [bool]) {
    let wanted: HashSet<&str> = part.iter().copied().collect();
    let open: Vec<usize> = (0..items.len())
        .filter(|at| {
            known.get(*at) == Some(&false)
                && items.get(*at).is_some_and(|item| wanted.contains(item.as_str()))
        })
        .collect();
    let texts: Vec<&str> = open.iter().filter_map(|at| items.get(*at)).map(String::as_str).collect();
    let same = part.iter().zip(&texts).take_while(|(one, other)| one == other).count();
    let (Some(part), Some(texts)) = (part.get(same..), texts.get(same..)) else { return };
    let rest = common(part, texts.get(..CELLS_MAX / part.len().max(1)).unwrap_or(texts));
    for at in (0..same).chain(rest.into_iter().map(|at| at + same)) {
        if let Some(known) = open.get(at).and_then(|at| known.get_mut(*at)) {
            *known = true;
        }
    }
}

/// Returns the positions in `texts` of a longest common subsequence of `part` and `texts`.
fn common(part: &[&str], texts: &[&str]) -> Vec<usize> {
    let width = texts.len() + 1;
    // Length of the longest common subsequence of the rests, for each pair of positions.
    let mut lengths = vec![0_usize; (part.len() + 1) * width];
    let at = |row: usize, column: usize| row * width + column;
    for (row, one) in part.iter().enumerate().rev() {
        for (column, other) in texts.iter().enumerate().rev() {
            let of = |row, column| lengths.get(at(row, column)).copied().unwrap_or(0);
            let best = if one == other {
                of(row + 1, column + 1) + 1
            } else {
                of(row + 1, column).max(of(row, column + 1))
            };
            if let Some(length) = lengths.get_mut(at(row, column)) {
                *length = best;
            }
        }
    }
    let of = |row, column| lengths.get(at(row, column)).copied().unwrap_or(0);
    let (mut row, mut found) = (0, Vec::new());
    for (column, text) in texts.iter().enumerate() {
        // This item is chosen if a position of the part contains it that still allows the longest
        // subsequence.
        let left = of(row, column);
        let place = (row..part.len()).find(|row| part.get(*row) == Some(text));
        if let Some(place) = place
            && left > 0
            && of(place + 1, column + 1) + 1 == left
        {
            found.push(column);
            row = place + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_that_come_again_in_order() {
        let check = |part: &str, items: &str, before: &[usize], expect: &[usize]| {
            let part: Vec<&str> = part.split_whitespace().collect();
            let items: Vec<String> = items.split_whitespace().map(str::to_owned).collect();
            let mut known: Vec<bool> = (0..items.len()).map(|at| before.contains(&at)).collect();
            mark(&part, &items, &mut known);
            let found: Vec<usize> =
                (0..items.len()).filter(|at| known[*at] && !before.contains(at)).collect();
            assert_eq!(found, expect, "{part:?} {items:?}");
        };
        check("", "a b", &[], &[]);
        check("a b", "", &[], &[]);
        check("a b c", "a b c d", &[], &[0, 1, 2]);
        check("a yes c d", "c d e yes", &[], &[0, 1]);
        check("yes a b c", "c yes d", &[], &[0]);
        check("a", "a a a", &[], &[0]);
        check("a a", "a a a", &[], &[0, 1]);
        check("a", "a a a", &[0], &[1]);
        check("a b e f", "a b c d e f g", &[], &[0, 1, 4, 5]);
        check("x a y b", "a z b", &[], &[0, 2]);
        check("b a", "a b", &[], &[0]);
        check("a x y z", "x y z a", &[], &[0, 1, 2]);
    }

    #[test]
    fn a_great_event_is_compared_as_far_as_it_goes() {
        let items: Vec<String> = std::iter::repeat_n("a".to_owned(), 100_000).collect();
        let mut known = vec![false; items.len()];
        mark(&["a"; 32], &items, &mut known);
        assert_eq!(known.iter().filter(|known| **known).count(), 32);
    }
}
