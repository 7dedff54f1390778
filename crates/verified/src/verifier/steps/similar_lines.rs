//! Lines that are similar to the block, if no earlier step found it: by equal lines, else by equal
//! words in equal surroundings. The result is drifted, never valid.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use loci_model::facts::citation::Anchor;

use super::super::thresholds::{LINE_LIKENESS_MIN, WORD_CONTEXT_MIN, WORD_LIKENESS_MIN};
use super::file_search::{EarlierAnchorFile, context};
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::line_diff::{IdentityHasher, common_pairs};
use crate::verifier::lines::words::word_hashes;

/// The number of windows that are compared line by line.
const WINDOWS_MAX: usize = 8;
/// The maximum number of occurrences of a line in a file. A more frequent line does not locate the
/// block.
const REPEATS_MAX: usize = 50;

/// A window that is similar to the block.
pub(super) struct SimilarWindow {
    pub(super) from: usize,
    /// The end, excluded.
    pub(super) to: usize,
    /// `2·LCS/(len a + len b)` by lines.
    pub(super) lines: f64,
    words: f64,
    /// True if all old lines are present, with others between them.
    pub(super) split: bool,
}

impl SimilarWindow {
    /// Orders matches: split before fuzzy, then by lines, then by words.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.split, one.lines, one.words);
        key(self) > key(other)
    }
}

type Counts = HashMap<u64, i32, BuildHasherDefault<IdentityHasher>>;

/// Returns the best window of a file, if one is good enough. If `old_lines` is empty, only lines
/// are compared.
pub(super) fn similar(
    anchor: &Anchor,
    old_lines: &[String],
    before: Option<&EarlierAnchorFile<'_>>,
    file: &FileLines,
) -> Option<SimilarWindow> {
    let old_words: Vec<u64> = old_lines.iter().flat_map(|line| word_hashes(line)).collect();
    let mut windows: Vec<(usize, usize)> =
        before.and_then(|before| region(anchor, before, file)).into_iter().collect();
    windows.extend(voted(anchor, file));
    let scored = windows.into_iter().map(|(from, to)| scored(anchor, &old_words, file, from, to));
    let best = scored.reduce(|a, b| if b.is_better_than(&a) { b } else { a });
    if let Some(best) = best
        && good_enough(anchor, file, &best)
    {
        return Some(best);
    }
    let (from, to) = by_words(&old_words, file, anchor.line_hashes.len())?;
    let best = scored_as_it_is(anchor, &old_words, file, from, to);
    good_enough(anchor, file, &best).then_some(best)
}

fn good_enough(anchor: &Anchor, file: &FileLines, window: &SimilarWindow) -> bool {
    window.split
        || window.lines >= LINE_LIKENESS_MIN
        || (window.words >= WORD_LIKENESS_MIN
            && context(anchor, file, window.from, window.to) >= WORD_CONTEXT_MIN)
}

/// Returns the part between the kept lines around the block.
fn region(anchor: &Anchor, before: &EarlierAnchorFile<'_>, file: &FileLines) -> Option<(usize, usize)> {
    let length = anchor.line_hashes.len();
    let from = before.map.kept_before(before.first).map_or(0, |at| at + 1);
    let to = before.map.kept_from(before.first + length).unwrap_or(file.len());
    (from < to && to - from <= 3 * length + 20).then_some((from, to))
}

