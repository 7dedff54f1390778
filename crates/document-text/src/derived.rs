//! What a record that nobody named is called: its directory, title, description and path.
//!
//! Computed once, when a record comes into a tree; keeping it is the caller's matter.

use loci_model::Result;
use loci_model::record::RecordKind;
use loci_text::normalise_exact;
use loci_text::sections::{first_heading, first_paragraph};
use loci_text::split::sentences;

use super::path::{DocumentPath, PathKey};
use super::slug::{file_stem, free_path};

/// Characters of a title that was made of a body.
pub const TITLE_CHARS_MAX: usize = 60;
/// Characters of a description that was made of a body.
pub const DESCRIPTION_CHARS_MAX: usize = 120;

/// Where a record of this kind lies, from the top of its tree: strategies make one kind each.
#[must_use]
pub fn derived_directory(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Preference => "knowledge/preferences",
        RecordKind::Summary => "knowledge/summaries",
        RecordKind::Episode => "knowledge/episodes",
        RecordKind::Reflection => "knowledge/insights",
        RecordKind::Fact | RecordKind::Rule | RecordKind::Investigation | RecordKind::Document => {
            "knowledge/facts"
        }
    }
}

/// The path of a record that has none, in its kind's directory or a numbered one next to it: a name
/// made of its title or body that is not taken.
///
/// # Errors
/// Those of `taken`; `Conflict` where every name is taken.
pub fn derived_path(
    directory: &str,
    title: Option<&str>,
    body: &str,
    taken: impl FnMut(&DocumentPath, &PathKey) -> Result<bool>,
) -> Result<DocumentPath> {
    free_path(directory, &file_stem(title, body), taken)
}

/// A title of a body: its first heading, else its first sentence; empty where it has neither. What is cut ends in `…`.
#[must_use]
pub fn derived_title(body: &str) -> String {
    shortened(&named_by(body), TITLE_CHARS_MAX)
}

/// A description of a body in one line: the first sentence that is no heading, else the heading; empty where it has neither.
#[must_use]
pub fn derived_description(body: &str) -> String {
    let sentence = first_sentence(first_paragraph(body).unwrap_or_default());
    shortened(&if sentence.is_empty() { named_by(body) } else { sentence }, DESCRIPTION_CHARS_MAX)
}

/// What a slug is made of: the title, else the heading, else at most sixty characters of the first sentence.
pub(crate) fn slug_source(title: Option<&str>, body: &str) -> String {
    if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
        return title.to_owned();
    }
    match first_heading(body) {
        Some(heading) => heading.to_owned(),
        None => first_sentence(body).chars().take(TITLE_CHARS_MAX).collect(),
    }
}

fn named_by(body: &str) -> String {
    first_heading(body).map_or_else(|| first_sentence(body), normalise_exact)
}

/// The first sentence that says something, without the mark of a list or quotation before it, in one line.
fn first_sentence(text: &str) -> String {
    let said = |sentence: &&str| sentence.chars().any(char::is_alphanumeric);
    let sentence = sentences(text).into_iter().find(said).unwrap_or_default();
    let bare = sentence.trim_start().trim_start_matches(['-', '*', '+', '>', ' ', '\t']);
    normalise_exact(&bare.replace(|c: char| c.is_control(), " "))
}

/// The text, or as much of it as fits with `…` behind it, up to a word's end where there is one in its second half.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    if let Some(space) = kept.rfind(' ').filter(|space| *space > kept.len() / 2) {
        kept.truncate(space);
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_and_descriptions() {
        let check = |body: &str, title: &str, description: &str| {
            assert_eq!(derived_title(body), title, "{body:?}");
            assert_eq!(derived_description(body), description, "{body:?}");
        };
        check("# Editor theme\n\n- User wants dark mode. Always.\n", "Editor theme", "User wants dark mode.");
        check("User wants\ndark mode. Always.", "User wants dark mode.", "User wants dark mode.");
        check("# Topic", "Topic", "Topic");
        check("- one\n- Two\n", "one", "one");
        check("", "", "");
        check("---\n***\n", "", "");
        check("日本語の文。次の文。", "日本語の文。", "日本語の文。");
        check("Tab\there.", "Tab here.", "Tab here.");
        let long = "word ".repeat(40);
        assert_eq!(derived_title(&long).chars().count(), 55);
        assert!(derived_description(&long).ends_with("word…"));
    }

    #[test]
    fn where_records_lie() {
        let check = |kind: RecordKind, expect: &str| {
            let directory = derived_directory(kind);
            let path = derived_path(directory, Some("One thing"), "body", |_, _| Ok(false)).unwrap();
            assert_eq!(path.as_str(), expect);
        };
        check(RecordKind::Fact, "knowledge/facts/one-thing.md");
        check(RecordKind::Preference, "knowledge/preferences/one-thing.md");
        check(RecordKind::Summary, "knowledge/summaries/one-thing.md");
        check(RecordKind::Episode, "knowledge/episodes/one-thing.md");
        check(RecordKind::Reflection, "knowledge/insights/one-thing.md");
        check(RecordKind::Rule, "knowledge/facts/one-thing.md");
    }

    proptest! {
        #[test]
        fn what_is_derived_is_one_short_line(body in any::<String>()) {
            let (title, description) = (derived_title(&body), derived_description(&body));
            prop_assert!(title.chars().count() <= TITLE_CHARS_MAX && !title.contains(['\n', '\r']));
            prop_assert!(description.chars().count() <= DESCRIPTION_CHARS_MAX && !description.contains(['\n', '\r']));
        }
    }
}
