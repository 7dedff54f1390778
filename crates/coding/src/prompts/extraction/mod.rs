//! The prompts by which agents report learnings and self-feedback at the end of a task, and by
//! which rules are extracted from a review. They are files of this binary, each in immutable
//! versions: a report names the version of its prompt. `learnings` reads the answers to the first
//! two prompts. The operator passes them to agents; no code here calls a model. In addition, a
//! memory may have versions of its own (`memory_prompts`).
//!
//! To change a text: a file with the next number, one line in [`SHIPPED`]. Never edit a released
//! version.

mod memory_prompts;

use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, ErrorKind, MemoryId, Result, Timestamp};

use crate::Coding;
pub(crate) use memory_prompts::current;
pub use memory_prompts::{ExtractionPromptChanged, NewExtractionPrompt, OWN_FROM};

/// The placeholder of the repository in a text.
const REPO: &str = "{repo}";

/// One version of a prompt that is part of the binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ShippedPrompt {
    name: &'static str,
    /// The version, from 1, below [`OWN_FROM`].
    version: u32,
    text: &'static str,
}

/// All shipped versions, by name, the oldest first.
static SHIPPED: &[ShippedPrompt] = &[
    ShippedPrompt { name: "learnings", version: 1, text: include_str!("texts/learnings.v1.md") },
    ShippedPrompt { name: "self_feedback", version: 1, text: include_str!("texts/self_feedback.v1.md") },
    ShippedPrompt { name: "review_rules", version: 1, text: include_str!("texts/review_rules.v1.md") },
];

/// One version of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionPrompt {
    /// The name of the prompt: `learnings`, `self_feedback`, `review_rules`.
    pub name: String,
    /// The version: from 1 if shipped, from [`OWN_FROM`] if it belongs to the memory.
    pub version: u32,
    /// The text; `{repo}` stands for `owner/name`.
    pub text: String,
    /// The author's note.
    pub note: Option<String>,
    /// The time at which it was stored; `None` for a shipped version.
    pub created_at: Option<Timestamp>,
    /// True if it is the current version, which agents receive.
    pub is_current: bool,
}

impl ExtractionPrompt {
    fn of(shipped: &ShippedPrompt) -> Self {
        Self {
            name: shipped.name.to_owned(),
            version: shipped.version,
            text: shipped.text.to_owned(),
            note: None,
            created_at: None,
            is_current: false,
        }
    }

    /// Returns the name with the version, as in reports: `learnings@1`.
    pub fn id(&self) -> String {
        id_of(&self.name, self.version)
    }

    /// Returns the text for a repository.
    pub fn text_for(&self, repo: &str) -> String {
        self.text.replace(REPO, repo)
    }
}

fn id_of(name: &str, version: u32) -> String {
    format!("{name}@{version}")
}

/// Returns the names of all prompts, each once.
fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().filter(|one| one.version == 1).map(|one| one.name)
}

/// Returns the shipped versions of a prompt, the oldest first.
fn shipped(name: &str) -> impl Iterator<Item = &'static ShippedPrompt> {
    SHIPPED.iter().filter(move |one| one.name == name)
}

fn unknown(id: &str, all: &[ExtractionPrompt]) -> Error {
    let ids: Vec<String> = all.iter().map(ExtractionPrompt::id).collect();
    Error::not_found(format!("there is no extraction prompt {id} here: there are {}", ids.join(", ")))
        .on("name")
}

impl Coding {
    /// Returns all versions of all prompts, by name, the oldest first. Every caller of the server
    /// may read the shipped ones, which contain no private data. Those of a memory require read
    /// access to some of its records.
    ///
    /// # Errors
    /// `NotFound` for a named memory that does not exist.
    pub async fn extraction_prompts(
        &self,
        caller: &Principal,
        standing: &CallContext,
    ) -> Result<Vec<ExtractionPrompt>> {
        let memory = self.memory_of_prompts(caller, standing).await?;
        self.engine
            .store()
            .read(move |tx| {
                let of = |name| memory_prompts::versions(tx, memory.as_ref(), name);
                Ok(names().map(of).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
            })
            .await
    }

    /// Returns a prompt by its name with its version, `learnings@1`; by its name alone, the current
    /// one.
    ///
    /// # Errors
    /// `NotFound`, naming the existing prompts.
    pub async fn extraction_prompt(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &str,
    ) -> Result<ExtractionPrompt> {
        let all = self.extraction_prompts(caller, standing).await?;
        let found = all.iter().find(|one| one.id() == id || (one.name == id && one.is_current));
        found.cloned().ok_or_else(|| unknown(id, &all))
    }

    /// Returns the memory with versions of its own that a caller may read, if there is one.
    async fn memory_of_prompts(
        &self,
        caller: &Principal,
        standing: &CallContext,
    ) -> Result<Option<MemoryId>> {
        match self.verified.code_memory(caller, standing).await {
            Ok(memory) => {
                Ok(access::record_view(caller, &memory, Capability::Read).is_ok().then_some(memory))
            }
            Err(error) if error.kind == ErrorKind::NotFound && standing.memory.is_none() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use loci_engine::strategies::learnings::{self, Category};

    fn text(name: &str) -> &'static str {
        SHIPPED.iter().rfind(|one| one.name == name).unwrap().text
    }

    /// Returns the example paragraphs of a text: from "For example:" up to the first one without a
    /// topic.
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
            "review_rules",
            &[
                "{repo}",
                "not trusted",
                "in English",
                "fence",
                "NO_RULES_EXTRACTED",
                "future task",
                "EXAMPLE",
                "question",
            ],
        );
        check(
            "review_rules",
            &["address", "command for a shell", "override", "one clear sentence", "identifier"],
        );
        check(
            "self_feedback",
            &["review", "failing test", "relations between modules", "set-up", "well or badly"],
        );
    }

    #[test]
    fn a_version_stays_as_it_is() {
        let check = |id: &str, expect: &str| {
            let found = SHIPPED.iter().find(|one| id_of(one.name, one.version) == id).unwrap();
            assert_eq!(&hex::encode(Sha256::digest(found.text))[..16], expect, "{id}");
        };
        check("learnings@1", "35de530be450af32");
        check("self_feedback@1", "2bb06f843aa2da0e");
        check("review_rules@1", "70e519a64e0280da");
        assert!(
            ExtractionPrompt::of(&SHIPPED[0]).text_for("acme/shop").contains("the repository acme/shop.")
        );
        assert!(SHIPPED.iter().all(|one| one.version < OWN_FROM));
    }
}
