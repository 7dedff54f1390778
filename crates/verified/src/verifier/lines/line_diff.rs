//! Maps the lines of an old file to those of a new one: a diff by unique lines (patience), and by
//! shortest edits (Myers) where no line is unique. It returns the expected place of an old line;
//! the steps check if the block is there.
//!
//! RotBench labels its data by another algorithm (histogram), so that the two are independent.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::verifier::thresholds::DIFF_EDITS_MAX;

const NOWHERE: u32 = u32::MAX;
/// The limit of visits per line, on average. A line is visited again when a unique one splits its
/// gap. In ordinary files the gaps are halved each time; in adversarial files there can be as many
/// visits as lines.
const LOOKS_MAX: usize = 16;

/// The new line for each old one that still exists, in increasing order.
pub(in crate::verifier) struct LineMap {
    to: Vec<u32>,
    kept: usize,
}

impl LineMap {
    /// Compares two files, each as the hashes of its lines.
    pub(in crate::verifier) fn between(old: &[u64], new: &[u64]) -> Self {
        let lines_left = LOOKS_MAX.saturating_mul(old.len() + new.len());
        let mut diff = Diff { old, new, to: vec![NOWHERE; old.len()], gaps: Vec::new(), lines_left };
        diff.gaps.push(LineGap { old: (0, old.len()), new: (0, new.len()) });
        while let Some(gap) = diff.gaps.pop() {
            diff.solve(gap);
        }
        let kept = diff.to.iter().filter(|to| **to != NOWHERE).count();
        Self { to: diff.to, kept }
    }

    /// Returns the new place of an old line.
    pub(in crate::verifier) fn get(&self, old: usize) -> Option<usize> {
        self.to.get(old).filter(|to| **to != NOWHERE).map(|to| *to as usize)
    }

    /// Returns the share of the old lines that are kept; 1 for an empty file.
    pub(in crate::verifier) fn kept_share(&self) -> f64 {
        if self.to.is_empty() { 1.0 } else { self.kept as f64 / self.to.len() as f64 }
    }

    /// Returns the expected place of an old line: its new place, or one counted from the nearest
    /// kept line before it.
    pub(in crate::verifier) fn expected(&self, old: usize) -> usize {
        let upto = self.to.get(..=old).unwrap_or(&self.to);
        match upto.iter().rposition(|to| *to != NOWHERE) {
            Some(near) => upto.get(near).map_or(0, |to| *to as usize) + (old - near),
            None => old,
        }
    }

    /// Returns the number of kept lines in a range of old lines.
    pub(in crate::verifier) fn kept_in(&self, from: usize, to: usize) -> usize {
        self.to.get(from..to).unwrap_or_default().iter().filter(|to| **to != NOWHERE).count()
    }

    /// Returns the nearest kept line before `old`, as a line of the new file.
    pub(in crate::verifier) fn kept_before(&self, old: usize) -> Option<usize> {
        let upto = self.to.get(..old)?;
        upto.iter().rev().find(|to| **to != NOWHERE).map(|to| *to as usize)
    }

    /// Returns the nearest kept line from `old` on, as a line of the new file.
    pub(in crate::verifier) fn kept_from(&self, old: usize) -> Option<usize> {
        self.to.get(old..)?.iter().find(|to| **to != NOWHERE).map(|to| *to as usize)
    }
}

/// Ranges of lines in both files that remain to be compared; ends excluded.
#[derive(Clone, Copy)]
struct LineGap {
    old: (usize, usize),
    new: (usize, usize),
}

struct Diff<'a> {
    old: &'a [u64],
    new: &'a [u64],
    to: Vec<u32>,
    gaps: Vec<LineGap>,
    /// The remaining number of line visits. A gap beyond it counts as rewritten.
    lines_left: usize,
}

