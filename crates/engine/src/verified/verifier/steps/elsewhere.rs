//! Where else a block may stand (verified-memory.md §5.2, step 4): files that the cited one became, files of its name, and
//! any file that is new since. It names files; whether the block stands in them is `in_file`.

use loci_model::code::{CodeFile, EntryKind, ObjectId};
use loci_model::ports::code::CodeResult;

use super::super::lines::FileLines;
use super::super::session::Verifier;
use super::super::thresholds::SAME_NAME_FILES_MAX;
use super::in_file::occurrences;

/// Files of this revision with the name that `path` has, nearest directory first.
pub(in super::super) fn same_name(verifier: &Verifier<'_>, path: &str) -> CodeResult<Vec<CodeFile>> {
    let name = name_of(path);
    let tree = verifier.tree(None)?;
    let is_named = |file: &&CodeFile| {
        file.entry.kind == EntryKind::File && file.path != path && name_of(&file.path) == name
    };
    let mut files: Vec<CodeFile> = tree.iter().filter(is_named).cloned().collect();
    files.sort_by_key(|file| std::cmp::Reverse(segments_alike(&file.path, path)));
    files.truncate(SAME_NAME_FILES_MAX);
    Ok(files)
}

pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Segments that two paths have in common at both ends.
pub(super) fn segments_alike(one: &str, other: &str) -> usize {
    let alike = |pairs: &mut dyn Iterator<Item = (&str, &str)>| pairs.take_while(|(a, b)| a == b).count();
    alike(&mut one.split('/').zip(other.split('/'))) + alike(&mut one.rsplit('/').zip(other.rsplit('/')))
}

/// Where the block stands in a file of this revision because it stood in that file when the anchor was made: those are not the
/// block that moved. What cannot be read of the old revision held nothing.
pub(super) fn held_before(
    verifier: &Verifier<'_>,
    commit: ObjectId,
    (path, blob, file): (&str, ObjectId, &FileLines),
    block: &[u64],
) -> CodeResult<Vec<usize>> {
    let old_entry = match verifier.old_entry(commit, path)? {
        Some(entry) => Some(entry),
        None => match verifier.renames(commit)?.1.get(path) {
            Some(old_path) => verifier.old_entry(commit, old_path)?,
            None => None,
        },
    };
    let Some(entry) = old_entry else { return Ok(Vec::new()) };
    let Ok(old) = verifier.lines(&entry) else { return Ok(Vec::new()) };
    let stood = occurrences(old.hashes(), block);
    if stood.is_empty() {
        return Ok(stood);
    }
    let map = verifier.map((entry.id, &old), (blob, file));
    Ok(stood.into_iter().filter_map(|at| map.get(at)).collect())
}
