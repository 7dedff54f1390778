//! The block with other line breaks: its text without white space, which begins and ends with whole
//! lines. A less strict alignment matched by chance too often.

use loci_model::facts::citation::Anchor;

use super::super::thresholds::{PACKED_BYTES_MIN, WRAPPED_LINES_MAX, WRAPPED_NEIGHBOURS_MAX};
use super::file_search::EarlierAnchorFile;
use crate::verifier::lines::file_lines::{FileLines, packed_hash};

/// Lines with other line breaks, ends excluded.
pub(super) struct RewrappedLines {
    pub(super) new: (usize, usize),
    /// The earlier lines, if they are more than the block.
    pub(super) old: Option<(usize, usize)>,
}

/// Returns the lines, end excluded, that contain the block's text. Of several, it returns the
/// nearest to `near`.
pub(super) fn rewrapped(
    anchor: &Anchor,
    file: &FileLines,
    near: &dyn Fn() -> usize,
) -> Option<RewrappedLines> {
    let (hash, bytes) = anchor.packed;
    if bytes < PACKED_BYTES_MIN {
        return None;
    }
    let holds = |from: usize| {
        let (to, text) = file.packed_of(from, bytes)?;
        (packed_hash(std::iter::once(text)).0 == hash).then_some((from, to))
    };
    let found: Vec<(usize, usize)> = (0..file.len()).filter_map(holds).collect();
    let new = match found.as_slice() {
        [] | [_] => found.first().copied(),
        [_, _, ..] => {
            let near = near();
            found.into_iter().min_by_key(|(from, _)| (from.abs_diff(near), *from))
        }
    };
    new.map(|new| RewrappedLines { new, old: None })
}

/// Returns the lines, end excluded, that contain the block with the fewest of its neighbours, if
/// the block alone no longer begins and ends with whole lines: `.hidden()` of three lines that
/// became one. The search covers only the part between the kept lines around the block, as given by
/// a diff.
pub(super) fn rewrapped_with_neighbours(
    anchor: &Anchor,
    before: &EarlierAnchorFile<'_>,
    file: &FileLines,
) -> Option<RewrappedLines> {
    let length = anchor.line_hashes.len();
    let end = before.first + length;
    let from = before.map.kept_before(before.first).map_or(0, |at| at + 1);
    let to = before.map.kept_from(end).unwrap_or(file.len());
    if to <= from || to - from > WRAPPED_LINES_MAX + length {
        return None;
    }
    let lines_before =
        |many: usize| before.first.checked_sub(many).filter(|at| before.map.kept_in(*at, before.first) == 0);
    let lines_after = |many: usize| {
        let at = end + many;
        (at <= before.file.len() && before.map.kept_in(end, at) == 0).then_some(at)
    };
    for many in 1..=2 * WRAPPED_NEIGHBOURS_MAX {
        for above in many.saturating_sub(WRAPPED_NEIGHBOURS_MAX)..=many.min(WRAPPED_NEIGHBOURS_MAX) {
            let (Some(old_from), Some(old_to)) = (lines_before(above), lines_after(many - above)) else {
                continue;
            };
            let (hash, bytes) = packed_hash(before.file.lines(old_from, old_to));
            if bytes < PACKED_BYTES_MIN {
                continue;
            }
            let found = (from..to).find_map(|at| {
                let (end, text) = file.packed_of(at, bytes)?;
                let is_same = end <= to && packed_hash(std::iter::once(text)).0 == hash;
                is_same.then_some(RewrappedLines { new: (at, end), old: Some((old_from, old_to)) })
            });
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
