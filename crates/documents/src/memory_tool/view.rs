//! The command `view`: lists a directory two levels deep, or shows a file with line numbers.

use std::collections::BTreeMap;

use loci_model::{Result, limits};
use loci_text::normalise_exact;

use super::size::size;
use super::tool_path::{Mounted, PathContent, ToolPath, missing};
use super::{CommandResult, ToolEntry};

/// The number of directory levels in a listing.
const LEVELS: usize = 2;
/// The name that listings omit, in addition to names that begin with a dot.
const HIDDEN: &str = "node_modules";

pub(super) fn view(mounted: &Mounted<'_>, path: &str, range: Option<(i128, i128)>) -> Result<CommandResult> {
    let path = match mounted.path(path) {
        Ok(path) => path,
        Err(why) => return Ok(Err(why)),
    };
    match mounted.at(&path)? {
        PathContent::Nothing => Ok(Err(missing(&path))),
        PathContent::Directory(entries) => Ok(Ok(directory(&path, &entries, mounted.settings.annotate))),
        PathContent::File(entry) => {
            let body = mounted.tree.body(&entry.path)?;
            Ok(file(&path.shown(), &body, range, mounted.settings.view_max_chars))
        }
    }
}

/// A line of a directory listing: a name with its size and description.
#[derive(Default)]
struct ListingName<'a> {
    bytes: u64,
    file: Option<&'a ToolEntry>,
    below: BTreeMap<&'a str, ListingName<'a>>,
}

fn directory(path: &ToolPath, entries: &[ToolEntry], annotate: bool) -> String {
    let depth = path.below_root().map_or(0, |path| path.segments().count());
    let mut top = ListingName::default();
    for entry in entries {
        let mut at = &mut top;
        at.bytes += entry.bytes;
        for name in entry.path.segments().skip(depth) {
            at = at.below.entry(name).or_default();
            at.bytes += entry.bytes;
        }
        at.file = Some(entry);
    }
    let shown = path.shown();
    let mut lines = vec![
        format!("Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:"),
        format!("{}\t{shown}", size(top.bytes)),
    ];
    list(&mut lines, &shown, &top, LEVELS, annotate);
    lines.join("\n")
}

fn list(lines: &mut Vec<String>, path: &str, directory: &ListingName<'_>, levels: usize, annotate: bool) {
    if levels == 0 {
        return;
    }
    for (name, shown) in &directory.below {
        if name.starts_with('.') || *name == HIDDEN {
            continue;
        }
        let path = format!("{path}/{name}");
        match shown.file {
            Some(entry) => {
                let said = entry.description.as_deref().filter(|_| annotate).map(one_line);
                let said = said.filter(|said| !said.is_empty()).map(|said| format!("\t{said}"));
                lines.push(format!("{}\t{path}{}", size(shown.bytes), said.unwrap_or_default()));
            }
            None => {
                lines.push(format!("{}\t{path}/", size(shown.bytes)));
                list(lines, &path, shown, levels - 1, annotate);
            }
        }
    }
}

/// Returns a description on one line, so that it cannot imitate a line of the listing.
fn one_line(text: &str) -> String {
    normalise_exact(&text.replace(char::is_control, " "))
}

fn file(path: &str, body: &str, range: Option<(i128, i128)>, chars_max: usize) -> CommandResult {
    let lines = lines_of(body);
    if lines.len() > limits::FILE_LINES_MAX {
        return Err(format!("File {path} exceeds maximum line limit of 999,999 lines."));
    }
    let head = format!("Here's the content of {path} with line numbers:\n");
    let Some((first, last)) = range else {
        let fitting = fitting(&lines, chars_max);
        if fitting < lines.len() {
            let shown = numbered(&lines, 1, fitting);
            let parting = if shown.is_empty() { "" } else { "\n" };
            return Ok(format!(
                "{head}{shown}{parting}[truncated: lines 1-{fitting} of {} shown; use view_range to see the rest]",
                lines.len()
            ));
        }
        return Ok(format!("{head}{}", numbered(&lines, 1, lines.len())));
    };
    let (from, to) = bounds(first, last, lines.len())?;
    Ok(format!("{head}{}", numbered(&lines, from, to)))
}

/// Returns the lines of a file: split at LF only, without a line after the last LF. An empty file
/// has one empty line.
pub(super) fn lines_of(body: &str) -> Vec<&str> {
    body.strip_suffix('\n').unwrap_or(body).split('\n').collect()
}

/// Returns the number of whole lines, from the first, that fit into this number of characters. Line
/// ends count.
fn fitting(lines: &[&str], chars_max: usize) -> usize {
    let last = lines.len().saturating_sub(1);
    let mut chars = 0;
    lines
        .iter()
        .enumerate()
        .take_while(|(at, line)| {
            chars += line.chars().count();
            let fits = chars <= chars_max;
            chars += usize::from(*at < last);
            fits
        })
        .count()
}

fn bounds(first: i128, last: i128, count: usize) -> std::result::Result<(usize, usize), String> {
    let all = i128::try_from(count).unwrap_or(i128::MAX);
    let from = first.max(1);
    if from > all {
        return Err(format!(
            "Invalid `view_range` parameter: [{first}, {last}]. Its first element `{first}` should be within the range \
             of lines of the file: [1, {count}]"
        ));
    }
    let to = if last == -1 { all } else { last.min(all) };
    if to < from {
        return Err(format!(
            "Invalid `view_range` parameter: [{first}, {last}]. Its second element `{last}` should be -1 or not less \
             than the first"
        ));
    }
    Ok((usize::try_from(from).unwrap_or(1), usize::try_from(to).unwrap_or(count)))
}

/// Returns the lines `from` to `to`, both included and counted from 1, with their numbers.
pub(super) fn numbered(lines: &[&str], from: usize, to: usize) -> String {
    let shown = lines.iter().enumerate().take(to).skip(from.saturating_sub(1));
    shown.map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect::<Vec<_>>().join("\n")
}
