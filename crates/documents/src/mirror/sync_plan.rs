//! The plan of a sync: one action per path, from the files of the tree, the files of the mirror,
//! and the files after the last sync. Content that only one side has is never overwritten, and
//! nothing is merged by guessing. Pure: the same input gives the same plan.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ports::files::FileDigest;
use loci_model::{Timestamp, limits};

pub use loci_model::trees::mirror::{MirrorDeletes as Deletes, MirrorDirection as Direction};

use super::guards::{self, Finding, MarkerState, MissingSince};
use super::path_conflicts::is_replaced;

/// The mark in the name of a conflict copy, before the digits.
const CONFLICT: &str = ".conflict-";
/// The number of hex digits of the digest in the name of a conflict copy.
const CONFLICT_DIGITS: usize = 7;

/// The digests of the files on one side of a sync, by path.
pub type Side = BTreeMap<String, FileDigest>;

/// The input for the plan of a sync.
#[derive(Debug, Clone, Copy)]
pub struct SyncInput<'a> {
    /// The files as they should be according to the tree.
    pub tree: &'a Side,
    /// The files that the mirror contains now.
    pub mirror: &'a Side,
    /// The files on which both sides agreed after the last sync.
    pub agreed: &'a Side,
    /// The result of comparing the marker of the folder with the mirror.
    pub marked: MarkerState,
    /// The files that were already missing in earlier syncs, with the times.
    pub missing: &'a MissingSince,
}

/// The settings for the plan of a sync.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// The direction in which changes are copied.
    pub direction: Direction,
    /// The effect of deleting a file on its document.
    pub deletes: Deletes,
    /// The current time.
    pub now: Timestamp,
    /// True if the process ends after this sync, so that no deletion waits for another check.
    pub is_last: bool,
    /// True if a file and a directory cannot have the same path. In a bucket they can.
    pub has_directories: bool,
    /// True if the files are those of a git clone. If all files are missing there, no document is
    /// archived, but new files are imported.
    pub is_clone: bool,
}

/// An action of a sync.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncAction {
    /// Writes a file from the tree. `over` is the file that Loci wrote there before.
    Write {
        /// The path of the file.
        path: String,
        /// The file that must still be there. `None` if there must be none.
        over: Option<FileDigest>,
    },
    /// Removes a file, because its document is archived.
    Remove {
        /// The path of the file.
        path: String,
        /// The file that must still be there.
        over: FileDigest,
    },
    /// Replaces the content of a document with that of its file. `base` is the content that the
    /// document must still have.
    Take {
        /// The path of the file.
        path: String,
        /// The file to import.
        file: FileDigest,
        /// The file after the last sync.
        base: FileDigest,
    },
    /// Creates a document from a new file, or restores the archived document of an edited file,
    /// which is the only copy of the edit.
    TakeNew {
        /// The path of the file.
        path: String,
        /// The file to import.
        file: FileDigest,
    },
    /// Keeps both texts in a conflict: the document stays, and the file is stored as a conflict
    /// copy until a person decides.
    KeepBoth {
        /// The path of the file.
        path: String,
        /// The path of the conflict copy.
        beside: String,
        /// The file to store as a copy.
        file: FileDigest,
    },
    /// Moves a document, because its file was moved.
    Move {
        /// The old path of the file.
        from: String,
        /// The new path of the file.
        to: String,
        /// The moved file.
        file: FileDigest,
    },
    /// Archives a document, because its file was deleted.
    PutAway {
        /// The path of the deleted file.
        path: String,
        /// The file after the last sync.
        base: FileDigest,
    },
    /// Records that both sides have the same file.
    Agree {
        /// The path of the file.
        path: String,
        /// The file on both sides.
        file: FileDigest,
    },
    /// Removes the record of a file that neither side has any more.
    Forget {
        /// The path of the file.
        path: String,
    },
}

/// A remark of the report about a path that needs no action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncNote {
    /// The path of the file.
    pub path: String,
    /// The remark, as a word: `changed_in_export`, `not_exported`, `deletion_logged`,
    /// `waits_for_deletion`.
    pub what: &'static str,
}

