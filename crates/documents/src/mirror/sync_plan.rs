//! The plan of a mirror's sync: an action per path, from the tree, the mirror, and their last
//! agreement. Content that only one side has is never overwritten, and nothing is merged by guess.
//! Pure: equal sides and an equal clock give an equal plan.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ports::files::FileDigest;
use loci_model::{Timestamp, limits};

pub use loci_model::trees::mirror::{MirrorDeletes as Deletes, MirrorDirection as Direction};

use super::guards::{self, Finding, MarkerState, MissingSince};
use super::path_conflicts::is_replaced;

/// The part of a conflict copy's name before the digits.
const CONFLICT: &str = ".conflict-";
/// The number of digits of its digest.
const CONFLICT_DIGITS: usize = 7;

/// Digests of files, by path.
pub type Side = BTreeMap<String, FileDigest>;

/// The input of a plan.
#[derive(Debug, Clone, Copy)]
pub struct SyncInput<'a> {
    /// The files as the tree renders them.
    pub tree: &'a Side,
    /// The files in the mirror.
    pub mirror: &'a Side,
    /// The files of the last agreement.
    pub agreed: &'a Side,
    /// The result of reading the marker.
    pub marked: MarkerState,
    /// The files that were missing in earlier checks.
    pub missing: &'a MissingSince,
}

/// The settings of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// The direction.
    pub direction: Direction,
    /// The effect of deletions.
    pub deletes: Deletes,
    /// The current time.
    pub now: Timestamp,
    /// True if the process ends after this sync.
    pub is_last: bool,
    /// True if a file and a directory cannot share a path, as they can in a bucket.
    pub has_directories: bool,
    /// True if the files are a clone's. If all are gone, no document is archived, and new files are
    /// taken nevertheless.
    pub is_clone: bool,
}

/// An action of a sync.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncAction {
    /// The file is written from the tree; `over`: the present file, which Loci wrote.
    Write {
        /// The path.
        path: String,
        /// The file that must be present.
        over: Option<FileDigest>,
    },
    /// The file is removed, because its document is archived.
    Remove {
        /// The path.
        path: String,
        /// The file that must be present.
        over: FileDigest,
    },
    /// The document takes the content of the file; `base`: the content that the document must still
    /// have.
    Take {
        /// The path.
        path: String,
        /// The file.
        file: FileDigest,
        /// The file of the last agreement.
        base: FileDigest,
    },
    /// A document is created from a new file, or restored because its file contains the only copy
    /// of an edit.
    TakeNew {
        /// The path.
        path: String,
        /// The file.
        file: FileDigest,
    },
    /// A conflict: the document keeps its text, and a copy of the file is kept next to it until a
    /// person decides.
    KeepBoth {
        /// The path.
        path: String,
        /// The path of the copy.
        beside: String,
        /// The file.
        file: FileDigest,
    },
    /// The document is moved, because its file was.
    Move {
        /// The old path.
        from: String,
        /// The new path.
        to: String,
        /// The file.
        file: FileDigest,
    },
    /// The document is archived, because its file is gone.
    PutAway {
        /// The path.
        path: String,
        /// The file of the last agreement.
        base: FileDigest,
    },
    /// Both sides are equal: the agreement is recorded.
    Agree {
        /// The path.
        path: String,
        /// The file.
        file: FileDigest,
    },
    /// Neither side has the file any more: the agreement is removed.
    Forget {
        /// The path.
        path: String,
    },
}

/// A remark without an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncNote {
    /// The path.
    pub path: String,
    /// The remark: `changed_in_export`, `not_exported`, `deletion_logged`, `waits_for_deletion`.
    pub what: &'static str,
}

/// The plan of a sync.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncPlan {
    /// The state in which the mirror was found.
    pub finding: Finding,
    /// The actions: writes before removals.
    pub actions: Vec<SyncAction>,
    /// The remarks.
    pub notes: Vec<SyncNote>,
    /// The missing files, and the times since which they are missing.
    pub missing: MissingSince,
    /// The number of deletions that wait for another check, or for their turn.
    pub waiting_deletes: usize,
}

impl SyncPlan {
    /// Defers all deletions to a later sync.
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
