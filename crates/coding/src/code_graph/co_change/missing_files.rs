//! Files that usually change with the given ones and are not among them. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{FileId, Graph};
use super::measures::{Measure, Thresholds};

/// A missing file, and the given file that usually changes with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Missing {
    pub(super) because: FileId,
    pub(super) together: Measure,
}

/// Returns the files that usually change with the given ones, the highest confidence first. Each is
/// listed for the given file that yields its highest confidence.
pub(super) fn missing(
    graph: &Graph,
    files: &BTreeSet<FileId>,
    beside: &BTreeSet<FileId>,
    thresholds: &Thresholds,
) -> Vec<Missing> {
    let mut found: BTreeMap<FileId, Missing> = BTreeMap::new();
    for because in files {
        for together in graph.often_with(*because, thresholds) {
            if files.contains(&together.file) || beside.contains(&together.file) {
                continue;
            }
            let one = Missing { because: *because, together };
            let best = found.entry(together.file).or_insert(one);
            if graph.surest(&together, &best.together).is_lt() {
                *best = one;
            }
        }
    }
    let mut rows: Vec<Missing> = found.into_values().collect();
    rows.sort_by(|a, b| graph.surest(&a.together, &b.together));
    rows
}
