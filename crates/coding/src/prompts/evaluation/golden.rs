//! The labelled set: sessions and reviews, with the items that an answer must contain. Written for
//! this project.

use loci_api::coding::extraction_prompt::PromptQuestion;
use loci_engine::safety::for_model;
use loci_engine::strategies::model_questions::prompt_input::block;
use loci_model::tasks::review::{Authority, ForgeUser, RepositoryRole, Review, ReviewComment, ReviewState};
use loci_model::{ActorId, Error, MemoryId, RepositoryId, Result, Timestamp};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::prompts::extraction::ExtractionPrompt;
use crate::rules::extraction::model_question;

const GOLDEN: &str = include_str!("golden.jsonl");
/// The repository of all cases.
pub(super) const REPO: &str = "acme/shop";
/// The prompt for reviews.
pub(super) const REVIEW_RULES: &str = "review_rules";
/// The time of all reviews, which lines of an answer must name.
const DAY: &str = "2026-11-20T09:00:00Z";

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct GoldenCase {
    pub(super) id: String,
    pub(super) prompt: String,
    /// Lines of a session, or comments of a review.
    pub(super) shown: Vec<String>,
    /// Expected items, each as the words that it must contain.
    pub(super) expect: Vec<Vec<String>>,
    /// Words that no item may contain.
    #[serde(default)]
    pub(super) forbid: Vec<String>,
}

/// Returns the cases of a prompt.
///
/// # Errors
/// A bug, if the built-in set cannot be read.
pub(super) fn cases(prompt: &str) -> Result<Vec<GoldenCase>> {
    let broken = |error| Error::bug("the labelled set cannot be read").caused_by(error);
    let all: Vec<GoldenCase> =
        GOLDEN.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(broken)?;
    Ok(all.into_iter().filter(|case| case.prompt == prompt).collect())
}

/// Returns the digest of the set.
pub(super) fn digest() -> String {
    hex::encode(Sha256::digest(GOLDEN)).chars().take(16).collect()
}

impl GoldenCase {
    /// Returns the question of the case for a version of its prompt.
    ///
    /// # Errors
    /// A bug, if the case is invalid.
    pub(super) fn question(&self, prompt: &ExtractionPrompt) -> Result<PromptQuestion> {
        let system = prompt.text_for(REPO);
        let input = if self.prompt == REVIEW_RULES {
            let asked = model_question::question(&self.review()?, &system, prompt.version, day()?)?;
            asked.map(|asked| asked.question.input).ok_or_else(|| Error::bug("a case without comments"))?
        } else {
            let lines: Vec<_> = self.shown.iter().map(|line| json!({ "said": for_model(line) })).collect();
            block("session", &lines)
        };
        Ok(PromptQuestion { case: self.id.clone(), system: system.trim().to_owned(), input })
    }

    /// Returns the review of a case: one maintainer, one comment for each line.
    pub(super) fn review(&self) -> Result<Review> {
        let at = day()?;
        let reviewer = ForgeUser { id: 1, login: "alice".to_owned(), is_bot: false };
        let comment = |(number, body): (u64, &String)| ReviewComment {
            id: number,
            author: reviewer.clone(),
            path: Some("src/orders.ts".to_owned()),
            line: Some(4),
            diff_hunk: None,
            body: body.clone(),
            in_reply_to: None,
            is_outdated: None,
            authority: None,
            is_resolved: None,
            url: None,
            created_at: at,
            updated_at: at,
        };
        Ok(Review {
            memory: MemoryId::parse("evaluation-0000000000")?,
            actor: ActorId::parse(REPO)?,
            repository: RepositoryId::parse("repo-0000000000000000")?,
            pr: 42,
            id: 7,
            reviewer: reviewer.clone(),
            authority: Authority { role: RepositoryRole::Maintain, ..Authority::default() },
            pr_author: ForgeUser { id: 2, login: "bob".to_owned(), is_bot: false },
            state: ReviewState::ChangesRequested,
            body: String::new(),
            comments: (1..).zip(&self.shown).map(comment).collect(),
            commit: None,
            url: None,
            task: None,
            left_out: None,
            is_past: false,
            submitted_at: at,
            updated_at: at,
            read_at: at,
        })
    }
}

/// Returns the time of all cases.
///
/// # Errors
/// Never: the constant is a valid time.
pub(super) fn day() -> Result<Timestamp> {
    Timestamp::parse(DAY)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_set_is_sound() {
        let mut ids = BTreeSet::new();
        for prompt in ["learnings", "self_feedback", REVIEW_RULES] {
            let cases = cases(prompt).unwrap();
            assert!(cases.len() >= 6, "{prompt}");
            assert!(cases.iter().any(|case| case.expect.is_empty()), "{prompt}: nothing to be said");
            assert!(cases.iter().any(|case| !case.forbid.is_empty()), "{prompt}: an injection");
            for case in &cases {
                assert!(ids.insert(case.id.clone()), "{}", case.id);
                let shown = case.shown.join("\n").to_lowercase();
                for words in case.expect.iter().flatten().chain(&case.forbid) {
                    assert!(shown.contains(&words.to_lowercase()), "{}: {words}", case.id);
                }
                assert_eq!(case.review().unwrap().comments.len(), case.shown.len());
            }
        }
        assert_eq!(ids.len(), GOLDEN.lines().count(), "a case of no prompt");
    }
}
