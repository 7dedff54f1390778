//! Computes the impact of a change of some files: files that change with them, and with those, step
//! by step; and files that failed tasks changed together with them. Pure.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::RecordId;

use super::graph::{FileId, Graph};
use super::measures::{Measure, Thresholds};

/// The maximum number of files that are followed from one step to the next: those with the highest
/// confidence.
const FOLLOWED_MAX: usize = 200;

/// A failed task, and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) episode: RecordId,
    pub(super) files: BTreeSet<FileId>,
}

/// A file that a change may affect, and the reasons.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AffectedFile {
    pub(super) file: FileId,
    /// The number of steps to the file; 1 if only a task leads to it.
    pub(super) distance: u32,
    /// The measure of the pair with the preceding file on the path. Its confidence is that of the
    /// whole path.
    pub(super) together: Option<Measure>,
    /// Episodes of failed tasks that changed the file together with the queried files.
    pub(super) episodes: Vec<RecordId>,
}

impl AffectedFile {
    /// Returns the strongest reason, 0 to 1.
    fn evidence(&self) -> f64 {
        let together = self.together.map_or(0.0, |together| together.confidence);
        let failed = f64::from(u32::try_from(self.episodes.len()).unwrap_or(u32::MAX));
        together.max(failed / (failed + 1.0))
    }
}

/// Returns the files that a change of some files may affect, the strongest reason first.
pub(super) fn touched(
    graph: &Graph,
    from: &BTreeSet<FileId>,
    depth: u32,
    thresholds: &Thresholds,
    failed: &[Failed],
) -> Vec<AffectedFile> {
    let mut found = followed(graph, from, depth, thresholds);
    for task in failed {
        for file in task.files.iter().filter(|file| !from.contains(file) && graph.path(**file).is_some()) {
            let row = found.entry(*file).or_insert_with(|| AffectedFile {
                file: *file,
                distance: 1,
                together: None,
                episodes: Vec::new(),
            });
            row.episodes.push(task.episode.clone());
        }
    }
    let mut rows: Vec<AffectedFile> = found.into_values().collect();
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

fn support(row: &AffectedFile) -> u32 {
    row.together.map_or(0, |together| together.support)
}

/// Returns the files that change together with the given ones, step by step. Each is reached by its
/// shortest path, and among these by the path with the highest confidence.
fn followed(
    graph: &Graph,
    from: &BTreeSet<FileId>,
    depth: u32,
    thresholds: &Thresholds,
) -> BTreeMap<FileId, AffectedFile> {
    let mut found: BTreeMap<FileId, AffectedFile> = BTreeMap::new();
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
            let row = AffectedFile { file: one.file, distance, together: Some(one), episodes: Vec::new() };
            (one.file, row)
        }));
    }
    found
}
