//! How alike two documents are, by shingles: three words in a row or, of scripts without spaces, five characters. Which documents are worth a
//! look is told by the rarer shingles, so that a large tree is not compared with itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Words of a shingle.
const WORDS: usize = 3;
/// Characters of one, in scripts without spaces.
const CHARACTERS: usize = 5;
/// What so many documents have says nothing about two of them.
const POSTINGS_MAX: usize = 1_500;

/// Ids of shingles, sorted, each once.
pub(super) type Shingles = Vec<u32>;

/// Gives shingles their ids: the same in the same order of texts.
#[derive(Default)]
pub(super) struct Interner(HashMap<String, u32>);

impl Interner {
    /// Shingles of a normalised text.
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

    /// The distinct words among these, as ids.
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

/// True where most letters are of scripts that are written without spaces.
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

/// Pairs of documents with at least one shingle in common that is not everybody's: the smaller index first, sorted.
pub(super) fn pairs(all: &[Shingles]) -> BTreeSet<(usize, usize)> {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, shingles) in all.iter().enumerate() {
        for shingle in shingles {
            holders.entry(*shingle).or_default().push(at);
        }
    }
    let mut pairs = BTreeSet::new();
    for holders in holders.values().filter(|holders| holders.len() <= POSTINGS_MAX) {
        for (at, left) in holders.iter().enumerate() {
            pairs.extend(holders.iter().skip(at + 1).map(|right| (*left, *right)));
        }
    }
    pairs
}

/// Share of the smaller one's shingles that the other has, too; 0 where it has none.
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
        assert_eq!(pairs(&all).into_iter().collect::<Vec<_>>(), [(0, 1), (0, 3), (2, 3)]);
    }
}
