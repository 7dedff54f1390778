//! Matches records with filters: exactly, and never by unknown values. Pure.

use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::{Task, TaskStatus};

use super::super::candidate::Candidate;
use super::super::outcome::outcome_of;
use super::super::scope_match::RequestPaths;
use super::facets::Facets;
use super::search_request::{SearchFilters, SearchKind};

impl SearchFilters {
    /// True if the filters match a record of a kind.
    pub(super) fn admit(&self, kind: SearchKind, record: &Record, facets: &Facets) -> bool {
        let task = facets.task.as_ref();
        let pr = |number: &u64| task.and_then(|task| task.pr.as_ref()).is_some_and(|pr| pr.number == *number);
        let commit = |wanted: &String| {
            let wanted = wanted.to_ascii_lowercase();
            facets.commits.iter().any(|commit| commit.starts_with(&wanted))
        };
        let user = |name: &String| {
            task.is_some_and(|task| task.user.as_ref() == Some(name) || task.user_id.as_ref() == Some(name))
        };
        self.pr.as_ref().is_none_or(pr)
            && self.commit.as_ref().is_none_or(commit)
            && self.issue.is_none_or(|issue| task.is_some_and(|task| task.issue == Some(issue)))
            && self.status.is_none_or(|status| stands(record, task, status))
            && self.outcome.as_ref().is_none_or(|word| ended(record, word))
            && self.user.as_ref().is_none_or(user)
            && self.path.as_ref().is_none_or(|path| has_to_do(path, record, facets))
            && self.since.is_none_or(|since| record.created_at >= since)
            && self.until.is_none_or(|until| record.created_at < until)
            && kind.is_of(record)
    }
}

/// True if the record's task has a status: according to the task if known, else according to the
/// record.
fn stands(record: &Record, task: Option<&Task>, status: TaskStatus) -> bool {
    let said = || record.metadata.get("status") == Some(&MetadataValue::String(status.as_str().to_owned()));
    task.map_or_else(said, |task| task.status == status)
}

/// True if an episode has this outcome. Other records have none.
fn ended(record: &Record, word: &str) -> bool {
    let candidate = Candidate::new(SearchKind::Episode.shown_as(), record.clone(), 1.0);
    record.kind == RecordKind::Episode && outcome_of(&candidate).0 == word
}

fn has_to_do(path: &str, record: &Record, facets: &Facets) -> bool {
    let asked = RequestPaths::new(&[path.to_owned()]);
    // A path of the whole repository does not narrow the search.
    asked.is_empty()
        || record.scope.as_ref().is_some_and(|scope| asked.meet(scope))
        || facets.paths.iter().any(|path| asked.meet(path))
}

#[cfg(test)]
mod tests {
    use loci_model::{MemoryId, Timestamp};
    use loci_testkit_ports::samples;

    use super::*;

    fn record(kind: RecordKind) -> Record {
        let memory = MemoryId::parse("memory-0123456789").unwrap();
        Record { kind, ..samples::record(&memory, 1, "text").unwrap() }
    }

    #[test]
    fn what_is_not_known_is_not_what_was_asked_for() {
        let none = SearchFilters::default;
        let check = |filters: SearchFilters, record: &Record, facets: &Facets, expect: bool| {
            assert_eq!(filters.admit(SearchKind::Episode, record, facets), expect, "{filters:?}");
        };
        let mut episode = record(RecordKind::Episode);
        episode.metadata.insert("status".to_owned(), MetadataValue::String("failed".to_owned()));
        let facets = Facets {
            commits: ["9f1c0000".to_owned()].into(),
            paths: ["src/db/orders.sql".to_owned()].into(),
            ..Facets::default()
        };
        let nothing = Facets::default();
        check(none(), &episode, &nothing, true);
        check(SearchFilters { pr: Some(57), ..none() }, &episode, &facets, false);
        check(SearchFilters { issue: Some(1), ..none() }, &episode, &facets, false);
        check(SearchFilters { user: Some("bob".into()), ..none() }, &episode, &facets, false);
        check(SearchFilters { commit: Some("9F1C".into()), ..none() }, &episode, &facets, true);
        check(SearchFilters { commit: Some("9f1d".into()), ..none() }, &episode, &facets, false);
        check(SearchFilters { path: Some("src/db/**".into()), ..none() }, &episode, &facets, true);
        check(SearchFilters { path: Some("src/db".into()), ..none() }, &episode, &facets, true);
        check(SearchFilters { path: Some("src/dbs".into()), ..none() }, &episode, &facets, false);
        check(SearchFilters { path: Some("src/db/**".into()), ..none() }, &episode, &nothing, false);
        check(SearchFilters { outcome: Some("failed".into()), ..none() }, &episode, &nothing, true);
        check(SearchFilters { status: Some(TaskStatus::Failed), ..none() }, &episode, &nothing, true);
        check(SearchFilters { status: Some(TaskStatus::Completed), ..none() }, &episode, &nothing, false);
        check(SearchFilters { outcome: Some("merged_as_is".into()), ..none() }, &episode, &nothing, false);
        check(
            SearchFilters { outcome: Some("failed".into()), ..none() },
            &record(RecordKind::Fact),
            &nothing,
            false,
        );
        let at = episode.created_at;
        check(SearchFilters { since: Some(at), ..none() }, &episode, &nothing, true);
        check(SearchFilters { until: Some(at), ..none() }, &episode, &nothing, false);
        let later = Timestamp::from_millis(at.millis() + 1).unwrap();
        check(SearchFilters { since: Some(later), ..none() }, &episode, &nothing, false);
        check(SearchFilters { until: Some(later), ..none() }, &episode, &nothing, true);
    }
}
