//! Candidate files for a moved block: files that the cited one became, files of its name, and any
//! file that is new since. `file_search` checks if the block is in them.

use std::collections::HashSet;
use std::sync::Arc;

use loci_model::facts::citation::Anchor;
use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId, Origin};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::{CodeError, CodeResult};

use super::super::thresholds::{SAME_NAME_FILES_MAX, SAME_NAME_FILES_NEAR_MAX};
use super::file_search::occurrences;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::large_files::is_no_text_by_name;
use crate::verifier::session::verifier::Verifier;

/// The files of one name.
pub(in super::super) struct Namesakes {
    /// The files, nearest directory first.
    pub(in super::super) files: Vec<CodeFile>,
    /// True if there are more of them.
    pub(in super::super) is_cut: bool,
}

/// Returns the files of this revision with the file name of `path`. If there are too many, it
/// returns only those that changed since `since`, because nothing moved into the others.
pub(in super::super) fn same_name(
    verifier: &Verifier<'_>,
    path: &str,
    since: Option<ObjectId>,
) -> CodeResult<Namesakes> {
    let name = name_of(path);
    let is_named = |file: &&CodeFile| {
        file.entry.kind == EntryKind::File && file.path != path && name_of(&file.path) == name
    };
    let mut files: Vec<CodeFile> = verifier.tree(None)?.iter().filter(is_named).cloned().collect();
    if files.len() > SAME_NAME_FILES_MAX && since.is_some() {
        let before = verifier.tree(since)?;
        let before: HashSet<(&str, ObjectId)> =
            before.iter().filter(is_named).map(|file| (file.path.as_str(), file.entry.id)).collect();
        files.retain(|file| !before.contains(&(file.path.as_str(), file.entry.id)));
    }
    files.sort_by_key(|file| std::cmp::Reverse(segments_alike(&file.path, path)));
    let is_near = verifier.source.capabilities().near;
    let max = if is_near { SAME_NAME_FILES_NEAR_MAX } else { SAME_NAME_FILES_MAX };
    let is_cut = files.len() > max;
    files.truncate(max);
    Ok(Namesakes { files, is_cut })
}

/// Returns the error for a search that ended because there are too many files.
pub(in super::super) fn too_many() -> CodeError {
    CodeError::new(Unverifiable::TooLarge, "the lines may stand in more places than are looked through")
}

/// Returns the error for a search that ended because its time was over.
pub(in super::super) fn too_late() -> CodeError {
    CodeError::new(Unverifiable::Deadline, "the tree was not looked through in time")
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the number of common segments of two paths at both ends.
pub(super) fn segments_alike(one: &str, other: &str) -> usize {
    let alike = |pairs: &mut dyn Iterator<Item = (&str, &str)>| pairs.take_while(|(a, b)| a == b).count();
    alike(&mut one.split('/').zip(other.split('/'))) + alike(&mut one.rsplit('/').zip(other.rsplit('/')))
}

/// Returns the file that the comparison of the two revisions pairs with the cited one. Returns
/// `None` if the history shows that it was another file: of two copies that were removed together,
/// only one became the new file.
pub(super) fn paired(verifier: &Verifier<'_>, path: &str, commit: ObjectId) -> CodeResult<Option<String>> {
    let (forth, _) = verifier.renames(commit)?;
    let Some(new) = forth.get(path) else {
        if verifier.may_lack_renames(commit)? {
            let detail = "the file may have been renamed: the comparison is too large to be told whole";
            return Err(CodeError::new(Unverifiable::TooLarge, detail));
        }
        return Ok(None);
    };
    Ok(match verifier.origin(new, commit)? {
        Origin::From(old) if old != path => None,
        Origin::From(_) | Origin::New | Origin::Unknown => Some(new.clone()),
    })
}

/// Returns the places of the block in a file of this revision that the file already had when the
/// anchor was made. Those are not the block that moved. An unreadable old file counts as having
/// none.
pub(super) fn held_before(
    verifier: &Verifier<'_>,
    anchor: &Anchor,
    commit: ObjectId,
    (path, blob, file): (&str, ObjectId, &FileLines),
) -> CodeResult<Vec<usize>> {
    let Some((old_blob, old)) = other_file_before(verifier, anchor, commit, path)? else {
        return Ok(Vec::new());
    };
    let stood = occurrences(old.hashes(), &anchor.line_hashes);
    if stood.is_empty() {
        return Ok(stood);
    }
    let map = verifier.map((old_blob, &old), (blob, file));
    Ok(stood.into_iter().filter_map(|at| map.get(at)).collect())
}

/// Returns true if the block was in the earlier version of a file of this revision when the anchor
/// was made.
pub(super) fn stood_before(
    verifier: &Verifier<'_>,
    anchor: &Anchor,
    commit: ObjectId,
    path: &str,
) -> CodeResult<bool> {
    let old = other_file_before(verifier, anchor, commit, path)?;
    Ok(old.is_some_and(|(_, old)| !occurrences(old.hashes(), &anchor.line_hashes).is_empty()))
}

/// Returns true if a file that is too large for the search, or has too long lines, changed since
/// `since` and now contains the block for the first time.
pub(super) fn may_hold(verifier: &Verifier<'_>, anchor: &Anchor, since: ObjectId, file: &CodeFile) -> bool {
    let old = verifier.old_entry(since, &file.path).ok().flatten();
    if old.is_some_and(|old| old.id == file.entry.id) {
        return false;
    }
    let holds = |entry: &CodeEntry| verifier.holds_lines(entry, &anchor.line_hashes);
    match holds(&file.entry) {
        Ok(is_there) => is_there && !old.is_some_and(|old| holds(&old) == Ok(true)),
        Err(_) => !is_no_text_by_name(&file.path),
    }
}

/// Returns the earlier version of a file of this revision when the anchor was made, unless it was
/// the cited file or none.
fn other_file_before(
    verifier: &Verifier<'_>,
    anchor: &Anchor,
    commit: ObjectId,
    path: &str,
) -> CodeResult<Option<(ObjectId, Arc<FileLines>)>> {
    let same_path = || Ok(verifier.old_entry(commit, path)?.map(|_| path.to_owned()));
    let old_path = match verifier.origin(path, commit)? {
        Origin::From(old) => Some(old),
        Origin::New => same_path()?,
        Origin::Unknown => match same_path()? {
            Some(same) => Some(same),
            None => verifier.renames(commit)?.1.get(path).cloned(),
        },
    };
    let Some(old_path) = old_path.filter(|old| *old != anchor.place.path || old == path) else {
        return Ok(None);
    };
    let Some(entry) = verifier.old_entry(commit, &old_path)? else { return Ok(None) };
    Ok(verifier.lines(&entry).ok().map(|lines| (entry.id, lines)))
}
