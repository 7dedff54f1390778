//! The request of a hydration, and its checks. An invalid request is an error of the caller; no
//! part of it is adjusted silently.

use std::collections::BTreeSet;

use loci_api::coding::hydration::PromptSource;
use loci_model::tasks::task::Task;
use loci_model::{Error, Result, limits};
use loci_text::tokens::Estimator;
use loci_verified::check_revision;

use super::kind::HydrationKind;
use super::named_docs::check_digests;
use crate::prompts::task_prompt;
use crate::settings::CodingSettings;
use crate::tasks::field_checks;

/// A request for the memory of a task or repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hydration {
    /// The query; `None`: the task's description.
    pub query: Option<String>,
    /// Files, directories and patterns that the task concerns.
    pub paths: Vec<String>,
    /// The user whose preferences are read; `None`: the task's user. A request for a task may name
    /// only that user.
    pub user: Option<String>,
    /// The branch at which citations are verified.
    pub reference: Option<String>,
    /// The commit at which citations are verified, in place of a branch.
    pub commit: Option<String>,
    /// The budget in tokens; `None`: as configured.
    pub budget_tokens: Option<u32>,
    /// The token estimator; `None`: as configured.
    pub estimator: Option<Estimator>,
    /// The time limit in milliseconds; `None`: as configured.
    pub timeout_ms: Option<u64>,
    /// Digests of documents that the prompt already contains. Records that repeat them are left
    /// out.
    pub excluded_docs: Vec<String>,
    /// The requested kinds; `None`: all.
    pub include: Option<BTreeSet<HydrationKind>>,
    /// True to add themes of self-feedback to the knowledge. Applies if `include` is set.
    pub themes: bool,
    /// True to add files that often change with those of `paths`. Applies if `include` is set.
    pub graph: bool,
    /// The sources of the user prompt; `None`: no user prompt is requested.
    pub sources: Option<Vec<PromptSource>>,
}

impl Hydration {
    /// Checks the shape of the request.
    pub(super) fn check(&self) -> Result<()> {
        field_checks::name("user", self.user.as_ref())?;
        if let Some(query) = &self.query {
            field_checks::description(query).map_err(|error| error.on("query"))?;
        }
        for reference in self.reference.iter().chain(&self.commit) {
            check_revision(reference)?;
        }
        if self.paths.len() > limits::HYDRATION_PATHS_MAX {
            return Err(Error::invalid("paths", "paths must have at most 200 items"));
        }
        self.paths.iter().try_for_each(|path| field_checks::name("paths", Some(path)))?;
        if self.budget_tokens.is_some_and(|tokens| tokens > limits::HYDRATION_TOKENS_MAX) {
            return Err(Error::invalid("budget_tokens", "budget_tokens must be at most 200000"));
        }
        check_digests(&self.excluded_docs)?;
        task_prompt::check(self.sources.as_deref().unwrap_or_default())?;
        if self.timeout_ms.is_some_and(|millis| !limits::HYDRATION_TIMEOUT_MS.contains(&millis)) {
            return Err(Error::invalid("timeout_ms", "timeout_ms must be 100 to 30000"));
        }
        Ok(())
    }

    pub(super) fn timeout_ms(&self, settings: &CodingSettings) -> u64 {
        self.timeout_ms.unwrap_or(settings.read_timeout_ms)
    }

    /// Returns the query. `None` if neither the request nor the task has one.
    pub(super) fn question(&self, task: Option<&Task>) -> Option<String> {
        let query = self.query.as_deref().or(task.map(|task| task.description.as_str()))?;
        Some(query.trim()).filter(|query| !query.is_empty()).map(str::to_owned)
    }

    /// Returns the revision at which citations are verified; `None`: the caller's working tree,
    /// else the current revision of the repository.
    pub(super) fn revision(&self) -> Option<&str> {
        self.commit.as_deref().or(self.reference.as_deref())
    }

    /// True if the request includes themes of self-feedback.
    pub(super) fn includes_themes(&self) -> bool {
        self.include.is_none() || self.themes
    }

    /// True if the request includes files that change together.
    pub(super) fn includes_graph(&self) -> bool {
        self.include.is_none() || self.graph
    }

    pub(super) fn includes(&self, kind: HydrationKind) -> bool {
        self.include.as_ref().is_none_or(|include| include.contains(&kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_their_limits() {
        let field = |asked: Hydration| asked.check().err().and_then(|error| error.field);
        let check = |asked: Hydration, expect: Option<&str>| {
            assert_eq!(field(asked.clone()).as_deref(), expect, "{asked:?}");
        };
        let none = Hydration::default;
        check(none(), None);
        check(Hydration { timeout_ms: Some(100), ..none() }, None);
        check(Hydration { timeout_ms: Some(30_000), ..none() }, None);
        check(Hydration { timeout_ms: Some(99), ..none() }, Some("timeout_ms"));
        check(Hydration { timeout_ms: Some(30_001), ..none() }, Some("timeout_ms"));
        check(Hydration { budget_tokens: Some(loci_model::limits::HYDRATION_TOKENS_MAX), ..none() }, None);
        check(
            Hydration { budget_tokens: Some(loci_model::limits::HYDRATION_TOKENS_MAX + 1), ..none() },
            Some("budget_tokens"),
        );
        let paths = |count| vec!["src/a.rs".to_owned(); count];
        check(Hydration { paths: paths(loci_model::limits::HYDRATION_PATHS_MAX), ..none() }, None);
        check(
            Hydration { paths: paths(loci_model::limits::HYDRATION_PATHS_MAX + 1), ..none() },
            Some("paths"),
        );
        check(Hydration { reference: Some("--upload-pack".into()), ..none() }, Some("ref"));
        check(
            Hydration {
                query: Some("a".repeat(loci_model::limits::TASK_DESCRIPTION_CHARS_MAX + 1)),
                ..none()
            },
            Some("query"),
        );
    }
}
