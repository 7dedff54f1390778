//! The request of a search in the middle of a task, and its checks.

use std::sync::Arc;

use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::TaskStatus;
use loci_model::{Error, Result, TaskId, Timestamp, limits};
use loci_verified::{ReportedVerdicts, check_revision};

use super::super::candidate::Candidate;
use super::super::kind::HydrationKind;
use crate::learnings::learning_write::SELF_FEEDBACK;
use crate::tasks::field_checks;

/// The default number of results.
const LIMIT: u32 = 10;

/// A kind of record to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchKind {
    /// Learnings about the repository.
    Knowledge,
    /// Self-feedback: information that agents lacked.
    SelfFeedback,
    /// Episodes of earlier tasks.
    Episode,
    /// Reflections on several episodes.
    Reflection,
    /// Rules from reviews.
    Rule,
    /// Preferences of the task's user.
    Preference,
}

impl SearchKind {
    /// All kinds.
    pub const ALL: &'static [Self] =
        &[Self::Knowledge, Self::SelfFeedback, Self::Episode, Self::Reflection, Self::Rule, Self::Preference];
    /// The default kinds: those that belong to the repository and describe its state.
    pub const DEFAULT: &'static [Self] = &[Self::Knowledge, Self::Episode, Self::Reflection, Self::Rule];

    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::SelfFeedback => SELF_FEEDBACK,
            Self::Episode => "episode",
            Self::Reflection => "reflection",
            Self::Rule => "rule",
            Self::Preference => "preference",
        }
    }

    /// Parses a kind from its word. `fact` is the tools' word for knowledge.
    pub fn parse(word: &str) -> Option<Self> {
        if word == RecordKind::Fact.as_str() {
            return Some(Self::Knowledge);
        }
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// Returns the kind of a candidate.
    pub(super) fn of(candidate: &Candidate) -> Self {
        match candidate.kind {
            HydrationKind::Knowledge if Self::SelfFeedback.is_of(&candidate.record) => Self::SelfFeedback,
            HydrationKind::Knowledge => Self::Knowledge,
            HydrationKind::Episodes => Self::Episode,
            HydrationKind::Reflections => Self::Reflection,
            HydrationKind::Rules => Self::Rule,
            HydrationKind::Preferences => Self::Preference,
        }
    }

    /// Returns the hydration kind, which determines the tier, the trust and the entry in an
    /// exposure.
    pub fn shown_as(self) -> HydrationKind {
        match self {
            Self::Knowledge | Self::SelfFeedback => HydrationKind::Knowledge,
            Self::Episode => HydrationKind::Episodes,
            Self::Reflection => HydrationKind::Reflections,
            Self::Rule => HydrationKind::Rules,
            Self::Preference => HydrationKind::Preferences,
        }
    }

    /// Returns the record kinds to search. An empty list means all kinds in the namespace.
    pub(super) fn records(self) -> Vec<RecordKind> {
        match self {
            Self::Knowledge | Self::SelfFeedback => vec![RecordKind::Fact],
            Self::Episode => vec![RecordKind::Episode],
            Self::Reflection => vec![RecordKind::Reflection],
            Self::Rule => Vec::new(),
            Self::Preference => vec![RecordKind::Preference],
        }
    }

    /// True if a record of the namespace belongs to this kind.
    pub(super) fn is_of(self, record: &Record) -> bool {
        let is_feedback = record.subtype.as_deref() == Some(SELF_FEEDBACK);
        match self {
            Self::Knowledge => !is_feedback,
            Self::SelfFeedback => is_feedback,
            Self::Episode | Self::Reflection | Self::Rule | Self::Preference => true,
        }
    }
}

/// The filters of a search, which must all match. A record whose value for a filter is unknown is
/// not returned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilters {
    /// The number of its task's pull request.
    pub pr: Option<u64>,
    /// A commit at which it was learned or that its task made; a prefix of the id is enough.
    pub commit: Option<String>,
    /// The issue of the task from which a record comes.
    pub issue: Option<u64>,
    /// The status of the task from which a record comes.
    pub status: Option<TaskStatus>,
    /// The outcome of an episode, in the words of hydration.
    pub outcome: Option<String>,
    /// The user of its task, by name or by the forge's number.
    pub user: Option<String>,
    /// A path that it applies to, cites or changed: a file, a directory, a pattern.
    pub path: Option<String>,
    /// The earliest time of its first version, inclusive.
    pub since: Option<Timestamp>,
    /// The latest time of its first version, exclusive.
    pub until: Option<Timestamp>,
}