/// Returns windows of the block's length at the offsets that most of its lines have.
fn voted(anchor: &Anchor, file: &FileLines) -> Vec<(usize, usize)> {
    let block = &anchor.line_hashes;
    let mut places: HashMap<u64, Vec<usize>, BuildHasherDefault<IdentityHasher>> =
        block.iter().map(|line| (*line, Vec::new())).collect();
    for (at, line) in file.hashes().iter().enumerate() {
        if let Some(places) = places.get_mut(line)
            && places.len() <= REPEATS_MAX
        {
            places.push(at);
        }
    }
    let mut votes: HashMap<usize, u32, BuildHasherDefault<IdentityHasher>> = HashMap::default();
    for (index, line) in block.iter().enumerate() {
        let places = places.get(line).filter(|places| places.len() <= REPEATS_MAX);
        for at in places.into_iter().flatten() {
            *votes.entry(at.saturating_sub(index)).or_default() += 1;
        }
    }
    let mut votes: Vec<(usize, u32)> = votes.into_iter().collect();
    votes.sort_by_key(|(shift, votes)| (std::cmp::Reverse(*votes), *shift));
    let window = |(shift, _): &(usize, u32)| (*shift, (shift + block.len()).min(file.len()));
    votes.iter().take(WINDOWS_MAX).map(window).filter(|(from, to)| from < to).collect()
}

/// Returns the window, or its part between the first and the last equal line if that is more
/// similar.
fn scored(anchor: &Anchor, old_words: &[u64], file: &FileLines, from: usize, to: usize) -> SimilarWindow {
    let whole = scored_as_it_is(anchor, old_words, file, from, to);
    let window = file.hashes().get(from..to).unwrap_or_default();
    let pairs = common_pairs(&anchor.line_hashes, window);
    let (Some((_, first)), Some((_, last))) = (pairs.first(), pairs.last()) else { return whole };
    let inner = scored_as_it_is(anchor, old_words, file, from + first, from + last + 1);
    if inner.is_better_than(&whole) { inner } else { whole }
}

fn scored_as_it_is(
    anchor: &Anchor,
    old_words: &[u64],
    file: &FileLines,
    from: usize,
    to: usize,
) -> SimilarWindow {
    let block = &anchor.line_hashes;
    let window = file.hashes().get(from..to).unwrap_or_default();
    let pairs = common_pairs(block, window);
    let words = file.words(from, to);
    let mut counts = Counts::default();
    old_words.iter().for_each(|word| *counts.entry(*word).or_default() += 1);
    let take = |word: &&u64| match counts.get_mut(word) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    let equal = words.iter().filter(take).count();
    SimilarWindow {
        from,
        to,
        lines: dice(pairs.len(), block.len(), window.len()),
        words: dice(equal, old_words.len(), words.len()),
        split: pairs.len() == block.len() && window.len() > block.len(),
    }
}

fn dice(equal: usize, one: usize, other: usize) -> f64 {
    if one + other == 0 { 0.0 } else { 2.0 * equal as f64 / (one + other) as f64 }
}

/// Returns the window of this length whose words are most similar to the block's; the first of
/// equals.
fn by_words(old_words: &[u64], file: &FileLines, length: usize) -> Option<(usize, usize)> {
    if old_words.is_empty() || file.len() < length || length == 0 {
        return None;
    }
    // The number of each word that the window still lacks; negative if it has too many.
    let mut lacks = Counts::default();
    old_words.iter().for_each(|word| *lacks.entry(*word).or_default() += 1);
    let (mut equal, mut words) = (0_usize, 0_usize);
    let mut best: Option<(f64, usize)> = None;
    for at in 0..file.len() {
        for word in file.words(at, at + 1) {
            words += 1;
            if let Some(lack) = lacks.get_mut(word) {
                equal += usize::from(*lack > 0);
                *lack -= 1;
            }
        }
        if at >= length {
            for word in file.words(at - length, at - length + 1) {
                words -= 1;
                if let Some(lack) = lacks.get_mut(word) {
                    *lack += 1;
                    equal -= usize::from(*lack > 0);
                }
            }
        }
        if at + 1 >= length {
            let likeness = dice(equal, old_words.len(), words);
            if best.is_none_or(|(before, _)| likeness > before) {
                best = Some((likeness, at + 1 - length));
            }
        }
    }
    best.filter(|(likeness, _)| *likeness >= WORD_LIKENESS_MIN).map(|(_, from)| (from, from + length))
}
