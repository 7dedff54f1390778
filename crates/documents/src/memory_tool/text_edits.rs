//! The commands `str_replace` and `insert`, which edit the current content of a file.

use loci_engine::document_text::line_ends::{occurrences, uniform_line_end, verbatim, with_line_end};
use loci_model::Result;

use super::tool_path::{Mounted, PathContent, missing, read_only};
use super::view::{lines_of, numbered};
use super::{CommandResult, ToolEntry};

/// The number of lines before and after the change that the answer shows.
const AROUND: usize = 2;

pub(super) fn replace(mounted: &mut Mounted<'_>, path: &str, old: &str, new: &str) -> Result<CommandResult> {
    let (shown, entry) = match file(mounted, path)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let body = mounted.tree.body(&entry.path)?;
    // A verbatim occurrence takes precedence, as in the reference implementation; otherwise `\n`
    // also matches a Windows line end.
    let verbatim = verbatim(&body, old);
    let places = if verbatim.is_empty() { occurrences(&body, old) } else { verbatim };
    let Some(place) = places.first() else {
        return Ok(Err(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
        )));
    };
    if places.iter().any(|other| other.start >= place.end && other.start > place.start) {
        let lines: Vec<String> = places.iter().map(|at| line_at(&body, at.start).to_string()).collect();
        return Ok(Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
            lines.join(", ")
        )));
    }
    let end = uniform_line_end(&body);
    let changed = format!(
        "{}{}{}",
        body.get(..place.start).unwrap_or_default(),
        with_line_end(new, end),
        body.get(place.end..).unwrap_or_default()
    );
    if let Some(why) = too_large(mounted, &shown, &changed) {
        return Ok(Err(why));
    }
    if changed != body {
        mounted.tree.replace(&entry.path, &changed)?;
    }
    let line = line_at(&body, place.start);
    let lines = lines_of(&changed);
    let snippet = numbered(&lines, line.saturating_sub(AROUND).max(1), line + AROUND);
    Ok(Ok(format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    )))
}

pub(super) fn insert(mounted: &mut Mounted<'_>, path: &str, line: i128, text: &str) -> Result<CommandResult> {
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
    let end = uniform_line_end(&body);
    let whole = format!(
        "{}{end}",
        text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
    );
    let added = if end == "\n" { text.to_owned() } else { with_line_end(&whole, end).into_owned() };
    lines.insert(place, added.strip_suffix('\n').unwrap_or(&added));
    let changed = format!("{}\n", lines.join("\n"));
    if let Some(why) = too_large(mounted, &shown, &changed) {
        return Ok(Err(why));
    }
    mounted.tree.replace(&entry.path, &changed)?;
    Ok(Ok(format!("The file {shown} has been edited.")))
}

/// Returns the writable document at a path with the path to show to the model, or the error text
/// for the model.
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
        PathContent::File(entry) => Ok((shown, entry)),
        PathContent::Directory(_) => Err(format!("The path {shown} is not a file.")),
        PathContent::Nothing => Err(missing(&path)),
    })
}

/// Returns the error text for the model if the new body of a file is too large.
pub(super) fn too_large(mounted: &Mounted<'_>, shown: &str, body: &str) -> Option<String> {
    let limit = mounted.settings.max_bytes;
    (body.len() > limit).then(|| format!("File {shown} would exceed the limit of {limit} bytes."))
}

/// Returns the number, from 1, of the line that contains a byte offset.
fn line_at(body: &str, at: usize) -> usize {
    body.get(..at).unwrap_or_default().matches('\n').count() + 1
}