impl SearchFilters {
    /// True if no filter is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A search in the memory of a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RepositorySearch {
    /// The name of the repository whose records are searched.
    pub repo: String,
    /// The query; `None`: the filters alone, the newest first.
    pub query: Option<String>,
    /// The kinds to search for; empty: knowledge, episodes, reflections and rules.
    pub kinds: Vec<SearchKind>,
    /// The filters.
    pub filters: SearchFilters,
    /// The maximum number of results, 1 to 100; `None`: 10.
    pub limit: Option<u32>,
    /// The requesting task. Its arm determines the results, and an exposure lists them.
    pub task: Option<TaskId>,
    /// The revision at which citations are verified; `None`: the current revision of the
    /// repository.
    pub reference: Option<String>,
    /// The caller's report on its own code, used in place of reading code here.
    pub told: Option<Arc<ReportedVerdicts>>,
}

impl RepositorySearch {
    /// Checks the shape of the request.
    pub(super) fn check(&self) -> Result<()> {
        if self.question().is_none() && self.filters.is_empty() {
            return Err(Error::invalid("query", "give a query, or at least one filter"));
        }
        if let Some(query) = &self.query {
            field_checks::description(query).map_err(|error| error.on("query"))?;
        }
        if !(1..=limits::TOP_K_MAX).contains(&self.most()) {
            return Err(Error::invalid("limit", "limit must be 1 to 100"));
        }
        field_checks::name("user", self.filters.user.as_ref())?;
        field_checks::name("outcome", self.filters.outcome.as_ref())?;
        field_checks::name("path", self.filters.path.as_ref())?;
        field_checks::name("commit", self.filters.commit.as_ref())?;
        self.reference.as_deref().map_or(Ok(()), check_revision)
    }

    /// Returns the query, if there is one.
    pub(super) fn question(&self) -> Option<&str> {
        self.query.as_deref().map(str::trim).filter(|query| !query.is_empty())
    }

    /// Returns the maximum number of results.
    pub(super) fn most(&self) -> u32 {
        self.limit.unwrap_or(LIMIT)
    }

    /// Returns the kinds to search for, each once.
    pub(super) fn wanted(&self) -> Vec<SearchKind> {
        let asked = if self.kinds.is_empty() { SearchKind::DEFAULT } else { &self.kinds };
        SearchKind::ALL.iter().copied().filter(|kind| asked.contains(kind)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_their_limits() {
        let check = |asked: RepositorySearch, expect: Option<&str>| {
            let field = asked.check().err().and_then(|error| error.field);
            assert_eq!(field.as_deref(), expect, "{asked:?}");
        };
        let of =
            |query: &str| RepositorySearch { query: Some(query.to_owned()), ..RepositorySearch::default() };
        check(of("migrations"), None);
        check(of("  "), Some("query"));
        check(RepositorySearch::default(), Some("query"));
        let filters = SearchFilters { pr: Some(57), ..SearchFilters::default() };
        check(RepositorySearch { filters, ..RepositorySearch::default() }, None);
        check(RepositorySearch { limit: Some(loci_model::limits::TOP_K_MAX), ..of("x") }, None);
        check(RepositorySearch { limit: Some(loci_model::limits::TOP_K_MAX + 1), ..of("x") }, Some("limit"));
        check(RepositorySearch { limit: Some(0), ..of("x") }, Some("limit"));
        check(of(&"a".repeat(loci_model::limits::TASK_DESCRIPTION_CHARS_MAX)), None);
        check(of(&"a".repeat(loci_model::limits::TASK_DESCRIPTION_CHARS_MAX + 1)), Some("query"));
        check(RepositorySearch { reference: Some("--upload-pack".into()), ..of("x") }, Some("ref"));
    }

    #[test]
    fn kinds_by_their_words() {
        for kind in SearchKind::ALL {
            assert_eq!(SearchKind::parse(kind.as_str()), Some(*kind));
        }
        assert_eq!(SearchKind::parse("fact"), Some(SearchKind::Knowledge));
        assert_eq!(SearchKind::parse("document"), None);
    }
}
