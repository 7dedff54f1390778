//! `str_replace` and `insert`: edits of a file as it is when they are carried out.

use loci_model::Result;

use super::place::{At, Mounted, missing, read_only};
use super::viewing::{lines_of, numbered};
use super::{Told, ToolEntry};

/// Lines before and after a change that are shown with it.
const AROUND: usize = 2;

pub(super) fn replace(mounted: &mut Mounted<'_>, path: &str, old: &str, new: &str) -> Result<Told> {
    let (shown, entry) = match file(mounted, path)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let body = mounted.tree.body(&entry.path)?;
    let Some(at) = body.find(old) else {
        return Ok(Err(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
        )));
    };
    if body.matches(old).nth(1).is_some() {
        let lines: Vec<String> = occurrences(&body, old).iter().map(usize::to_string).collect();
        return Ok(Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
            lines.join(", ")
        )));
    }
    let changed = body.replacen(old, new, 1);
    if let Some(why) = too_large(mounted, &shown, &changed) {
        return Ok(Err(why));
    }
    if changed != body {
        mounted.tree.replace(&entry.path, &changed)?;
    }
    let line = line_at(&body, at);
    let lines = lines_of(&changed);
    let snippet = numbered(&lines, line.saturating_sub(AROUND).max(1), line + AROUND);
    Ok(Ok(format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    )))
}

pub(super) fn insert(mounted: &mut Mounted<'_>, path: &str, line: i128, text: &str) -> Result<Told> {
    let (shown, entry) = match file(mounted, path)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let body = mounted.tree.body(&entry.path)?;
    let mut lines = if body.is_empty() { Vec::new() } else { lines_of(&body) };
    let place = usize::try_from(line).ok().filter(|place| *place <= lines.len());
    let Some(place) = place else {
        return Ok(Err(format!(
            "Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {}]",
            lines.len()
        )));
    };
    lines.insert(place, text.strip_suffix('\n').unwrap_or(text));
    let changed = format!("{}\n", lines.join("\n"));
    if let Some(why) = too_large(mounted, &shown, &changed) {
        return Ok(Err(why));
    }
    mounted.tree.replace(&entry.path, &changed)?;
    Ok(Ok(format!("The file {shown} has been edited.")))
}

/// The file at a path that may be written, and how the path is shown.
fn file(mounted: &Mounted<'_>, path: &str) -> Result<Result<(String, ToolEntry), String>> {
    let path = match mounted.path(path) {
        Ok(path) => path,
        Err(why) => return Ok(Err(why)),
    };
    let shown = path.shown();
    if path.below_root().is_some_and(|path| mounted.tree.is_read_only(path)) {
        return Ok(Err(read_only(&shown)));
    }
    Ok(match mounted.at(&path)? {
        At::File(entry) => Ok((shown, entry)),
        At::Directory(_) => Err(format!("The path {shown} is not a file.")),
        At::Nothing => Err(missing(&path)),
    })
}

/// What the model is told of a file that would be too large.
pub(super) fn too_large(mounted: &Mounted<'_>, shown: &str, body: &str) -> Option<String> {
    let limit = mounted.settings.max_bytes;
    (body.len() > limit).then(|| format!("File {shown} would exceed the limit of {limit} bytes."))
}

/// The line on which each occurrence begins, from 1; occurrences may overlap.
fn occurrences(body: &str, wanted: &str) -> Vec<usize> {
    let starts_here = |(at, _): &(usize, char)| body.get(*at..).is_some_and(|rest| rest.starts_with(wanted));
    body.char_indices().filter(starts_here).map(|(at, _)| line_at(body, at)).collect()
}

fn line_at(body: &str, at: usize) -> usize {
    body.get(..at).unwrap_or_default().matches('\n').count() + 1
}
