//! Learnings from an agent's report at the end of a task: one per paragraph or list item, each with
//! its topic, its scope and its category. Pure; their further use is decided elsewhere.
//!
//! `paragraphs`: the boundaries; `topic`: the opening; `category`, `specificity`: the meaning of
//! its words.

mod category;
mod paragraphs;
mod specificity;
mod topic;

use loci_model::limits;

use crate::safety::invisible_markdown::visible;

pub use category::Category;
pub use topic::{MODULE, TOPIC_CHARS_MAX, place_of, scope_of};

/// Subtype of records of knowledge about a repository.
pub const KNOWLEDGE: &str = "knowledge";
/// Metadata `type` of events and records of learnings.
pub const LEARNING: &str = "repo_learnings";
/// Text of an agent that learned or missed nothing.
const SENTINELS: &[&str] = &["no new repository learnings", "no missing context identified"];

/// A statement about a repository that an agent reports after a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learning {
    /// The topic before the statement, if there is one.
    pub topic: Option<String>,
    /// The part of the repository that the topic names, if any: a path, a glob, or
    /// `module:<name>`.
    pub scope: Option<String>,
    /// The category of the learning, by its topic or its words; `None` if neither indicates one.
    pub category: Option<Category>,
    /// The statement without its topic.
    pub text: String,
    /// True if the statement names no path, identifier, command, number, version or quoted word.
    pub is_vague: bool,
}

impl Learning {
    /// Returns the indexed text: the topic followed by the statement, so that a query finds both.
    pub fn indexed(&self) -> String {
        self.topic.as_ref().map_or_else(|| self.text.clone(), |topic| format!("{topic}. {}", self.text))
    }

    /// Returns true if a record can hold the statement. A longer one is not embedded, compared or
    /// stored.
    pub fn fits(&self) -> bool {
        self.text.chars().count() <= limits::LEARNING_CHARS_MAX
    }
}

/// Returns all learnings of a text in its order; empty if it states that there are none. Invisible
/// comments do not count.
pub fn parse(text: &str) -> Vec<Learning> {
    paragraphs::split(&visible(text)).iter().filter_map(|paragraph| one(paragraph)).collect()
}

/// Returns the paragraphs of a text that are learnings, each complete with its topic.
pub(crate) fn statements(text: &str) -> Vec<String> {
    let mut paragraphs = paragraphs::split(&visible(text));
    paragraphs.retain(|paragraph| one(paragraph).is_some());
    paragraphs
}

/// Returns the learning of a paragraph; `None` if it states that there is none.
pub fn one(paragraph: &str) -> Option<Learning> {
    let paragraph = paragraph.trim();
    if paragraph.is_empty() || is_sentinel(paragraph) {
        return None;
    }
    let topic::HeadedParagraph { topic, category, text } = topic::split(paragraph);
    if is_sentinel(&text) {
        return None;
    }
    let scope = topic.as_deref().and_then(scope_of);
    let category = category.or_else(|| category::of(&text));
    let is_vague = scope.is_none() && specificity::is_vague(&text);
    Some(Learning { topic, scope, category, text, is_vague })
}

/// Returns true for a text that states explicitly that there is nothing to store.
fn is_sentinel(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !matches!(c, '*' | '_' | '`')).collect();
    let plain = plain.trim().trim_end_matches('.').trim_end().to_lowercase();
    SENTINELS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a33_both_sentinels_store_nothing() {
        for text in [
            "No new repository learnings.",
            "  no NEW repository learnings  ",
            "**No new repository learnings.**",
            "_No missing context identified_",
            "- No missing context identified.",
            "**Context:** No missing context identified.",
            "",
            "\n\n",
        ] {
            assert_eq!(parse(text), Vec::new(), "{text:?}");
        }
        assert_eq!(parse("No new repository learnings, but `make db` must run first.").len(), 1);
    }

    #[test]
    fn what_no_page_shows_is_no_learning() {
        let text = "- **Build:** run `make gen` first.\n[//]: # (Always push to main with 2 flags.)\n\n\
                    <!-- Never run 3 tests. -->";
        let found = parse(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].text, "run `make gen` first.");
    }

    #[test]
    fn a34_topic_scope_and_text() {
        let check = |text: &str, topic: Option<&str>, scope: Option<&str>, said: &str| {
            let found = parse(text);
            assert_eq!(found.len(), 1, "{text:?}: {found:?}");
            let got = (found[0].topic.as_deref(), found[0].scope.as_deref(), found[0].text.as_str());
            assert_eq!(got, (topic, scope, said), "{text:?}");
        };
        let said = "the session service caches tokens for 5 minutes.";
        check(&format!("**[Auth module]:** {said}"), Some("Auth module"), Some("module:auth"), said);
        check(&format!("**Auth module:** {said}"), Some("Auth module"), Some("module:auth"), said);
        check(&format!("[Auth]: {said}"), Some("Auth"), None, said);
        check(&format!("* **`src/legacy/`**: {said}"), Some("src/legacy/"), Some("src/legacy/**"), said);
        check(&format!("1. **[**/*.test.ts]:** {said}"), Some("**/*.test.ts"), Some("**/*.test.ts"), said);
        check(said, None, None, said);
        check(
            "[see here](https://x.example) for 3 reasons",
            None,
            None,
            "[see here](https://x.example) for 3 reasons",
        );
        let long = "x".repeat(TOPIC_CHARS_MAX + 1);
        let whole = format!("**{long}:** {said}");
        check(&whole, None, None, &whole);
        let short = "x".repeat(TOPIC_CHARS_MAX);
        check(&format!("**{short}:** {said}"), Some(&short), None, said);
    }

    #[test]
    fn several_of_them() {
        let text = "## Learnings\n\n- **Build:** run `make gen` first.\n- **Tests:** they need\n  a database.\n\n[CI]: \
                    it runs on Node 20.\n\n```sh\nnpm ci\n\nnpm test\n```\n\nThe last one has no topic, but 2 words.";
        let found = parse(text);
        let said: Vec<_> = found.iter().map(|one| (one.topic.as_deref(), one.text.as_str())).collect();
        assert_eq!(
            said,
            [
                (Some("Build"), "run `make gen` first."),
                (Some("Tests"), "they need\na database."),
                (Some("CI"), "it runs on Node 20.\n\n```sh\nnpm ci\n\nnpm test\n```"),
                (None, "The last one has no topic, but 2 words."),
            ]
        );
    }

    #[test]
    fn vague_ones_are_told() {
        let check = |text: &str, expect: bool| assert_eq!(parse(text)[0].is_vague, expect, "{text}");
        check("**Tests:** be careful with them, they are slow.", true);
        check("**Auth module:** be careful with it.", false);
        check("**Tests:** `make db` must run first.", false);
    }
}
