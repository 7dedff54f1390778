//! Refs: `HEAD`, branches and tags, loose and packed. Read for every question, so that a new commit
//! is visible at once; packed refs are cached while their file is unchanged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::confined_files::{self, Dir, EntryType, Stamp};
use crate::fault;
use crate::limits::{HOPS_MAX, REFS_BYTES_MAX, REFS_IN_FOLDER_MAX, SMALL_FILE_BYTES_MAX};

/// The object or the other ref that a ref points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefTarget {
    Id(ObjectId),
    Symbolic(String),
}

/// The number of refs in a folder: none, one or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RefCount {
    None,
    /// Exactly one ref, with its full name.
    One(String),
    Several,
}

impl RefCount {
    fn and(self, name: String) -> Self {
        match self {
            Self::None => Self::One(name),
            Self::One(known) if known == name => Self::One(known),
            Self::One(_) | Self::Several => Self::Several,
        }
    }
}

/// Packed refs, by full name.
type PackedRefs = Arc<HashMap<String, ObjectId>>;

/// The refs of a clone.
#[derive(Default)]
pub(crate) struct Refs {
    packed: Mutex<Option<(Stamp, PackedRefs)>>,
}

impl Refs {
    /// Returns the target of the ref with this full name. `private` is the directory of the
    /// worktree, which contains `HEAD`.
    pub(crate) fn find(&self, shared: &Dir, private: &Dir, name: &str) -> CodeResult<Option<RefTarget>> {
        if !is_ref(name) {
            return Ok(None);
        }
        let dir = if name.starts_with("refs/") { shared } else { private };
        if let Some((file, stamp)) = dir.file(name.as_bytes())? {
            let content = confined_files::read_all(file, &stamp, SMALL_FILE_BYTES_MAX)?;
            return parse(&content).map(Some).ok_or_else(|| fault::damaged("a ref"));
        }
        Ok(self.packed(shared)?.get(name).copied().map(RefTarget::Id))
    }

    /// Returns the object that a ref finally points to, and the full name of the ref that contains
    /// it.
    pub(crate) fn follow(
        &self,
        shared: &Dir,
        private: &Dir,
        name: &str,
    ) -> CodeResult<Option<(String, ObjectId)>> {
        let mut name = name.to_owned();
        for _ in 0..HOPS_MAX {
            match self.find(shared, private, &name)? {
                Some(RefTarget::Id(id)) => return Ok(Some((name, id))),
                Some(RefTarget::Symbolic(next)) => name = next,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the number of refs in a folder, whose name ends with `/`. A `HEAD` in it does not
    /// count, because it points to one of the others.
    pub(crate) fn sole(&self, shared: &Dir, folder: &str) -> CodeResult<RefCount> {
        let mut found = RefCount::None;
        for name in self.packed(shared)?.keys() {
            let is_in = name.strip_prefix(folder).is_some_and(|rest| rest != "HEAD" && !rest.is_empty());
            if is_in && is_ref(name) {
                found = found.and(name.clone());
            }
        }
        loose(shared, folder, HOPS_MAX, found)
    }

    fn packed(&self, shared: &Dir) -> CodeResult<PackedRefs> {
        let Some((file, stamp)) = shared.file(b"packed-refs")? else { return Ok(Arc::default()) };
        let mut packed = self.packed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, refs)) = packed.as_ref()
            && *known == stamp
        {
            return Ok(Arc::clone(refs));
        }
        let content = confined_files::read_all(file, &stamp, REFS_BYTES_MAX)?;
        let refs: PackedRefs = Arc::new(lines_of(&content).collect());
        *packed = Some((stamp, Arc::clone(&refs)));
        Ok(refs)
    }
}

/// Counts loose refs like `sole`, in folders up to a depth. If there are more than the limit, they
/// count as several.
fn loose(shared: &Dir, folder: &str, depth: usize, mut found: RefCount) -> CodeResult<RefCount> {
    let Some(dir) = shared.directory(folder.trim_end_matches('/').as_bytes())? else { return Ok(found) };
    let names = match dir.names(REFS_IN_FOLDER_MAX) {
        Ok(names) if depth > 0 => names,
        Ok(_) => return Ok(RefCount::Several),
        Err(error) if error.why == Unverifiable::TooLarge => return Ok(RefCount::Several),
        Err(error) => return Err(error),
    };
    for name in names {
        let Ok(text) = std::str::from_utf8(&name) else { continue };
        let full = format!("{folder}{text}");
        found = match dir.look(&name)? {
            Some((EntryType::Directory, _)) => loose(shared, &format!("{full}/"), depth - 1, found)?,
            Some((EntryType::File, _)) if text != "HEAD" && is_ref(&full) => found.and(full),
            _ => found,
        };
        if found == RefCount::Several {
            break;
        }
    }
    Ok(found)
}

/// True for a full name that git would create: not another file of the repository, and no path with
/// upward components.
pub(crate) fn is_ref(name: &str) -> bool {
    let top = !name.contains('/');
    if top {
        return name == "HEAD";
    }
    name.starts_with("refs/") && name.len() <= 1_024 && name.split('/').all(is_part) && !name.contains("@{")
}

fn is_part(part: &str) -> bool {
    !part.is_empty()
        && !part.starts_with(['.', '-'])
        && !part.ends_with('.')
        && !part.ends_with(".lock")
        && !part.contains("..")
        && !part.chars().any(|c| c.is_control() || " ~^:?*[\\".contains(c))
}

fn parse(content: &[u8]) -> Option<RefTarget> {
    let text = std::str::from_utf8(content).ok()?.trim_end();
    match text.strip_prefix("ref:") {
        Some(name) => Some(RefTarget::Symbolic(name.trim().to_owned())),
        None => ObjectId::parse(text).map(RefTarget::Id),
    }
}

/// Returns the lines of `packed-refs`: an id and a name. Peeled ids, comments and invalid lines are
/// skipped.
pub(crate) fn lines_of(content: &[u8]) -> impl Iterator<Item = (String, ObjectId)> + '_ {
    content.split(|byte| *byte == b'\n').filter_map(|line| {
        let (id, name) = std::str::from_utf8(line).ok()?.trim_end().split_once(' ')?;
        Some((name.to_owned(), ObjectId::parse(id)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_be_other_files_are_no_refs() {
        for (name, expect) in [
            ("HEAD", true),
            ("refs/heads/main", true),
            ("refs/heads/a/b-c.d", true),
            ("refs/remotes/origin/HEAD", true),
            ("config", false),
            ("refs", false),
            ("refs/heads/../../config", false),
            ("refs/heads/", false),
            ("refs/heads/a.lock", false),
            ("refs/heads/-a", false),
            ("refs/heads/a@{1}", false),
            ("refs/heads/a\nb", false),
            ("objects/x", false),
            ("", false),
        ] {
            assert_eq!(is_ref(name), expect, "{name:?}");
        }
    }
}
