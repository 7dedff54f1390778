//! Commits of a history as they are kept: some of them with what they changed, paths written once. It reads code and writes nothing.

use std::collections::HashMap;

use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::tasks::code_history::CommitChanges;
use loci_model::tasks::file_change::HistoryChange;

use super::commit_groups::Planned;

/// Commits of one part.
const COMMITS: usize = 500;
/// Bytes of its paths, about.
const PATH_BYTES: usize = 256 << 10;
/// Files of one commit that are listed; of more only those that moved.
const FILES_MAX: usize = 1_000;
/// Moved and gone files of one commit that are followed.
const MOVES_MAX: usize = 20_000;
/// How alike a renamed file is.
const SIMILARITY: u8 = 50;

/// Some commits with what they changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) paths: Vec<String>,
    pub(super) commits: Vec<HistoryChange>,
    /// Commits that were looked at, those left out among them.
    pub(super) taken: u32,
}

/// The next part of a history, from a place of it on.
pub(super) fn next_part(source: &dyn CodeSource, commits: &[Planned], from: usize) -> CodeResult<Part> {
    let mut making = Making::default();
    let mut taken = 0;
    for planned in commits.iter().skip(from).take(COMMITS) {
        // A commit whose parent is not here changed nobody knows what.
        if let Some(changes) = source.changes(&planned.id, SIMILARITY)? {
            making.add(planned, &changes);
        }
        taken += 1;
        if making.bytes >= PATH_BYTES {
            break;
        }
    }
    Ok(Part { paths: making.paths, commits: making.commits, taken })
}

#[derive(Default)]
struct Making {
    paths: Vec<String>,
    places: HashMap<String, u32>,
    bytes: usize,
    commits: Vec<HistoryChange>,
}

impl Making {
    fn add(&mut self, planned: &Planned, changes: &CommitChanges) {
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