impl Diff<'_> {
    fn keep(&mut self, old: usize, new: usize) {
        if let Some(to) = self.to.get_mut(old) {
            *to = u32::try_from(new).unwrap_or(NOWHERE);
        }
    }

    fn solve(&mut self, gap: LineGap) {
        let LineGap { old: (mut a, mut a_end), new: (mut b, mut b_end) } = gap;
        while a < a_end && b < b_end && self.old.get(a) == self.new.get(b) {
            self.keep(a, b);
            a += 1;
            b += 1;
        }
        while a < a_end && b < b_end && self.old.get(a_end - 1) == self.new.get(b_end - 1) {
            a_end -= 1;
            b_end -= 1;
            self.keep(a_end, b_end);
        }
        if a == a_end || b == b_end {
            return;
        }
        let gap = LineGap { old: (a, a_end), new: (b, b_end) };
        match self.lines_left.checked_sub(a_end - a + b_end - b) {
            Some(left) => self.lines_left = left,
            None => return,
        }
        let pairs = longest_rise(&self.unique_pairs(gap));
        if pairs.is_empty() {
            self.shortest_edits(gap);
            return;
        }
        let (mut a, mut b) = (a, b);
        for (old, new) in pairs {
            self.gaps.push(LineGap { old: (a, old), new: (b, new) });
            self.keep(old, new);
            (a, b) = (old + 1, new + 1);
        }
        self.gaps.push(LineGap { old: (a, a_end), new: (b, b_end) });
    }

    /// Returns the lines that occur once in both parts, in order of the old part.
    fn unique_pairs(&self, gap: LineGap) -> Vec<(usize, usize)> {
        let part =
            |lines: &[u64], (from, to): (usize, usize)| lines.get(from..to).unwrap_or_default().to_vec();
        let (old, new) = (part(self.old, gap.old), part(self.new, gap.new));
        let mut seen: HashMap<u64, LineOccurrences, BuildHasherDefault<IdentityHasher>> = HashMap::default();
        seen.reserve(old.len());
        for line in &old {
            seen.entry(*line).or_default().old += 1;
        }
        for (index, line) in new.iter().enumerate() {
            if let Some(seen) = seen.get_mut(line) {
                seen.new += 1;
                seen.new_at = index;
            }
        }
        let unique = |(index, line): (usize, &u64)| {
            let seen = seen.get(line).filter(|seen| seen.old == 1 && seen.new == 1)?;
            Some((gap.old.0 + index, gap.new.0 + seen.new_at))
        };
        old.iter().enumerate().filter_map(unique).collect()
    }

    /// Applies Myers' greedy algorithm. A gap with more edits than the limit counts as rewritten.
    fn shortest_edits(&mut self, gap: LineGap) {
        let old = self.old.get(gap.old.0..gap.old.1).unwrap_or_default();
        let new = self.new.get(gap.new.0..gap.new.1).unwrap_or_default();
        for (a, b) in common_pairs(old, new) {
            self.keep(gap.old.0 + a, gap.new.0 + b);
        }
    }
}

#[derive(Default)]
struct LineOccurrences {
    old: u32,
    new: u32,
    new_at: usize,
}

/// A hasher for keys that are already hashes.
#[derive(Default)]
pub(in crate::verifier) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// Returns the longest run of pairs that increases on both sides. The input is ordered by the first
/// side.
fn longest_rise(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut ends: Vec<usize> = Vec::new(); // index of the pair that ends the best run of each length
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs.get(*end).is_some_and(|pair| pair.1 < *new));
        if let Some(link) = before.get_mut(index) {
            *link = length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied());
        }
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut run = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        run.extend(pairs.get(index).copied());
        at = before.get(index).copied().flatten();
    }
    run.reverse();
    run
}

/// Returns the pairs of equal lines on a shortest edit path (Myers), increasing; empty if the path
/// exceeds the limit.
pub fn common_pairs(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let (rows, columns) = (old.len() as isize, new.len() as isize);
    let limit = (rows + columns).min(DIFF_EDITS_MAX as isize);
    let middle = limit + 1;
    let mut furthest = vec![0_isize; 2 * middle as usize + 1];
    let mut trail: Vec<Vec<isize>> = Vec::new();
    let at = |ways: &[isize], diagonal: isize| ways.get((middle + diagonal) as usize).copied().unwrap_or(-1);
    for edits in 0..=limit {
        let from = (middle - edits - 1).max(0) as usize;
        trail.push(furthest.get(from..=(middle + edits + 1) as usize).unwrap_or_default().to_vec());
        for diagonal in (-edits..=edits).step_by(2) {
            let down = diagonal == -edits
                || (diagonal != edits && at(&furthest, diagonal - 1) < at(&furthest, diagonal + 1));
            let mut x = if down { at(&furthest, diagonal + 1) } else { at(&furthest, diagonal - 1) + 1 };
            while x < rows
                && x - diagonal < columns
                && old.get(x as usize) == new.get((x - diagonal) as usize)
            {
                x += 1;
            }
            if let Some(way) = furthest.get_mut((middle + diagonal) as usize) {
                *way = x;
            }
            if x >= rows && x - diagonal >= columns {
                return walked_back(&trail, rows, columns);
            }
        }
    }
    Vec::new()
}

