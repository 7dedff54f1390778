//! Trees with some of their files changed: unchanged entries are copied by id. Directories that
//! become empty are removed.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::Result;
use loci_model::facts::code::ObjectId;

use super::object_writer::{NewObjects, damaged};
use crate::limits::STRUCTURE_BYTES_MAX;
use crate::objects::format::ObjectKind;
use crate::repository::Repository;

const FILE: &str = "100644";
const EXECUTABLE: &str = "100755";
const DIRECTORY: &str = "40000";

/// The change of a path: a new blob with its executable bit (`None` keeps that of the existing
/// file), or removal of the file.
pub(super) type PathContentChange = Option<(ObjectId, Option<bool>)>;

/// An entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EditedTreeEntry {
    mode: String,
    id: ObjectId,
}

impl EditedTreeEntry {
    fn is_directory(&self) -> bool {
        self.mode == DIRECTORY
    }

    /// True for an executable file. As in git, only the owner's permission counts.
    fn is_executable(&self) -> bool {
        let mode = u32::from_str_radix(&self.mode, 8).unwrap_or_default();
        mode >> 12 == 0o10 && mode & 0o100 != 0
    }
}

/// Returns the tree `old` with these paths changed; `None` if it becomes empty.
pub(super) fn edited(
    repository: &Repository,
    new: &mut NewObjects,
    old: Option<&ObjectId>,
    changes: &BTreeMap<&str, PathContentChange>,
) -> Result<Option<ObjectId>> {
    let mut entries = match old {
        Some(id) => read(repository, new, id)?,
        None => BTreeMap::new(),
    };
    let mut beneath: BTreeMap<&str, BTreeMap<&str, PathContentChange>> = BTreeMap::new();
    for (path, change) in changes {
        match path.split_once('/') {
            Some((name, rest)) => {
                beneath.entry(name).or_default().insert(rest, *change);
            }
            None => match change {
                Some((id, executable)) => {
                    let lay = entries.get(path.as_bytes()).is_some_and(EditedTreeEntry::is_executable);
                    let mode = if executable.unwrap_or(lay) { EXECUTABLE } else { FILE };
                    let entry = EditedTreeEntry { mode: mode.to_owned(), id: *id };
                    entries.insert(path.as_bytes().to_vec(), entry);
                }
                None if entries.get(path.as_bytes()).is_some_and(|entry| !entry.is_directory()) => {
                    entries.remove(path.as_bytes());
                }
                None => {}
            },
        }
    }
    for (name, changes) in beneath {
        let known = entries.get(name.as_bytes()).filter(|entry| entry.is_directory()).map(|entry| entry.id);
        match edited(repository, new, known.as_ref(), &changes)? {
            Some(id) => {
                entries.insert(name.as_bytes().to_vec(), EditedTreeEntry { mode: DIRECTORY.to_owned(), id });
            }
            // A file with that name is not one of those to remove.
            None if known.is_some() => drop(entries.remove(name.as_bytes())),
            None => {}
        }
    }
    if entries.is_empty() { Ok(None) } else { new.add(ObjectKind::Tree, written(&entries)).map(Some) }
}

/// Returns the paths of the executable files in a tree. The tree was listed before, which ensures
/// the limits of trees.
pub(super) fn executables(repository: &Repository, root: &ObjectId) -> Result<BTreeSet<String>> {
    let new = NewObjects::new(repository.objects.format());
    let mut found = BTreeSet::new();
    let mut open = vec![(String::new(), *root)];
    while let Some((prefix, tree)) = open.pop() {
        for (name, entry) in read(repository, &new, &tree)? {
            let Ok(name) = String::from_utf8(name) else { continue };
            if entry.is_directory() {
                open.push((format!("{prefix}{name}/"), entry.id));
            } else if entry.is_executable() {
                found.insert(format!("{prefix}{name}"));
            }
        }
    }
    Ok(found)
}

fn read(
    repository: &Repository,
    new: &NewObjects,
    id: &ObjectId,
) -> Result<BTreeMap<Vec<u8>, EditedTreeEntry>> {
    let stored;
    let content = match new.get(id) {
        Some(content) => content,
        None => {
            let read = repository.objects.read_kind(id, ObjectKind::Tree, STRUCTURE_BYTES_MAX);
            stored = read.map_err(|error| damaged(&error.detail))?;
            &stored
        }
    };
    parse(content, repository.objects.format().id_bytes()).ok_or_else(|| damaged("a tree is none"))
}

fn parse(mut rest: &[u8], id_bytes: usize) -> Option<BTreeMap<Vec<u8>, EditedTreeEntry>> {
    let mut entries = BTreeMap::new();
    while !rest.is_empty() {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let (mode, after) = rest.split_at_checked(space)?;
        let end = after.iter().position(|byte| *byte == 0)?;
        let name = after.get(1..end)?;
        let id = after.get(end + 1..end + 1 + id_bytes)?;
        let mode = String::from_utf8(mode.to_vec()).ok()?;
        entries.insert(name.to_vec(), EditedTreeEntry { mode, id: ObjectId::from_bytes(id)? });
        rest = after.get(end + 1 + id_bytes..)?;
    }
    Some(entries)
}

/// Serialises entries in git's order: a directory sorts as if its name ended with a slash.
fn written(entries: &BTreeMap<Vec<u8>, EditedTreeEntry>) -> Vec<u8> {
    let mut sorted: Vec<(Vec<u8>, &[u8], &EditedTreeEntry)> = entries
        .iter()
        .map(|(name, entry)| {
            let mut key = name.clone();
            if entry.is_directory() {
                key.push(b'/');
            }
            (key, name.as_slice(), entry)
        })
        .collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    let mut tree = Vec::new();
    for (_, name, entry) in sorted {
        tree.extend_from_slice(entry.mode.as_bytes());
        tree.push(b' ');
        tree.extend_from_slice(name);
        tree.push(0);
        tree.extend_from_slice(entry.id.as_bytes());
    }
    tree
}