/// The plan of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncPlan {
    /// The state in which the sync found the folder.
    pub finding: Finding,
    /// The actions of the sync, writes before removals.
    pub actions: Vec<SyncAction>,
    /// The remarks.
    pub notes: Vec<SyncNote>,
    /// The files that are missing now, and since when.
    pub missing: MissingSince,
    /// The number of documents that are not archived yet, because their missing files wait for a
    /// second check or for the limit of the next sync.
    pub waiting_deletes: usize,
}

impl SyncPlan {
    /// Removes all deletions from the plan, for a later sync.
    pub fn delete_later(&mut self) {
        let put_away = |action: &SyncAction| match action {
            SyncAction::PutAway { path, .. } => Some(path.clone()),
            _ => None,
        };
        let waiting: BTreeSet<String> = self.actions.iter().filter_map(put_away).collect();
        self.actions.retain(|action| put_away(action).is_none());
        self.waiting_deletes += waiting.len();
        self.hold(&waiting);
    }

    /// Holds back new files at the place of a missing one: the tree would reject them while its
    /// document exists.
    fn hold(&mut self, waiting: &BTreeSet<String>) {
        let places: BTreeMap<String, ()> = waiting.iter().map(|path| (path.clone(), ())).collect();
        let notes = &mut self.notes;
        self.actions.retain(|action| match action {
            SyncAction::TakeNew { path, .. } if is_replaced(&places, path) => {
                notes.push(SyncNote { path: path.clone(), what: "waits_for_deletion" });
                false
            }
            _ => true,
        });
    }
}

/// Returns the plan of a sync.
pub fn plan(sides: &SyncInput<'_>, keeping: &Keeping) -> SyncPlan {
    let moved = if keeping.direction == Direction::Export { Vec::new() } else { moves(sides) };
    let moved_from: BTreeSet<&str> = moved.iter().map(|(from, _)| from.as_str()).collect();
    let is_gone = |path: &&String| !sides.mirror.contains_key(*path) && !moved_from.contains(path.as_str());
    let gone = sides.agreed.keys().filter(is_gone).count();
    let finding = guards::finding(sides.marked, sides.mirror.len(), sides.agreed.len(), gone);
    let mut plan = SyncPlan {
        finding,
        actions: Vec::new(),
        notes: Vec::new(),
        missing: MissingSince::new(),
        waiting_deletes: 0,
    };
    match finding {
        Finding::NotOurs => plan,
        Finding::Gone if keeping.is_clone => {
            let mut planning = SyncPlanner { sides, keeping, plan };
            planning.new_alone();
            planning.plan.actions.sort_by_key(rank);
            planning.plan
        }
        Finding::Gone => {
            if keeping.direction != Direction::Import {
                // Files that exist nevertheless are checked the next time.
                let lacking = sides.tree.keys().filter(|path| !sides.mirror.contains_key(*path));
                plan.actions =
                    lacking.map(|path| SyncAction::Write { path: path.clone(), over: None }).collect();
            }
            plan
        }
        Finding::Whole => {
            let mut planning = SyncPlanner { sides, keeping, plan };
            planning.moves(&moved);
            planning.paths(&moved);
            planning.plan.actions.sort_by_key(rank);
            planning.plan
        }
    }
}

/// Returns the order of an action: writes come before removals, so that no check in between finds
/// less than there is.
fn rank(action: &SyncAction) -> (u8, SyncAction) {
    let first = match action {
        SyncAction::Move { .. } => 0,
        SyncAction::Take { .. } | SyncAction::TakeNew { .. } | SyncAction::KeepBoth { .. } => 1,
        SyncAction::Write { .. } => 2,
        SyncAction::Agree { .. } | SyncAction::Forget { .. } => 3,
        SyncAction::PutAway { .. } => 4,
        SyncAction::Remove { .. } => 5,
    };
    (first, action.clone())
}

