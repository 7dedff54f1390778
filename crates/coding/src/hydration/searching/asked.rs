//! What a search in the middle of a task is asked for, and whether it may be.

use std::sync::Arc;

use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::TaskStatus;
use loci_model::{Error, Result, TaskId, Timestamp, limits};
use loci_verified::{Told, check_revision};

use super::super::candidate::Candidate;
use super::super::kind::HydrationKind;
use crate::learnings::learning_write::SELF_FEEDBACK;
use crate::tasks::field_checks;

/// Results where nothing else is said.
const LIMIT: u32 = 10;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchKind {
    /// What was learned about the repository.
    Knowledge,
    /// What agents would have needed.
    SelfFeedback,
    /// What happened in earlier tasks.
    Episode,
    /// What several episodes teach.
    Reflection,
    /// Rules from reviews.
    Rule,
    /// What whoever asked for the task prefers.
    Preference,
}

impl SearchKind {
    /// All.
    pub const ALL: &'static [Self] =
        &[Self::Knowledge, Self::SelfFeedback, Self::Episode, Self::Reflection, Self::Rule, Self::Preference];
    /// Those that are looked for where nothing is said: all that is of the repository and says how it is.
    pub const DEFAULT: &'static [Self] = &[Self::Knowledge, Self::Episode, Self::Reflection, Self::Rule];

    /// The word of requests and answers.
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

    /// From its word; `fact` is what tools call knowledge.
    pub fn parse(word: &str) -> Option<Self> {
        if word == RecordKind::Fact.as_str() {
            return Some(Self::Knowledge);
        }
        Self::ALL.iter().copied().find(|kind| kind.as_str() == word)
    }

    /// As what a candidate was found.
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

    /// As what hydration shows it: the tier, the trust and the row of an exposure are that kind's.
    pub fn shown_as(self) -> HydrationKind {
        match self {
            Self::Knowledge | Self::SelfFeedback => HydrationKind::Knowledge,
            Self::Episode => HydrationKind::Episodes,
            Self::Reflection => HydrationKind::Reflections,
            Self::Rule => HydrationKind::Rules,
            Self::Preference => HydrationKind::Preferences,
        }
    }

    /// The kinds of its records; none means all that are in its place.
    pub(super) fn records(self) -> Vec<RecordKind> {
        match self {
            Self::Knowledge | Self::SelfFeedback => vec![RecordKind::Fact],
            Self::Episode => vec![RecordKind::Episode],
            Self::Reflection => vec![RecordKind::Reflection],
            Self::Rule => Vec::new(),
            Self::Preference => vec![RecordKind::Preference],
        }
    }

    /// Whether a record of its place is one of these.
    pub(super) fn is_of(self, record: &Record) -> bool {
        let is_feedback = record.subtype.as_deref() == Some(SELF_FEEDBACK);
        match self {
            Self::Knowledge => !is_feedback,
            Self::SelfFeedback => is_feedback,
            Self::Episode | Self::Reflection | Self::Rule | Self::Preference => true,
        }
    }
}

/// What must be so of a record; what is given must all hold. A record of which it is not known is not returned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilters {
    /// Its task had this pull request.
    pub pr: Option<u64>,
    /// It was learned at this commit, or its task made it; the beginning of the id is enough.
    pub commit: Option<String>,
    /// Its task was about this issue.
    pub issue: Option<u64>,
    /// So far its task has come.
    pub status: Option<TaskStatus>,
    /// An episode that ended so, as hydration says it.
    pub outcome: Option<String>,
    /// Who asked for its task, by name or by the forge's number.
    pub user: Option<String>,
    /// It applies to, cites or changed something there: a file, a directory, a pattern.
    pub path: Option<String>,
    /// First written then or later.
    pub since: Option<Timestamp>,
    /// First written before.
    pub until: Option<Timestamp>,
}

impl SearchFilters {
    /// True where nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A search in what is remembered of a repository.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RepositorySearch {
    /// The repository.
    pub repo: String,
    /// The question; `None`: the filters alone, the newest first.
    pub query: Option<String>,
    /// What is looked for; none: knowledge, episodes, reflections and rules.
    pub kinds: Vec<SearchKind>,
    /// What must be so.
    pub filters: SearchFilters,
    /// 1 to 100; `None`: 10.
    pub limit: Option<u32>,
    /// The task that asks: its arm decides what it is shown, and what it is shown is written down.
    pub task: Option<TaskId>,
    /// The revision at which citations are verified; `None`: where the repository stands.
    pub reference: Option<String>,
    /// What the caller found where the code is, in the place of looking here.
    pub told: Option<Arc<Told>>,
}

impl RepositorySearch {
    /// Checks the shape.
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

    /// The question, where there is one.
    pub(super) fn question(&self) -> Option<&str> {
        self.query.as_deref().map(str::trim).filter(|query| !query.is_empty())
    }

    /// At most so many results.
    pub(super) fn most(&self) -> u32 {
        self.limit.unwrap_or(LIMIT)
    }

    /// What is looked for, each once.
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
