//! Reads the commits of a history into stored parts: commits with their changed files, each path
//! stored once. The module reads code and writes nothing.

use std::collections::HashMap;

use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::tasks::code_history::CommitChanges;
use loci_model::tasks::file_change::HistoryChange;

use super::commit_groups::PlannedCommit;

/// The maximum number of commits of one part.
const COMMITS: usize = 500;
/// The approximate size of its paths, in bytes.
const PATH_BYTES: usize = 256 << 10;
/// The maximum number of listed files of one commit. A larger commit lists only moved files.
const FILES_MAX: usize = 1_000;
/// The maximum number of moved and deleted files of one commit that are followed.
const MOVES_MAX: usize = 20_000;
/// The minimum similarity of a renamed file, in percent.
const SIMILARITY: u8 = 50;

/// Some commits with the files that they changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct CommitsPart {
    pub(super) paths: Vec<String>,
    pub(super) commits: Vec<HistoryChange>,
    /// The number of commits read, including those left out.
    pub(super) taken: u32,
}

/// Returns the next part of a history, from a position on.
pub(super) fn next_part(
    source: &dyn CodeSource,
    commits: &[PlannedCommit],
    from: usize,
) -> CodeResult<CommitsPart> {
    let mut making = PartBuilder::default();
    let mut taken = 0;
    for planned in commits.iter().skip(from).take(COMMITS) {
        // The changes of a commit are unknown if its parent is missing.
        if let Some(changes) = source.changes(&planned.id, SIMILARITY)? {
            making.add(planned, &changes);
        }
        taken += 1;
        if making.bytes >= PATH_BYTES {
            break;
        }
    }
    Ok(CommitsPart { paths: making.paths, commits: making.commits, taken })
}

#[derive(Default)]
struct PartBuilder {
    paths: Vec<String>,
    places: HashMap<String, u32>,
    bytes: usize,
    commits: Vec<HistoryChange>,
}

impl PartBuilder {
    fn add(&mut self, planned: &PlannedCommit, changes: &CommitChanges) {
        let count = changes.changed.len() + changes.come.len() + changes.renames.len() + changes.gone.len();
        let is_sweeping = count > FILES_MAX;
        let renamed = changes.renames.iter().take(MOVES_MAX);
        let renamed = renamed.map(|rename| (self.place(&rename.from), self.place(&rename.to))).collect();
        let gone = changes.gone.iter().take(MOVES_MAX).map(|path| self.place(path)).collect();
        let listed = changes.changed.iter().chain(&changes.come).filter(|_| !is_sweeping);
        let files = listed.map(|path| self.place(path)).collect();
        self.commits.push(HistoryChange {
            id: planned.id,
            at_s: planned.at_s,
            pull_request: planned.pull_request,
            merge: planned.merge,
            files,
            renamed,
            gone,
            is_sweeping,
        });
    }

    fn place(&mut self, path: &str) -> u32 {
        if let Some(place) = self.places.get(path) {
            return *place;
        }
        let place = u32::try_from(self.paths.len()).unwrap_or(u32::MAX);
        self.bytes += path.len();
        self.paths.push(path.to_owned());
        self.places.insert(path.to_owned(), place);
        place
    }
}
