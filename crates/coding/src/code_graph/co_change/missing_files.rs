//! Files that usually change with some others and are not among them. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{FileId, Graph};
use super::measures::{Measure, Thresholds};

/// A file that is not among those, and the one that it is missed for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Missing {
    pub(super) because: FileId,
    pub(super) together: Measure,
}

/// What usually changes with some files, the surest first; each for the file that makes it surest.
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
