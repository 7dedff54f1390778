//! Similarity of two sets of terms.
//!
//! Folding of similar texts also depends on their numbers, negations and dates: see `marks`.

use std::cmp::Ordering;
use std::collections::HashSet;

/// Returns the Jaccard similarity of the distinct terms of `a` and `b`, 0 to 1. Two empty lists
/// yield 0.
#[must_use]
pub fn jaccard(a: &[String], b: &[String]) -> f32 {
    let a: HashSet<&str> = a.iter().map(String::as_str).collect();
    let b: HashSet<&str> = b.iter().map(String::as_str).collect();
    let shared = a.intersection(&b).count();
    share(shared, a.len() + b.len() - shared)
}

/// Returns the Jaccard similarity of two ascending lists of term ids. Repetitions count once.
#[must_use]
pub fn jaccard_ids(a: &[u32], b: &[u32]) -> f32 {
    let (mut a, mut b) = (distinct(a).peekable(), distinct(b).peekable());
    let (mut shared, mut all) = (0, 0);
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        let order = left.cmp(right);
        shared += usize::from(order == Ordering::Equal);
        if order != Ordering::Greater {
            a.next();
        }
        if order != Ordering::Less {
            b.next();
        }
        all += 1;
    }
    share(shared, all + a.count() + b.count())
}

fn distinct(ids: &[u32]) -> impl Iterator<Item = u32> + '_ {
    let mut last = None;
    ids.iter().copied().filter(move |id| last.replace(*id) != Some(*id))
}

fn share(shared: usize, all: usize) -> f32 {
    if all == 0 { 0.0 } else { shared as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(a: &[u32], b: &[u32], expect: f32) {
        let words = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>();
        assert_eq!(jaccard_ids(a, b), expect, "{a:?} {b:?}");
        assert_eq!(jaccard(&words(a), &words(b)), expect, "{a:?} {b:?}");
    }

    #[test]
    fn by_hand() {
        check(&[], &[], 0.0);
        check(&[1], &[], 0.0);
        check(&[1, 2], &[1, 2], 1.0);
        check(&[1, 1, 2], &[2, 2, 3], 1.0 / 3.0);
        check(&[1, 2, 3, 4], &[2, 4, 6], 2.0 / 5.0);
    }

    proptest! {
        #[test]
        fn both_ways_agree(
            mut a in proptest::collection::vec(0u32..20, 0..30),
            mut b in proptest::collection::vec(0u32..20, 0..30),
        ) {
            a.sort_unstable();
            b.sort_unstable();
            let words = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>();
            prop_assert_eq!(jaccard_ids(&a, &b), jaccard(&words(&a), &words(&b)));
            prop_assert_eq!(jaccard_ids(&a, &b), jaccard_ids(&b, &a));
        }
    }
}
