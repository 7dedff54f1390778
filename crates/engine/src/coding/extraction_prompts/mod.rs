//! The prompts by which agents say at the end of a task what they learned and what they lacked (coding-agent-memory.md §17.1, §17.2).
//! They are files of this binary, each in versions that stay as they are: what an agent wrote says by which version it was asked. What they
//! ask for is what `learnings` reads. Agents are given them by whoever runs them; nothing here asks a model.
//!
//! To change a text: a file of the next number, one line in [`SHIPPED`]; never edit one that was released.

use loci_model::principal::Principal;
use loci_model::{Error, Result};

use crate::Engine;

/// What stands in a text for the repository.
const REPO: &str = "{repo}";

/// One version of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionPrompt {
    /// Which prompt: `learnings`, `self_feedback`.
    pub name: &'static str,
    /// Its version, from 1.
    pub version: u32,
    /// The text; `{repo}` stands for `owner/name`.
    pub text: &'static str,
}

/// All versions, by name, oldest first.
static SHIPPED: &[ExtractionPrompt] = &[
    ExtractionPrompt { name: "learnings", version: 1, text: include_str!("texts/learnings.v1.md") },
    ExtractionPrompt { name: "self_feedback", version: 1, text: include_str!("texts/self_feedback.v1.md") },
];

impl ExtractionPrompt {
    /// Its name with its version, as reports name it: `learnings@1`.
    pub fn id(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// Whether it is the newest of its name.
    pub fn is_current(&self) -> bool {
        SHIPPED.iter().rfind(|one| one.name == self.name).is_some_and(|newest| newest.version == self.version)
    }

    /// The text for a repository.
    pub fn text_for(&self, repo: &str) -> String {
        self.text.replace(REPO, repo)
    }
}

impl Engine {
    /// All prompts in all versions, by name, oldest first. Whoever may ask the server may read them: they hold nothing of anybody's.
    pub fn extraction_prompts(&self, _caller: &Principal) -> &'static [ExtractionPrompt] {
        SHIPPED
    }

    /// A prompt by its name with its version, `learnings@1`; by its name alone the current one.
    ///
    /// # Errors
    /// `NotFound`, naming those that are there.
    pub fn extraction_prompt(&self, _caller: &Principal, id: &str) -> Result<ExtractionPrompt> {
        let found = SHIPPED.iter().find(|one| one.id() == id || (one.name == id && one.is_current()));
        let missing = || {
            let ids: Vec<String> = SHIPPED.iter().map(ExtractionPrompt::id).collect();
            let message = format!("there is no extraction prompt {id} here: there are {}", ids.join(", "));
            Error::not_found(message).on("name")
        };
        found.copied().ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::coding::learnings::{self, Category};

    fn text(name: &str) -> &'static str {
        SHIPPED.iter().rfind(|one| one.name == name).unwrap().text
    }

    /// The paragraphs that a text gives as an example: from "For example:" up to the first that has no topic.
    fn example(text: &str) -> String {
        let (_, behind) = text.split_once("For example:\n\n").unwrap();
        let paragraphs = behind.split("\n\n").take_while(|paragraph| paragraph.starts_with("**["));
        paragraphs.collect::<Vec<_>>().join("\n\n")
    }

    #[test]
    fn what_they_ask_for_is_what_is_read() {
        let learned = learnings::parse(&example(text("learnings")));
        let heads: Vec<_> =
            learned.iter().map(|one| (one.topic.as_deref(), one.scope.as_deref(), one.is_vague)).collect();
        let auth = (Some("Auth module"), Some("module:auth"), false);
        assert_eq!(heads, [auth, (Some("Build set-up"), None, false)]);
        assert_eq!(learned[1].category, Some(Category::parse("tooling").unwrap()));
        assert!(learned[0].text.starts_with("`SessionStore::get`"), "{}", learned[0].text);
        let missed = learnings::parse(&example(text("self_feedback")));
        let scopes: Vec<_> = missed.iter().map(|one| one.scope.as_deref()).collect();
        assert_eq!(scopes, [Some("src/db/**"), Some("module:api")]);
    }

    #[test]
    fn nothing_is_said_as_it_is_read() {
        for name in ["learnings", "self_feedback"] {
            let last = text(name).trim_end().lines().last().unwrap();
            assert!(learnings::parse(last).is_empty(), "{name}: {last}");
        }
        assert!(text("learnings").ends_with("No new repository learnings.\n"));
        assert!(text("self_feedback").ends_with("No missing context identified.\n"));
    }

    #[test]
    fn what_the_specification_demands_is_in_them() {
        let check = |name: &str, words: &[&str]| {
            let text = text(name).to_lowercase();
            words.iter().for_each(|word| assert!(text.contains(&word.to_lowercase()), "{name}: {word}"));
        };
        let both = [
            "{repo}",
            "CLAUDE.md",
            "README",
            "CONTRIBUTING",
            "secret",
            "not trusted",
            "in English",
            "nothing",
        ];
        check("learnings", &both);
        check("self_feedback", &both);
        check(
            "learnings",
            &["architecture and structure", "conventions", "environment and tooling", "gotchas and traps"],
        );
        check(
            "learnings",
            &[
                "different task",
                "path",
                "command",
                "this task alone",
                "seen neither",
                "part of the code base",
            ],
        );
        check("self_feedback", &["missing", "information, context or instruction", "only by exploration"]);
        check(
            "self_feedback",
            &["review", "failing test", "relations between modules", "set-up", "well or badly"],
        );
    }

    #[test]
    fn a_version_stays_as_it_is() {
        let check = |id: &str, expect: &str| {
            let found = SHIPPED.iter().find(|one| one.id() == id).unwrap();
            assert_eq!(&hex::encode(Sha256::digest(found.text))[..16], expect, "{id}");
        };
        check("learnings@1", "35de530be450af32");
        check("self_feedback@1", "2bb06f843aa2da0e");
        assert!(SHIPPED.iter().all(ExtractionPrompt::is_current));
        assert!(SHIPPED[0].text_for("acme/shop").contains("the repository acme/shop."));
    }
}
