//! One candidate file: does the block stand in it, and is it the cited one?

use std::rc::Rc;

use loci_model::facts::citation::Anchor;

use super::super::thresholds::{
    CONTEXT_MIDDLING, CONTEXT_MIDDLING_SAME_NAME, CONTEXT_WEAK, CONTEXT_WEAK_SAME_NAME, INFO_STRONG,
    INFO_WEAK, OCCURRENCES_MAX, SAME_FILE_SHARE,
};
use crate::verifier::anchors::anchor::{context_after, context_before};
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::line_diff::LineMap;

/// The file of the anchor as it was, where it can still be read.
#[derive(Clone)]
pub(super) struct Before<'a> {
    pub(super) file: &'a FileLines,
    /// The first cited line.
    pub(super) first: usize,
    /// Which of its lines is which of the candidate's.
    pub(super) map: Rc<LineMap>,
}

/// What a candidate file is found to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InFile {
    /// The cited block, from this line on.
    Found(usize),
    /// The same lines, but not the cited ones.
    OthersOnly,
    /// Nothing like it, line by line.
    Nothing,
}

/// Looks for the block in one file. `before` is asked only where it decides. `same_path` says that the file has the cited path,
/// so that the same line numbers mean something.
pub(super) fn in_file<'a>(
    anchor: &Anchor,
    before: &dyn Fn() -> Option<Before<'a>>,
    file: &FileLines,
    same_path: bool,
) -> InFile {
    let hits = occurrences(file.hashes(), &anchor.line_hashes);
    if hits.is_empty() {
        return InFile::Nothing;
    }
    if same_path && let Some(hit) = in_place(anchor, file, &hits) {
        let surrounded = context(anchor, file, hit, hit + anchor.line_hashes.len()) >= 1.0;
        // Without its surroundings it may be a copy that came to stand there: the diff tells, where there is one.
        if surrounded || before().is_none() {
            return InFile::Found(hit);
        }
    }
    choose(anchor, before().as_ref(), file, hits, FILE)
}

/// Looks for the block in a file that is not the cited one's. `taken` are places at which it stands for itself: it did before.
pub(super) fn in_other_file(
    anchor: &Anchor,
    before: Option<&Before<'_>>,
    file: &FileLines,
    taken: &[usize],
) -> InFile {
    let mut hits = occurrences(file.hashes(), &anchor.line_hashes);
    if hits.is_empty() {
        return InFile::Nothing;
    }
    hits.retain(|hit| !taken.contains(hit));
    // That a diff between two files that are not one another's maps a line says little.
    let before = before.filter(|before| before.map.kept_share() >= SAME_FILE_SHARE);
    choose(anchor, before, file, hits, OTHER_FILE)
}

/// The context that blocks of middling and of little information need away from their predicted place.
#[derive(Clone, Copy)]
struct Needed {
    middling: f64,
    weak: f64,
}

const FILE: Needed = Needed { middling: CONTEXT_MIDDLING, weak: CONTEXT_WEAK };
const OTHER_FILE: Needed = Needed { middling: CONTEXT_MIDDLING_SAME_NAME, weak: CONTEXT_WEAK_SAME_NAME };

/// Step 3: the hit at the predicted place; 3b: the best of those that are free.
fn choose(
    anchor: &Anchor,
    before: Option<&Before<'_>>,
    file: &FileLines,
    mut hits: Vec<usize>,
    needed: Needed,
) -> InFile {
    let Some(before) = before else {
        let near = file.between(anchor.place.line_start, u32::MAX).start;
        return best_free(anchor, file, hits, near, needed);
    };
    if let Some(hit) = before.map.get(before.first)
        && hits.contains(&hit)
    {
        return InFile::Found(hit);
    }
    let occupied = occupied(anchor, before);
    hits.retain(|hit| !occupied.contains(hit));
    best_free(anchor, file, hits, before.map.expected(before.first), needed)
}

/// Step 2: the hit with the same line numbers, of a block that says enough or stands there once.
fn in_place(anchor: &Anchor, file: &FileLines, hits: &[usize]) -> Option<usize> {
    let place = &anchor.place;
    let at = file.between(place.line_start, place.line_end).start;
    (hits.contains(&at) && (anchor.info >= INFO_STRONG || hits.len() == 1)).then_some(at)
}

/// Hits that other occurrences of the same block have moved to.
fn occupied(anchor: &Anchor, before: &Before<'_>) -> Vec<usize> {
    occurrences(before.file.hashes(), &anchor.line_hashes)
        .into_iter()
        .filter(|at| *at != before.first)
        .filter_map(|at| before.map.get(at))
        .collect()
}

/// The hit with the best surroundings, then the nearest, then the first; if it is good enough.
fn best_free(anchor: &Anchor, file: &FileLines, hits: Vec<usize>, near: usize, needed: Needed) -> InFile {
    let length = anchor.line_hashes.len();
    let scored = hits.into_iter().map(|hit| (context(anchor, file, hit, hit + length), hit));
    let best = scored.max_by(|a, b| {
        let nearness = |hit: usize| hit.abs_diff(near);
        a.0.total_cmp(&b.0).then(nearness(b.1).cmp(&nearness(a.1))).then(b.1.cmp(&a.1))
    });
    let needed = match anchor.info {
        INFO_STRONG.. => 0.0,
        INFO_WEAK.. => needed.middling,
        _ => needed.weak,
    };
    match best {
        Some((context, hit)) if context >= needed => InFile::Found(hit),
        _ => InFile::OthersOnly,
    }
}

/// Share of the lines around the anchor that stand around these lines as well, each side for itself; 1 where the anchor has
/// none.
pub(super) fn context(anchor: &Anchor, file: &FileLines, from: usize, to: usize) -> f64 {
    let lines = anchor.context_before.len() + anchor.context_after.len();
    if lines == 0 {
        return 1.0;
    }
    let found = in_both(&anchor.context_before, context_before(file, from))
        + in_both(&anchor.context_after, context_after(file, to));
    found as f64 / lines as f64
}

/// How many lines stand in both, each as often as in both.
fn in_both(one: &[u64], other: &[u64]) -> usize {
    let mut left = other.to_vec();
    one.iter()
        .filter(|line| left.iter().position(|other| other == *line).map(|at| left.swap_remove(at)).is_some())
        .count()
}

/// Where a sequence of lines begins.
pub(in super::super) fn occurrences(lines: &[u64], block: &[u64]) -> Vec<usize> {
    let Some(first) = block.first() else { return Vec::new() };
    let Some(last) = lines.len().checked_sub(block.len()) else { return Vec::new() };
    let starts = lines.get(..=last).unwrap_or_default().iter().enumerate().filter(|(_, line)| *line == first);
    starts
        .map(|(at, _)| at)
        .filter(|at| lines.get(*at..at + block.len()) == Some(block))
        .take(OCCURRENCES_MAX)
        .collect()
}
