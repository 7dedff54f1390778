//! Grouping of adjacent items into runs. A run never skips an item.

/// Returns runs of adjacent items, each of at most `len_max` items. `fits` returns true if the next
/// item may join the run so far.
pub(super) fn runs<T>(items: &[T], len_max: usize, fits: impl Fn(&[T], &T) -> bool) -> Vec<&[T]> {
    let mut runs = Vec::new();
    let mut from = 0;
    for at in 1..=items.len() {
        let ends = match (items.get(from..at), items.get(at)) {
            (Some(run), Some(next)) => run.len() >= len_max.max(1) || !fits(run, next),
            _ => true,
        };
        if ends {
            runs.extend(items.get(from..at));
            from = at;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_alone_are_grouped() {
        let check = |items: &str, len_max: usize, expect: &str| {
            let items: Vec<char> = items.chars().collect();
            let runs = runs(&items, len_max, |run, next| run.contains(next));
            let got: Vec<String> = runs.into_iter().map(|run| run.iter().collect()).collect();
            assert_eq!(got.join(" "), expect, "{items:?}");
        };
        check("", 9, "");
        check("A", 9, "A");
        check("AABCB", 9, "AA B C B");
        check("AAAAA", 2, "AA AA A");
        check("AAA", 0, "A A A");
    }
}
