//! The similarity of two documents by shingles: three consecutive words or, in scripts without
//! spaces, five characters. Rare shingles select the pairs to compare, so that a large tree is not
//! compared with itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The number of words of a shingle.
const WORDS: usize = 3;
/// The number of characters of a shingle, in scripts without spaces.
const CHARACTERS: usize = 5;
/// The maximum number of documents that may share a shingle. A more frequent shingle does not
/// select a pair.
const POSTINGS_MAX: usize = 1_500;

/// A set of shingles as their ids, sorted.
pub(super) type Shingles = Vec<u32>;

/// Assigns ids to shingles. Equal texts in equal order get equal ids.
#[derive(Default)]
pub(super) struct Interner(HashMap<String, u32>);

impl Interner {
    /// Returns the set of shingles of a normalised text.
    pub(super) fn shingles(&mut self, normal: &str) -> Shingles {
        let mut ids: Vec<u32> = if lacks_spaces(normal) {
            let characters: Vec<char> = normal.chars().filter(|c| c.is_alphanumeric()).collect();
            let windows = characters.windows(CHARACTERS.min(characters.len().max(1)));
            windows.map(|window| self.id(window.iter().collect())).collect()
        } else {
            let words: Vec<&str> =
                normal.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
            words.windows(WORDS.min(words.len().max(1))).map(|window| self.id(window.join(" "))).collect()
        };
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the set of distinct words as ids.
    pub(super) fn words(&mut self, words: Vec<String>) -> Shingles {
        let mut ids: Vec<u32> = words.into_iter().map(|word| self.id(word)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn id(&mut self, text: String) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(text).or_insert(next)
    }
}

/// Returns true if most letters belong to scripts that write no spaces between words.
fn lacks_spaces(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let of_them = text.chars().filter(|c| c.is_alphabetic() && is_of_unspaced_script(*c)).count();
    of_them * 2 > letters
}

fn is_of_unspaced_script(c: char) -> bool {
    matches!(u32::from(c),
        0x0e00..=0x0eff // Thai, Lao
        | 0x1000..=0x109f | 0x1780..=0x17ff // Burmese, Khmer
        | 0x3040..=0x30ff | 0x31f0..=0x31ff // Kana
        | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff) // Han
}

/// The pairs of documents that are worth comparing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairs {
    /// The pairs of indices, the smaller index first, sorted.
    pub(super) found: BTreeSet<(usize, usize)>,
    /// True if a limit ended the search, so that there may be more pairs.
    pub(super) is_cut: bool,
}

/// Returns the pairs of documents that share a shingle that is not too frequent. Rare shingles come
/// first. The result has at most `most` pairs.
pub(super) fn pairs(all: &[Shingles], most: usize) -> Pairs {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, shingles) in all.iter().enumerate() {
        for shingle in shingles {
            holders.entry(*shingle).or_default().push(at);
        }
    }
    let mut holders: Vec<Vec<usize>> =
        holders.into_values().filter(|holders| (2..=POSTINGS_MAX).contains(&holders.len())).collect();
    // A stable sort: of equally rare shingles the one found first comes first.
    holders.sort_by_key(Vec::len);
    let mut pairs = Pairs::default();
    let mut left = most;
    for holders in holders {
        for (at, one) in holders.iter().enumerate() {
            let others = holders.len() - at - 1;
            if others > left {
                pairs.is_cut = true;
                return pairs;
            }
            left -= others;
            pairs.found.extend(holders.iter().skip(at + 1).map(|other| (*one, *other)));
        }
    }
    pairs
}

/// Returns the share, 0 to 1, of the smaller document's shingles that the other document also has.
/// 0 if the smaller document has no shingles.
pub(super) fn contained(left: &Shingles, right: &Shingles) -> f32 {
    let (small, large) = if left.len() <= right.len() { (left, right) } else { (right, left) };
    if small.is_empty() {
        return 0.0;
    }
    let shared = small.iter().filter(|shingle| large.binary_search(shingle).is_ok()).count();
    shared as f32 / small.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_text::similarity::jaccard_ids;

    #[test]
    fn how_alike_texts_are() {
        let check = |left: &str, right: &str, jaccard: f32, within: f32| {
            let mut interner = Interner::default();
            let (left_ids, right_ids) = (interner.shingles(left), interner.shingles(right));
            assert_eq!(jaccard_ids(&left_ids, &right_ids), jaccard, "{left} / {right}");
            assert_eq!(contained(&left_ids, &right_ids), within, "{left} / {right}");
        };
        check("a b c d", "a b c d", 1.0, 1.0);
        check("a b c d", "a b c e", 1.0 / 3.0, 0.5);
        check("a b c", "a b c d e f", 0.25, 1.0);
        check("a", "a", 1.0, 1.0);
        check("", "", 0.0, 0.0);
        check("日本語を話す人", "日本語を話す人", 1.0, 1.0);
        check("日本語を話す人", "日本語を話す犬", 0.5, 2.0 / 3.0);
    }

    #[test]
    fn which_are_compared() {
        let all = vec![vec![1, 2], vec![2, 3], vec![4], vec![1, 4]];
        let check = |most: usize, expect: &[(usize, usize)], is_cut: bool| {
            let pairs = pairs(&all, most);
            assert_eq!(pairs.found.into_iter().collect::<Vec<_>>(), expect, "{most}");
            assert_eq!(pairs.is_cut, is_cut, "{most}");
        };
        check(3, &[(0, 1), (0, 3), (2, 3)], false);
        check(2, &[(0, 1), (0, 3)], true);
        check(0, &[], true);
    }

    #[test]
    fn what_few_have_in_common_comes_first() {
        let all = vec![vec![1, 2], vec![1], vec![1, 2]];
        assert_eq!(pairs(&all, 1).found.into_iter().collect::<Vec<_>>(), [(0, 2)]);
        assert!(pairs(&all, 1).is_cut && !pairs(&all, 4).is_cut);
    }
}
