//! Merging of the search results of several stores into one list. Pure: equal lists give an equal
//! result.

mod calibration;
mod diversity;
mod entry_merge;
mod likeness;

use super::entry::Entry;

/// The method to merge the search results of several stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fusion {
    /// The results of one store after the other, in the order of the stores, without ranking or
    /// merging.
    Concat,
    /// The best results over all stores first. Entries with the same meaning appear once, and no
    /// store may fill the list.
    #[default]
    Rank,
}

/// The search results of one store.
#[derive(Debug, Clone)]
pub(crate) struct StoreList {
    /// True if the scores of the store are calibrated, so that they can be compared with other
    /// scores.
    pub(crate) scored: bool,
    /// The entries of the store, best first.
    pub(crate) entries: Vec<Entry>,
}

/// An entry with its sort key: its comparable score, then the position of its store, then its
/// position in that store's list.
#[derive(Debug, Clone)]
struct Ranked {
    entry: Entry,
    score: f64,
    list: usize,
    place: usize,
}

/// Merges lists of results into one. `limit` is the maximum number of entries; `None` means no
/// limit.
pub(crate) fn fuse(fusion: Fusion, lists: Vec<StoreList>, limit: Option<usize>) -> Vec<Entry> {
    match fusion {
        Fusion::Concat => {
            let all = lists.into_iter().flat_map(|list| list.entries);
            all.take(limit.unwrap_or(usize::MAX)).collect()
        }
        Fusion::Rank => {
            let mut ranked = calibration::ranked(lists);
            sort(&mut ranked);
            let mut merged = entry_merge::merged(ranked);
            sort(&mut merged);
            let mut chosen = diversity::chosen(merged, limit);
            sort(&mut chosen);
            chosen.into_iter().map(|ranked| ranked.entry).collect()
        }
    }
}

fn sort(ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.list.cmp(&b.list)).then(a.place.cmp(&b.place)));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `store:score:text`, with `-` for no score. A store whose name begins with `s` is
    /// calibrated.
    fn lists(of: &[&[&str]]) -> Vec<StoreList> {
        let read = |line: &&str| {
            let mut parts = line.splitn(3, ':');
            let store = parts.next().unwrap();
            let score = parts.next().unwrap().parse().ok();
            Entry { score, ..Entry::new(store, parts.next().unwrap()) }
        };
        let list = |lines: &&[&str]| StoreList {
            scored: lines.first().is_some_and(|line| line.starts_with('s')),
            entries: lines.iter().map(read).collect(),
        };
        of.iter().map(list).collect()
    }

    fn check(fusion: Fusion, of: &[&[&str]], limit: Option<usize>, expect: &[&str]) {
        let got: Vec<String> = fuse(fusion, lists(of), limit)
            .into_iter()
            .map(|entry| {
                let names: Vec<String> = std::iter::once(entry.store_name).chain(entry.also_in).collect();
                format!("{}:{}", names.join("+"), entry.content)
            })
            .collect();
        assert_eq!(got, expect);
    }

    #[test]
    fn concat_is_the_order_of_the_stores() {
        let of: &[&[&str]] = &[&["s1:0.2:a", "s1:0.1:b"], &["s2:0.9:a", "s2:0.8:c"]];
        check(Fusion::Concat, of, None, &["s1:a", "s1:b", "s2:a", "s2:c"]);
        check(Fusion::Concat, of, Some(3), &["s1:a", "s1:b", "s2:a"]);
    }

    #[test]
    fn duplicates_of_two_stores_appear_once_with_both_names() {
        check(
            Fusion::Rank,
            &[&["s1:0.6:Lives in Seattle."], &["s2:0.9:lives  in seattle", "s2:0.3:has a dog"]],
            None,
            &["s2+s1:lives  in seattle", "s2:has a dog"],
        );
    }

    #[test]
    fn stores_without_scores_are_ranked_below_half() {
        check(
            Fusion::Rank,
            &[&["files:99:f1", "files:98:f2"], &["s:0.6:s1", "s:0.3:s2"]],
            None,
            &["s:s1", "files:f1", "s:s2", "files:f2"],
        );
    }

    #[test]
    fn no_store_takes_the_whole_list_while_another_has_good_ones() {
        let long: &[&str] = &["s1:0.99:a", "s1:0.98:b", "s1:0.97:c", "s1:0.96:d", "s1:0.95:e", "s1:0.94:f"];
        check(
            Fusion::Rank,
            &[long, &["s2:0.6:x", "s2:0.55:y"]],
            Some(5),
            &["s1:a", "s1:b", "s1:c", "s1:d", "s2:x"],
        );
        check(Fusion::Rank, &[long, &["s2:0.4:x"]], Some(5), &["s1:a", "s1:b", "s1:c", "s1:d", "s1:e"]);
        check(Fusion::Rank, &[long], Some(3), &["s1:a", "s1:b", "s1:c"]);
    }

    #[test]
    fn ties_go_by_store_and_place() {
        check(Fusion::Rank, &[&["s1:0.5:b", "s1:0.5:a"], &["s2:0.5:c"]], None, &["s1:b", "s1:a", "s2:c"]);
        check(Fusion::Rank, &[&["s1:-:b"], &["s2:NaN:c"]], None, &["s1:b", "s2:c"]);
    }
}
