//! A document as a file whose first line is its heading, and back: what layouts share that know no frontmatter. A document that was written as
//! a whole file stays one.

use loci_engine::document_text::{DocumentContent, derived_title};

/// The first line of a file, without its end.
pub(super) fn first_line(file: &str) -> &str {
    file.lines().next().unwrap_or_default()
}

/// The text of a file's first line, and everything below.
pub(super) fn heading_and_rest(file: &str) -> (&str, &str) {
    let (first, rest) = file.split_once('\n').unwrap_or((file, ""));
    (first.trim_start_matches('#').trim(), rest)
}

/// The document as a file: its text alone where it is a whole file, or begins with its title already; else its title above its text.
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

/// What a document says whose file is this by now. What stands in its head stays, where the file can be written so again; else it is the file.
pub(super) fn under_heading(before: &DocumentContent, file: &str) -> DocumentContent {
    if before.is_raw {
        return before.clone().with_body(file.to_owned());
    }
    let (heading, rest) = heading_and_rest(file);
    let below =
        DocumentContent { title: Some(heading.to_owned()), ..before.clone().with_body(rest.to_owned()) };
    let within = before.clone().with_body(file.to_owned());
    let whole = DocumentContent { scope: before.scope.clone(), ..DocumentContent::raw(file.to_owned()) };
    // The heading stays where it stood: in the text, or above it.
    let ways = if headed(before) == before.body { [within, below] } else { [below, within] };
    ways.into_iter().find(|content| headed(content) == file).unwrap_or(whole)
}