/// Returns the files that were moved unchanged. Each new file corresponds to at most one missing
/// file, in the order of their paths.
fn moves(sides: &SyncInput<'_>) -> Vec<(String, String)> {
    let mut new: BTreeMap<FileDigest, Vec<&String>> = BTreeMap::new();
    for (path, digest) in sides.mirror.iter().rev() {
        if !sides.agreed.contains_key(path) && !sides.tree.contains_key(path) {
            new.entry(*digest).or_default().push(path);
        }
    }
    let mut found = Vec::new();
    for (path, digest) in sides.agreed {
        // A document that changed meanwhile keeps its path: its file is restored there.
        if sides.mirror.contains_key(path) || sides.tree.get(path) != Some(digest) {
            continue;
        }
        if let Some(to) = new.get_mut(digest).and_then(Vec::pop) {
            found.push((path.clone(), to.clone()));
        }
    }
    found
}

struct SyncPlanner<'a> {
    sides: &'a SyncInput<'a>,
    keeping: &'a Keeping,
    plan: SyncPlan,
}

impl SyncPlanner<'_> {
    fn moves(&mut self, moved: &[(String, String)]) {
        for (from, to) in moved {
            if let Some(file) = self.sides.mirror.get(to) {
                self.plan.actions.push(SyncAction::Move { from: from.clone(), to: to.clone(), file: *file });
            }
        }
    }

    fn paths(&mut self, moved: &[(String, String)]) {
        let sides = self.sides;
        let settled: BTreeSet<&String> = moved.iter().flat_map(|(from, to)| [from, to]).collect();
        let all: BTreeSet<&String> =
            sides.tree.keys().chain(sides.mirror.keys()).chain(sides.agreed.keys()).collect();
        let mut missing = Vec::new();
        for path in all.into_iter().filter(|path| !settled.contains(path)) {
            let (tree, mirror) = (sides.tree.get(path).copied(), sides.mirror.get(path).copied());
            let agreed = sides.agreed.get(path).copied();
            match (tree, mirror, agreed) {
                (Some(_), None, Some(_)) if tree == agreed => missing.push(path),
                _ => self.one(path, tree, mirror, agreed),
            }
        }
        self.missing(&missing);
    }

    /// Plans the existing files if all agreed ones are gone: only files at the place of a lost one
    /// wait.
    fn new_alone(&mut self) {
        let sides = self.sides;
        for (path, file) in sides.mirror {
            let (tree, agreed) = (sides.tree.get(path).copied(), sides.agreed.get(path).copied());
            self.one(path, tree, Some(*file), agreed);
        }
        let waiting: BTreeSet<String> = sides.agreed.keys().cloned().collect();
        self.plan.hold(&waiting);
    }

    /// Plans one path, except for a missing file with an unchanged document.
    fn one(
        &mut self,
        path: &str,
        tree: Option<FileDigest>,
        mirror: Option<FileDigest>,
        agreed: Option<FileDigest>,
    ) {
        let path = path.to_owned();
        let action = match (tree, mirror, agreed) {
            (Some(of_tree), Some(file), _) if of_tree == file => {
                if agreed == Some(file) {
                    return;
                }
                SyncAction::Agree { path, file }
            }
            (Some(_), Some(file), Some(base)) if tree == agreed => SyncAction::Take { path, file, base },
            (Some(_), Some(file), Some(_)) if mirror == agreed => {
                SyncAction::Write { path, over: Some(file) }
            }
            (Some(_), Some(file), _) => {
                let beside = conflict_path(&path, &file);
                SyncAction::KeepBoth { path, beside, file }
            }
            (Some(_), None, _) => SyncAction::Write { path, over: None },
            (None, Some(file), Some(base)) if file == base => SyncAction::Remove { path, over: file },
            (None, Some(file), _) => SyncAction::TakeNew { path, file },
            (None, None, _) => SyncAction::Forget { path },
        };
        self.take(action);
    }

    /// Adds an action, if the mirror's direction permits it.
    fn take(&mut self, action: SyncAction) {
        let (from_files, path) = match &action {
            SyncAction::Take { path, .. }
            | SyncAction::TakeNew { path, .. }
            | SyncAction::KeepBoth { path, .. } => (true, path.clone()),
            SyncAction::Write { path, .. } | SyncAction::Remove { path, .. } => (false, path.clone()),
            SyncAction::Move { .. }
            | SyncAction::PutAway { .. }
            | SyncAction::Agree { .. }
            | SyncAction::Forget { .. } => return self.plan.actions.push(action),
        };
        match self.keeping.direction {
            Direction::Export if from_files => {
                self.plan.notes.push(SyncNote { path, what: "changed_in_export" });
            }
            Direction::Import if !from_files => self.plan.notes.push(SyncNote { path, what: "not_exported" }),
            Direction::TwoWay | Direction::Export | Direction::Import => self.plan.actions.push(action),
        }
    }

    /// Plans the missing files with unchanged documents.
    fn missing(&mut self, missing: &[&String]) {
        let Keeping { direction, deletes, now, is_last, has_directories, is_clone: _ } = *self.keeping;
        if direction == Direction::Export || deletes == Deletes::Disabled {
            for path in missing {
                self.take(SyncAction::Write { path: (*path).clone(), over: None });
            }
            return;
        }
        let all: BTreeSet<&str> = missing.iter().map(|path| path.as_str()).collect();
        let agreed = self.sides.agreed.len();
        // A file whose place a directory has now, or the reverse, will not be found again. Many at
        // once are no such change: an unmounted directory leaves a file of its name.
        let mut at_once: BTreeSet<&str> = BTreeSet::new();
        if has_directories {
            at_once.extend(all.iter().copied().filter(|path| is_replaced(self.sides.mirror, path)));
            if at_once.len() > guards::DELETES_MIN {
                at_once.clear();
            }
        }
        let others: Vec<&str> = all.difference(&at_once).copied().collect();
        for path in &others {
            let since = self.sides.missing.get(*path).copied().unwrap_or(now);
            self.plan.missing.insert((*path).to_owned(), since);
        }
        let (mut gone, _) = guards::gone(&others, self.sides.missing, agreed, now, is_last);
        gone.truncate(guards::deletes_max(agreed).saturating_sub(at_once.len()));
        let going: BTreeSet<&str> = at_once.iter().chain(&gone).copied().collect();
        let waiting: BTreeSet<String> = all.difference(&going).map(|path| (*path).to_owned()).collect();
        self.plan.waiting_deletes = waiting.len();
        self.plan.hold(&waiting);
        for path in going {
            let Some(base) = self.sides.agreed.get(path).copied() else { continue };
            let path = path.to_owned();
            if deletes == Deletes::LogOnly {
                self.plan.notes.push(SyncNote { path, what: "deletion_logged" });
            } else {
                self.plan.actions.push(SyncAction::PutAway { path, base });
            }
        }
    }
}