/// Walks the path back through the positions reached at each number of edits.
fn walked_back(trail: &[Vec<isize>], rows: isize, columns: isize) -> Vec<(usize, usize)> {
    let (mut x, mut y) = (rows, columns);
    let mut pairs = Vec::new();
    for (edits, ways) in trail.iter().enumerate().rev() {
        let edits = edits as isize;
        let at = |diagonal: isize| ways.get((diagonal + edits + 1) as usize).copied().unwrap_or(-1);
        let diagonal = x - y;
        let down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
        let from = if down { diagonal + 1 } else { diagonal - 1 };
        let (from_x, from_y) = if edits == 0 { (0, 0) } else { (at(from), at(from) - from) };
        while x > from_x && y > from_y && x > 0 && y > 0 {
            (x, y) = (x - 1, y - 1);
            pairs.push((x as usize, y as usize));
        }
        (x, y) = (from_x, from_y);
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn map(old: &str, new: &str) -> String {
        let hashes = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
        let map = LineMap::between(&hashes(old), &hashes(new));
        let mut shown = vec![b'.'; new.len()];
        for (index, byte) in old.bytes().enumerate() {
            if let Some(to) = map.get(index) {
                assert_eq!(new.as_bytes()[to], byte);
                shown[to] = byte;
            }
        }
        String::from_utf8(shown).unwrap()
    }

    #[test]
    fn lines_are_carried_over() {
        for (old, new, expect) in [
            ("", "", ""),
            ("abc", "", ""),
            ("", "abc", "..."),
            ("abc", "abc", "abc"),
            ("abc", "xabcy", ".abc."),
            ("abcd", "acd", "acd"),
            ("abcd", "axcd", "a.cd"),
            ("aaaa", "aa", "aa"),
            ("abab", "baba", ".aba"),
            ("abcxyz", "xyzabc", "...abc"),
            ("axbxcx", "axxbxcx", "ax.bxcx"),
            ("aabbaabb", "bbaabbaa", "bbaabb.."),
        ] {
            let shown = map(old, new);
            let kept = |text: &str| text.bytes().filter(|b| *b != b'.').count();
            assert_eq!(kept(&shown), kept(expect), "{old} {new}: {shown}, like {expect}");
        }
    }

    #[test]
    fn the_expected_place_is_counted_from_the_nearest_kept_line() {
        let map = LineMap::between(&[1, 2, 3, 4, 5], &[9, 9, 1, 2, 8, 5]);
        assert_eq!((map.get(2), map.expected(2), map.expected(4)), (None, 4, 5));
        assert_eq!((map.kept_before(3), map.kept_from(3)), (Some(3), Some(5)));
        assert_eq!(LineMap::between(&[1, 2], &[3]).expected(1), 1);
        assert!((map.kept_share() - 0.6).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn the_map_is_increasing_and_pairs_equal_lines(
            old in prop::collection::vec(0_u64..6, 0..60),
            new in prop::collection::vec(0_u64..6, 0..60),
        ) {
            let map = LineMap::between(&old, &new);
            let mut last = None;
            for (index, line) in old.iter().enumerate() {
                if let Some(to) = map.get(index) {
                    prop_assert_eq!(*line, new[to]);
                    prop_assert!(last < Some(to));
                    last = Some(to);
                }
            }
        }

        #[test]
        fn inserted_lines_lose_none_of_the_old(
            old in prop::collection::vec(0_u64..50, 1..60),
            inserted in prop::collection::vec(100_u64..150, 0..20),
            at in 0_usize..60,
        ) {
            let at = at.min(old.len());
            let mut new = old.clone();
            new.splice(at..at, inserted.iter().copied());
            let map = LineMap::between(&old, &new);
            for index in 0..old.len() {
                let moved = if index < at { index } else { index + inserted.len() };
                prop_assert_eq!(map.get(index), Some(moved));
            }
        }
    }
}
