//! Derived names of a record that has none: its directory, title, description and path.
//!
//! They are computed once, when a record enters a tree. The caller stores them.

use loci_model::Result;
use loci_model::record::RecordKind;
use loci_text::normalise_exact;
use loci_text::sections::{first_heading, first_paragraph};
use loci_text::split::sentences;

use super::path::{DocumentPath, PathKey};
use super::slug::{file_stem, free_path};

/// The maximum number of characters in a title derived from a body.
pub const TITLE_CHARS_MAX: usize = 60;
/// The maximum number of characters in a description derived from a body.
pub const DESCRIPTION_CHARS_MAX: usize = 120;

/// Returns the directory for records of this kind, from the top of the tree. Each strategy creates
/// one kind.
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

/// Returns the path of a record that has none, in the given directory. The name comes from the
/// title or the body and is not yet taken.
///
/// # Errors
/// Errors of `taken`; `Conflict` if no free name is found.
pub fn derived_path(
    directory: &str,
    title: Option<&str>,
    body: &str,
    taken: impl FnMut(&DocumentPath, &PathKey) -> Result<bool>,
) -> Result<DocumentPath> {
    free_path(directory, &file_stem(title, body), taken)
}

/// Returns a title for a body: its first heading, else its first sentence, else an empty text. A
/// shortened title ends in `…`.
#[must_use]
pub fn derived_title(body: &str) -> String {
    shortened(&named_by(body), TITLE_CHARS_MAX)
}

/// Returns a description for a body in one line: the first sentence outside of headings, else the
/// heading, else an empty text.
#[must_use]
pub fn derived_description(body: &str) -> String {
    let sentence = first_sentence(first_paragraph(body).unwrap_or_default());
    shortened(&if sentence.is_empty() { named_by(body) } else { sentence }, DESCRIPTION_CHARS_MAX)
}

/// Returns the source of a slug: the title, else the heading, else at most sixty characters of the
/// first sentence.
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

/// Returns the first sentence with a letter or digit, in one line, without the mark of a list or
/// quotation before it.
fn first_sentence(text: &str) -> String {
    let said = |sentence: &&str| sentence.chars().any(char::is_alphanumeric);
    let sentence = sentences(text).into_iter().find(said).unwrap_or_default();
    let bare = sentence.trim_start().trim_start_matches(['-', '*', '+', '>', ' ', '\t']);
    normalise_exact(&bare.replace(|c: char| c.is_control(), " "))
}

/// Returns the text, shortened to `chars_max` characters with `…` at its end. It cuts at a word's
/// end if there is one in the second half.
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
