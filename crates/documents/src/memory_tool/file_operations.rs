//! The commands `create`, `delete` and `rename`, which change the set of files and their paths.

use loci_engine::document_text::path::DocumentPath;
use loci_model::Result;

use super::CommandResult;
use super::text_edits::too_large;
use super::tool_path::{Mounted, PathContent, ToolPath, read_only, refused, shown};
use super::{ROOT, ToolEntry};

pub(super) fn create(mounted: &mut Mounted<'_>, path: &str, text: &str) -> Result<CommandResult> {
    let path = match mounted.path(path) {
        Ok(path) => path,
        Err(why) => return Ok(Err(why)),
    };
    let name = path.shown();
    let taken = || Ok(Err(format!("File {name} already exists")));
    let Some(below_root) = path.below_root() else { return taken() };
    if mounted.tree.is_read_only(below_root) {
        return Ok(Err(read_only(&name)));
    }
    let there = mounted.at(&path)?;
    let overwrites = mounted.settings.create_overwrites;
    match &there {
        PathContent::Directory(_) => return taken(),
        PathContent::File(_) if !overwrites => return taken(),
        PathContent::File(_) => {}
        PathContent::Nothing => {
            if let Some(above) = mounted.file_above(below_root)? {
                return Ok(Err(format!("The path {} is not a directory.", shown(&above))));
            }
        }
    }
    if let Some(why) = too_large(mounted, &name, text) {
        return Ok(Err(why));
    }
    match there {
        PathContent::File(entry) => mounted.tree.replace(&entry.path, text)?,
        PathContent::Directory(_) | PathContent::Nothing => mounted.tree.create(below_root, text)?,
    }
    Ok(Ok(format!("File created successfully at: {name}")))
}

pub(super) fn delete(mounted: &mut Mounted<'_>, path: &str) -> Result<CommandResult> {
    let path = match mounted.path(path) {
        Ok(path) => path,
        Err(why) => return Ok(Err(why)),
    };
    let name = path.shown();
    let Some(below_root) = path.below_root() else {
        return Ok(Err(format!("Cannot delete the {ROOT} directory itself")));
    };
    if mounted.tree.is_read_only(below_root) {
        return Ok(Err(read_only(&name)));
    }
    let going = match mounted.at(&path)? {
        PathContent::Nothing => return Ok(Err(format!("The path {name} does not exist"))),
        PathContent::File(entry) => vec![entry],
        PathContent::Directory(entries) => {
            let all = mounted.tree.below(None)?.len();
            if let Some(why) = too_many(mounted, &name, entries.len(), all) {
                return Ok(Err(why));
            }
            entries
        }
    };
    if let Some(why) = untouchable(mounted, &going) {
        return Ok(Err(why));
    }
    mounted.tree.delete(&going.into_iter().map(|entry| entry.path).collect::<Vec<_>>())?;
    Ok(Ok(format!("Successfully deleted {name}")))
}

pub(super) fn rename(mounted: &mut Mounted<'_>, old: &str, new: &str) -> Result<CommandResult> {
    let (from, to) = match mounted.path(old).and_then(|from| Ok((from, mounted.path(new)?))) {
        Ok(paths) => paths,
        Err(why) => return Ok(Err(why)),
    };
    let Some(source) = from.below_root() else {
        return Ok(Err(format!("Cannot rename the {ROOT} directory itself")));
    };
    if mounted.tree.is_read_only(source) {
        return Ok(Err(read_only(&from.shown())));
    }
    if to.below_root().is_some_and(|path| mounted.tree.is_read_only(path)) {
        return Ok(Err(read_only(&to.shown())));
    }
    let going = match mounted.at(&from)? {
        PathContent::File(entry) => vec![entry],
        PathContent::Directory(entries) => entries,
        PathContent::Nothing => Vec::new(),
    };
    let Some(target) = free(mounted, source, &to, &going)? else {
        return Ok(Err(format!("The destination {} already exists", to.shown())));
    };
    if going.is_empty() {
        return Ok(Err(format!("The path {} does not exist", from.shown())));
    }
    if target.as_str().strip_prefix(source.as_str()).is_some_and(|rest| rest.starts_with('/')) {
        return Ok(Err(format!("Cannot rename {} into itself", from.shown())));
    }
    if let Some(above) = mounted.file_above(target)? {
        return Ok(Err(format!("The path {} is not a directory.", shown(&above))));
    }
    if let Some(why) = untouchable(mounted, &going) {
        return Ok(Err(why));
    }
    let moves = match moves(mounted, source, target, &going) {
        Ok(moves) => moves,
        Err(why) => return Ok(Err(why)),
    };
    mounted.tree.rename(&moves)?;
    Ok(Ok(format!("Successfully renamed {} to {}", from.shown(), to.shown())))
}

/// Returns the document's path after a rename. Rejects a path that another document has.
fn free<'a>(
    mounted: &Mounted<'_>,
    source: &DocumentPath,
    to: &'a ToolPath,
    going: &[ToolEntry],
) -> Result<Option<&'a DocumentPath>> {
    let Some(target) = to.below_root() else { return Ok(None) };
    let there = match mounted.at(to)? {
        PathContent::Nothing => return Ok(Some(target)),
        PathContent::File(entry) => vec![entry],
        PathContent::Directory(entries) => entries,
    };
    let respelled = target != source && target.key() == source.key();
    Ok((respelled && there.iter().all(|entry| going.contains(entry))).then_some(target))
}

/// Returns each document's current and new path for a rename.
fn moves(
    mounted: &Mounted<'_>,
    source: &DocumentPath,
    target: &DocumentPath,
    going: &[ToolEntry],
) -> std::result::Result<Vec<(DocumentPath, DocumentPath)>, String> {
    let depth = source.segments().count();
    let mut moves = Vec::with_capacity(going.len());
    for entry in going {
        let mut path = target.as_str().to_owned();
        for name in entry.path.segments().skip(depth) {
            path.push('/');
            path.push_str(name);
        }
        let checked = DocumentPath::check(&path).and_then(|new| match mounted.tree.broken_by(&new) {
            Some(rule) => Err(rule),
            None => Ok(new),
        });
        match checked {
            Ok(new) => moves.push((entry.path.clone(), new)),
            Err(rule) => return Err(refused(&format!("{ROOT}/{path}"), rule)),
        }
    }
    Ok(moves)
}

/// Returns the error text for the model if one of the documents is read-only.
fn untouchable(mounted: &Mounted<'_>, entries: &[ToolEntry]) -> Option<String> {
    let held = entries.iter().find(|entry| mounted.tree.is_read_only(&entry.path))?;
    Some(read_only(&shown(&held.path)))
}

/// Returns the error text for the model if the directory holds a larger share of the tree than one
/// command may delete.
fn too_many(mounted: &Mounted<'_>, name: &str, going: usize, all: usize) -> Option<String> {
    let share = mounted.settings.max_recursive_delete;
    let is_small = all <= mounted.settings.small_tree;
    (!is_small && going * 100 > all * share).then(|| {
        format!(
            "Deleting {name} would remove {going} of {all} files, and at most {share} % may go at once. Delete smaller parts."
        )
    })
}
