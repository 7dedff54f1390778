//! What a sync of a mirror does: per path, from what the tree holds, what the mirror holds, and
//! what both held when they last agreed. Nothing is overwritten that only one side has, and nothing
//! is merged by guess. Pure: the same three sides and the same clock give the same plan.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ports::files::FileDigest;
use loci_model::{Timestamp, limits};

pub use loci_model::trees::mirror::{MirrorDeletes as Deletes, MirrorDirection as Direction};

use super::guards::{self, Finding, Marked, MissingSince};
use super::in_the_way::is_replaced;

/// The part of a name that comes before the digits of a text that is kept beside another.
const CONFLICT: &str = ".conflict-";
/// The digits of its digest.
const CONFLICT_DIGITS: usize = 7;

/// Digests of files, by path.
pub type Side = BTreeMap<String, FileDigest>;

/// What a sync looks at.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Files as the tree renders them.
    pub tree: &'a Side,
    /// Files as they lie in the mirror.
    pub mirror: &'a Side,
    /// Files that both held when they last agreed.
    pub agreed: &'a Side,
    /// What the marker says.
    pub marked: Marked,
    /// Files that were missing in looks before.
    pub missing: &'a MissingSince,
}

/// How a mirror is kept.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    /// Which way.
    pub direction: Direction,
    /// What deletions do.
    pub deletes: Deletes,
    /// When it is looked at.
    pub now: Timestamp,
    /// The process ends behind it.
    pub is_last: bool,
    /// A file and a directory cannot have one place, as they can in a bucket.
    pub has_directories: bool,
    /// The files are a clone's: where all are gone, nothing is put away, and what is new is taken
    /// all the same.
    pub is_clone: bool,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncAction {
    /// The file is written as the tree has it; `over`: what lies there, which nobody but Loci wrote.
    Write {
        /// Where.
        path: String,
        /// What must lie there.
        over: Option<FileDigest>,
    },
    /// The file goes: its document is put away.
    Remove {
        /// Where.
        path: String,
        /// What must lie there.
        over: FileDigest,
    },
    /// The document takes what the file says; `base`: what it must hold still.
    Take {
        /// Where.
        path: String,
        /// The file.
        file: FileDigest,
        /// As both last agreed.
        base: FileDigest,
    },
    /// A new document, from a file that nobody knew; or one that comes back, for its file holds the only copy of an edit.
    TakeNew {
        /// Where.
        path: String,
        /// The file.
        file: FileDigest,
    },
    /// The document keeps its text, and the file's is kept beside it; a person decides.
    KeepBoth {
        /// Where.
        path: String,
        /// Where the file's text goes.
        beside: String,
        /// The file.
        file: FileDigest,
    },
    /// The document is moved: its file was.
    Move {
        /// From where.
        from: String,
        /// To where.
        to: String,
        /// The file.
        file: FileDigest,
    },
    /// The document is put away: its file is gone.
    PutAway {
        /// Where.
        path: String,
        /// As both last agreed.
        base: FileDigest,
    },
    /// Both hold the same: that is noted.
    Agree {
        /// Where.
        path: String,
        /// What.
        file: FileDigest,
    },
    /// Neither has it any more: that is noted.
    Forget {
        /// Where.
        path: String,
    },
}

/// Something that is only said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncNote {
    /// Where.
    pub path: String,
    /// The remark: `changed_in_export`, `not_exported`, `deletion_logged`, `waits_for_deletion`.
    pub what: &'static str,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncPlan {
    /// How the mirror was found.
    pub finding: Finding,
    /// What to do: writes before removals.
    pub actions: Vec<SyncAction>,
    /// What is only said.
    pub notes: Vec<SyncNote>,
    /// Files that are missing now, and since when.
    pub missing: MissingSince,
    /// Deletions that wait for another look, or for their turn.
    pub waiting_deletes: usize,
}

impl SyncPlan {
    /// Leaves all deletions to a later sync.
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

    /// Holds files that are new where a missing one lay: the tree would refuse them while its
    /// document is there.
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

/// The plan of a sync.
pub fn plan(sides: &Sides<'_>, keeping: &Keeping) -> SyncPlan {
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
            let mut planning = Planning { sides, keeping, plan };
            planning.new_alone();
            planning.plan.actions.sort_by_key(rank);
            planning.plan
        }
        Finding::Gone => {
            if keeping.direction != Direction::Import {
                // What lies there all the same is looked at the next time.
                let lacking = sides.tree.keys().filter(|path| !sides.mirror.contains_key(*path));
                plan.actions =
                    lacking.map(|path| SyncAction::Write { path: path.clone(), over: None }).collect();
            }
            plan
        }
        Finding::Whole => {
            let mut planning = Planning { sides, keeping, plan };
            planning.moves(&moved);
            planning.paths(&moved);
            planning.plan.actions.sort_by_key(rank);
            planning.plan
        }
    }
}

/// Writes come before what removes, so that no look in between finds less than there is.
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

/// Files that went from one place to another, unchanged: each new file is one missing file's at most, in the order of their paths.
fn moves(sides: &Sides<'_>) -> Vec<(String, String)> {
    let mut new: BTreeMap<FileDigest, Vec<&String>> = BTreeMap::new();
    for (path, digest) in sides.mirror.iter().rev() {
        if !sides.agreed.contains_key(path) && !sides.tree.contains_key(path) {
            new.entry(*digest).or_default().push(path);
        }
    }
    let mut found = Vec::new();
    for (path, digest) in sides.agreed {
        // A document that changed meanwhile keeps its place: its file is restored there.
        if sides.mirror.contains_key(path) || sides.tree.get(path) != Some(digest) {
            continue;
        }
        if let Some(to) = new.get_mut(digest).and_then(Vec::pop) {
            found.push((path.clone(), to.clone()));
        }
    }
    found
}

struct Planning<'a> {
    sides: &'a Sides<'a>,
    keeping: &'a Keeping,
    plan: SyncPlan,
}

impl Planning<'_> {
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

    /// Plans the files that lie there, where all that both held is gone: they wait only in the
    /// place of a lost file.
    fn new_alone(&mut self) {
        let sides = self.sides;
        for (path, file) in sides.mirror {
            let (tree, agreed) = (sides.tree.get(path).copied(), sides.agreed.get(path).copied());
            self.one(path, tree, Some(*file), agreed);
        }
        let waiting: BTreeSet<String> = sides.agreed.keys().cloned().collect();
        self.plan.hold(&waiting);
    }

    /// One path, but for a file that is missing beside an unchanged document.
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

    /// Adds an action, as far as the mirror's direction allows it.
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

    /// Files that are missing beside documents that did not change.
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
        // No look finds a file again in whose place a directory lies now, or the other way round.
        // Many at once are no such change: a directory that is away has left a file of its name.
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

/// The path of the file whose text went to this one; `None` for a path that [`conflict_path`] does
/// not make.
pub fn conflict_source(path: &str) -> Option<String> {
    let (before, behind) = path.rsplit_once(CONFLICT)?;
    let (seven, extension) = behind.split_at_checked(CONFLICT_DIGITS)?;
    let is_digest = seven.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_end = extension.is_empty() || extension.starts_with('.') && !extension.contains('/');
    (is_digest && is_end).then(|| format!("{before}{extension}"))
}

/// Where the text of a file goes that the document does not take: `notes.conflict-0123456.md`; what is too long is cut.
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
