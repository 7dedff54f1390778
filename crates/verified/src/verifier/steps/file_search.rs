//! The search in one candidate file: it finds the block and decides if it is the cited one.

use std::rc::Rc;

use loci_model::facts::citation::Anchor;

use super::super::thresholds::{
    CONTEXT_MIDDLING, CONTEXT_MIDDLING_SAME_NAME, CONTEXT_WEAK, CONTEXT_WEAK_SAME_NAME, INFO_STRONG,
    INFO_WEAK, OCCURRENCES_MAX, SAME_FILE_SHARE,
};
use crate::verifier::anchors::anchor::{context_after, context_before};
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::line_diff::LineMap;

/// The anchor's file in its earlier version, if it can still be read.
#[derive(Clone)]
pub(super) struct EarlierAnchorFile<'a> {
    pub(super) file: &'a FileLines,
    /// The first cited line.
    pub(super) first: usize,
    /// The map from its lines to the candidate's.
    pub(super) map: Rc<LineMap>,
}

/// The result of the search in a candidate file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InFile {
    /// The cited block, from this line on.
    Found(usize),
    /// Equal lines, but not the cited ones.
    OthersOnly,
    /// No equal lines.
    Nothing,
}

/// Searches for the block in one file. `before` is called only if its result decides. `same_path`
/// means that the file has the cited path, so that line numbers are comparable.
pub(super) fn in_file<'a>(
    anchor: &Anchor,
    before: &dyn Fn() -> Option<EarlierAnchorFile<'a>>,
    file: &FileLines,
    same_path: bool,
) -> InFile {
    let hits = occurrences(file.hashes(), &anchor.line_hashes);
    if hits.is_empty() {
        return InFile::Nothing;
    }
    if same_path && let Some(hit) = in_place(anchor, file, &hits) {
        let surrounded = context(anchor, file, hit, hit + anchor.line_hashes.len()) >= 1.0;
        // Without its surroundings the block may be a copy that was added there. The diff decides,
        // if there is one.
        if surrounded || before().is_none() {
            return InFile::Found(hit);
        }
    }
    choose(anchor, before().as_ref(), file, hits, FILE)
}

/// Searches for the block in a file other than the cited one. `taken` are places of blocks that the
/// file already had before.
pub(super) fn in_other_file(
    anchor: &Anchor,
    before: Option<&EarlierAnchorFile<'_>>,
    file: &FileLines,
    taken: &[usize],
) -> InFile {
    let mut hits = occurrences(file.hashes(), &anchor.line_hashes);
    if hits.is_empty() {
        return InFile::Nothing;
    }
    hits.retain(|hit| !taken.contains(hit));
    // A line mapping between two unrelated files proves little.
    let before = before.filter(|before| before.map.kept_share() >= SAME_FILE_SHARE);
    choose(anchor, before, file, hits, OTHER_FILE)
}

/// The context that blocks of medium and of low information need outside of their predicted place.
#[derive(Clone, Copy)]
struct RequiredContext {
    middling: f64,
    weak: f64,
}

const FILE: RequiredContext = RequiredContext { middling: CONTEXT_MIDDLING, weak: CONTEXT_WEAK };
const OTHER_FILE: RequiredContext =
    RequiredContext { middling: CONTEXT_MIDDLING_SAME_NAME, weak: CONTEXT_WEAK_SAME_NAME };

/// Step 3: the hit at the predicted place; step 3b: the best of the free ones.
fn choose(
    anchor: &Anchor,
    before: Option<&EarlierAnchorFile<'_>>,
    file: &FileLines,
    mut hits: Vec<usize>,
    needed: RequiredContext,
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

/// Step 2: the hit with equal line numbers, for a block with enough information or one that occurs
/// once.
fn in_place(anchor: &Anchor, file: &FileLines, hits: &[usize]) -> Option<usize> {
    let place = &anchor.place;
    let at = file.between(place.line_start, place.line_end).start;
    (hits.contains(&at) && (anchor.info >= INFO_STRONG || hits.len() == 1)).then_some(at)
}

/// Returns the hits to which other occurrences of the block have moved.
fn occupied(anchor: &Anchor, before: &EarlierAnchorFile<'_>) -> Vec<usize> {
    occurrences(before.file.hashes(), &anchor.line_hashes)
        .into_iter()
        .filter(|at| *at != before.first)
        .filter_map(|at| before.map.get(at))
        .collect()
}

/// Returns the hit with the best surroundings, then the nearest, then the first, if it is good
/// enough.
fn best_free(
    anchor: &Anchor,
    file: &FileLines,
    hits: Vec<usize>,
    near: usize,
    needed: RequiredContext,
) -> InFile {
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

/// Returns the share of the lines around the anchor that are also around these lines, each side
/// separately; 1 if the anchor has none.
pub(super) fn context(anchor: &Anchor, file: &FileLines, from: usize, to: usize) -> f64 {
    let lines = anchor.context_before.len() + anchor.context_after.len();
    if lines == 0 {
        return 1.0;
    }
    let found = in_both(&anchor.context_before, context_before(file, from))
        + in_both(&anchor.context_after, context_after(file, to));
    found as f64 / lines as f64
}

/// Returns the number of common lines, each as often as in both.
fn in_both(one: &[u64], other: &[u64]) -> usize {
    let mut left = other.to_vec();
    one.iter()
        .filter(|line| left.iter().position(|other| other == *line).map(|at| left.swap_remove(at)).is_some())
        .count()
}

/// Returns the positions where a sequence of lines begins.
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
