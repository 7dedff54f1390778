//! Conversion of a document to a file whose first line is its heading, and back, for layouts
//! without frontmatter. A document that was written as a whole file stays one.

use loci_engine::document_text::{DocumentContent, derived_title};

/// Returns the first line of a file, without its end.
pub(super) fn first_line(file: &str) -> &str {
    file.lines().next().unwrap_or_default()
}

/// Returns the text of a file's first line, and the rest below.
pub(super) fn heading_and_rest(file: &str) -> (&str, &str) {
    let (first, rest) = file.split_once('\n').unwrap_or((file, ""));
    (first.trim_start_matches('#').trim(), rest)
}

/// Returns the document as a file: only its text, if it is a whole file or already begins with its
/// title; else its title above its text.
pub(super) fn headed(content: &DocumentContent) -> String {
    if content.is_raw {
        return content.body.clone();
    }
    let (first, _) = heading_and_rest(&content.body);
    let title = content.title.clone().unwrap_or_else(|| derived_title(&content.body));
    if content.body.starts_with('#') && first == title.trim() {
        return content.body.clone();
    }
    format!("# {}\n{}", title.trim(), content.body)
}

/// Returns the content of a document with this changed file. The members of its head stay, if the
/// file can be written that way again; else the content is the whole file.
pub(super) fn under_heading(before: &DocumentContent, file: &str) -> DocumentContent {
    if before.is_raw {
        return before.clone().with_body(file.to_owned());
    }
    let (heading, rest) = heading_and_rest(file);
    let below =
        DocumentContent { title: Some(heading.to_owned()), ..before.clone().with_body(rest.to_owned()) };
    let within = before.clone().with_body(file.to_owned());
    let whole = DocumentContent { scope: before.scope.clone(), ..DocumentContent::raw(file.to_owned()) };
    // The heading keeps its position: in the text, or above it.
    let ways = if headed(before) == before.body { [within, below] } else { [below, within] };
    ways.into_iter().find(|content| headed(content) == file).unwrap_or(whole)
}