/// Returns the path of the file whose conflict copy this is; `None` for a path that
/// [`conflict_path`] does not create.
pub fn conflict_source(path: &str) -> Option<String> {
    let (before, behind) = path.rsplit_once(CONFLICT)?;
    let (seven, extension) = behind.split_at_checked(CONFLICT_DIGITS)?;
    let is_digest = seven.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_end = extension.is_empty() || extension.starts_with('.') && !extension.contains('/');
    (is_digest && is_end).then(|| format!("{before}{extension}"))
}

/// Returns the path of the conflict copy of a file: `notes.conflict-0123456.md`; a long name is
/// truncated.
pub fn conflict_path(path: &str, file: &FileDigest) -> String {
    let digits: String = file.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let seven: String = digits.chars().take(CONFLICT_DIGITS).collect();
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let between = if folder.is_empty() { "" } else { "/" };
    let ending = format!("{CONFLICT}{seven}{extension}");
    let room = limits::FILE_PATH_BYTES_MAX.saturating_sub(folder.len() + between.len());
    let room = room.min(limits::FILE_SEGMENT_BYTES_MAX).saturating_sub(ending.len());
    let ends = stem.char_indices().map(|(at, c)| at + c.len_utf8());
    let stem = stem.get(..ends.take_while(|end| *end <= room).last().unwrap_or_default()).unwrap_or(stem);
    format!("{folder}{between}{stem}{ending}")
}

#[cfg(test)]
#[path = "sync_plan_tests.rs"]
mod tests;
