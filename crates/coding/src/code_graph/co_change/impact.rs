//! What a change of some files may touch: files that change with them, and with those, step by
//! step; and files that were changed in tasks which touched them and did not work. Pure.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::RecordId;

use super::graph::{FileId, Graph};
use super::measures::{Measure, Thresholds};

/// Files that are followed from one step to the next: the surest.
const FOLLOWED_MAX: usize = 200;

/// A task that did not work, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) episode: RecordId,
    pub(super) files: BTreeSet<FileId>,
}

/// A file that may be touched, and why.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Touched {
    pub(super) file: FileId,
    /// Steps to it; 1 where a task alone leads there.
    pub(super) distance: u32,
    /// How it changes with the file before it on the way; the confidence is that of the whole way.
    pub(super) together: Option<Measure>,
    /// Episodes of tasks that changed it together with what is asked about, and did not work.
    pub(super) episodes: Vec<RecordId>,
}

impl Touched {
    /// The strongest reason, 0 to 1.
    fn evidence(&self) -> f64 {
        let together = self.together.map_or(0.0, |together| together.confidence);
        let failed = f64::from(u32::try_from(self.episodes.len()).unwrap_or(u32::MAX));
        together.max(failed / (failed + 1.0))
    }
}

/// What a change of some files may touch, the strongest reason first.
pub(super) fn touched(
    graph: &Graph,
    from: &BTreeSet<FileId>,
    depth: u32,
    thresholds: &Thresholds,
    failed: &[Failed],
) -> Vec<Touched> {
    let mut found = followed(graph, from, depth, thresholds);
    for task in failed {
        for file in task.files.iter().filter(|file| !from.contains(file) && graph.path(**file).is_some()) {
            let row = found.entry(*file).or_insert_with(|| Touched {
                file: *file,
                distance: 1,
                together: None,
                episodes: Vec::new(),
            });
            row.episodes.push(task.episode.clone());
        }
    }
    let mut rows: Vec<Touched> = found.into_values().collect();
    rows.iter_mut().for_each(|row| {
        row.episodes.sort();
        row.episodes.dedup();
    });
    rows.sort_by(|a, b| {
        b.evidence()
            .total_cmp(&a.evidence())
            .then_with(|| a.distance.cmp(&b.distance))
            .then_with(|| support(b).cmp(&support(a)))
            .then_with(|| graph.path(a.file).cmp(&graph.path(b.file)))
    });
    rows
}

fn support(row: &Touched) -> u32 {
    row.together.map_or(0, |together| together.support)
}

/// Files that change together, step by step; each by its shortest way, and of those by the surest.
fn followed(
    graph: &Graph,
    from: &BTreeSet<FileId>,
    depth: u32,
    thresholds: &Thresholds,
) -> BTreeMap<FileId, Touched> {
    let mut found: BTreeMap<FileId, Touched> = BTreeMap::new();
    let mut at: Vec<(FileId, f64)> = from.iter().map(|file| (*file, 1.0)).collect();
    for distance in 1..=depth {
        let mut step: BTreeMap<FileId, Measure> = BTreeMap::new();
        for (file, so_far) in &at {
            for mut one in graph.often_with(*file, thresholds) {
                if from.contains(&one.file) || found.contains_key(&one.file) {
                    continue;
                }
                one.confidence *= so_far;
                let best = step.entry(one.file).or_insert(one);
                if graph.surest(&one, best).is_lt() {
                    *best = one;
                }
            }
        }
        let mut next: Vec<Measure> = step.into_values().collect();
        next.sort_by(|a, b| graph.surest(a, b));
        next.truncate(FOLLOWED_MAX);
        at = next.iter().map(|one| (one.file, one.confidence)).collect();
        found.extend(next.into_iter().map(|one| {
            let row = Touched { file: one.file, distance, together: Some(one), episodes: Vec::new() };
            (one.file, row)
        }));
    }
    found
}
