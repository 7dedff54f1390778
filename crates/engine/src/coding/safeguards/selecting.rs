//! Which records of a repository are meant: every condition that is given must hold. Conditions are tried on the records one by one; a
//! question is answered by the engine's retrieval, and the others narrow what it finds.

use std::collections::HashSet;

use loci_model::metadata::MetadataValue;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt, TaskQuery};
use loci_model::principal::Principal;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::scope::RecordScope;
use loci_model::task::Task;
use loci_model::{
    Error, ErrorKind, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, TaskId, Timestamp, limits,
};
use regex::{Regex, RegexBuilder};

use super::Part;
use crate::Engine;
use crate::records::NamespaceAsk;
use crate::retrieval::SearchRequest;

/// Records that are looked at in one go.
const ROWS: usize = 1_000;
/// What a question finds is meant where it answers at least so well.
const RELEVANCE_MIN: f32 = 0.25;

/// Which records; every member that is given must hold, and at least one must be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// These; at most 1,000.
    pub ids: Vec<RecordId>,
    /// What answers this question.
    pub query: Option<String>,
    /// Whose text or title holds this, whatever the case of its letters.
    pub content: Option<String>,
    /// Whose text or title this regular expression matches, whatever the case.
    pub pattern: Option<String>,
    /// Of this kind: `knowledge`, `self_feedback`, or a kind of records.
    pub kind: Option<String>,
    /// In this namespace, or beneath it.
    pub namespace: Option<Namespace>,
    /// That this task wrote.
    pub task: Option<TaskId>,
    /// That this reviewer's comments left, by login.
    pub reviewer: Option<String>,
    /// That tasks of this person wrote, by login or by the forge's number.
    pub user: Option<String>,
    /// Made then or later.
    pub since: Option<Timestamp>,
    /// Made before.
    pub until: Option<Timestamp>,
}

/// The same, ready to be tried.
struct Ready {
    asked: Selection,
    pattern: Option<Regex>,
    found: Option<HashSet<RecordId>>,
    tasks: Option<HashSet<String>>,
    /// Earlier versions are looked at too, where words are asked for.
    with_history: bool,
}

impl Selection {
    pub(super) fn check(&self) -> Result<Option<Regex>> {
        let Self { ids, query, content, pattern, kind, namespace, task, reviewer, user, since, until } = self;
        let given = [
            !ids.is_empty(),
            query.is_some(),
            content.is_some(),
            pattern.is_some(),
            kind.is_some(),
            namespace.is_some(),
            task.is_some(),
            reviewer.is_some(),
            user.is_some(),
            since.is_some(),
            until.is_some(),
        ];
        if !given.contains(&true) {
            return Err(Error::invalid("ids", "say which records: at least one condition must be given"));
        }
        if ids.len() > limits::QUARANTINE_IDS_MAX {
            return Err(Error::invalid("ids", "ids must name at most 1,000 records"));
        }
        let rule = "must say something, in at most 1,000 characters";
        let words = [("query", query), ("content", content), ("reviewer", reviewer), ("user", user)];
        for (name, text) in words {
            let is_bad =
                |text: &String| text.trim().is_empty() || text.chars().count() > limits::PATTERN_CHARS_MAX;
            if text.as_ref().is_some_and(is_bad) {
                return Err(Error::invalid(name, format!("{name} {rule}")));
            }
        }
        let is_known = |kind: &String| {
            matches!(kind.as_str(), "knowledge" | "self_feedback") || RecordKind::parse(kind).is_some()
        };
        if kind.as_ref().is_some_and(|kind| !is_known(kind)) {
            let rule = "kind must be knowledge, self_feedback, fact, episode, rule, reflection or preference";
            return Err(Error::invalid("kind", rule));
        }
        let Some(pattern) = pattern else { return Ok(None) };
        if pattern.chars().count() > limits::PATTERN_CHARS_MAX {
            return Err(Error::invalid("pattern", "pattern must have at most 1,000 characters"));
        }
        let built =
            RegexBuilder::new(pattern).case_insensitive(true).size_limit(limits::PATTERN_SIZE_MAX).build();
        built.map(Some).map_err(|error| {
            Error::invalid("pattern", format!("pattern must be a regular expression: {error}"))
        })
    }
}

impl Engine {
    /// The records of a repository that are meant and are in one of these states, the newest first; by what they say now, or ever said.
    pub(super) async fn selected(
        &self,
        caller: &Principal,
        part: &Part,
        asked: &Selection,
        states: &[RecordState],
        with_history: bool,
    ) -> Result<Vec<RecordId>> {
        let pattern = asked.check()?;
        let found = match &asked.query {
            Some(query) => Some(self.found_by(caller, part, query, states).await?),
            None => None,
        };
        let (part, asked, states, now) = (part.clone(), asked.clone(), states.to_vec(), self.clock.now());
        self.store
            .read(move |tx| {
                let tasks = match &asked.user {
                    Some(user) => Some(tasks_of(tx, &part, user)?),
                    None => None,
                };
                let tasks = tasks.map(|tasks| tasks.iter().map(|task| task.id.to_string()).collect());
                let (pattern, found) = (pattern.clone(), found.clone());
                let ready = Ready { asked: asked.clone(), pattern, found, tasks, with_history };
                selected(tx, &part, &ready, &states, now)
            })
            .await
    }

    async fn found_by(
        &self,
        caller: &Principal,
        part: &Part,
        query: &str,
        states: &[RecordState],
    ) -> Result<HashSet<RecordId>> {
        let request = SearchRequest {
            memory: part.memory.clone(),
            query: query.to_owned(),
            namespaces: vec![NamespaceAsk::Path(Namespace::parse(format!("/{}/", part.actor))?)],
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: states.to_vec(),
            citing: None,
            as_of: None,
            top_k: limits::TOP_K_MAX,
            fold: false,
            budget_tokens: None,
            relevance_min: Some(RELEVANCE_MIN),
            explain: false,
            lists: None,
        };
        let answer = self.search_unread(caller, request).await?;
        Ok(answer.hits.into_iter().map(|hit| hit.record.id).collect())
    }
}

/// Tasks of a repository that a person asked for.
pub(super) fn tasks_of(tx: &dyn ReadTx, part: &Part, user: &str) -> Result<Vec<Task>> {
    let mut query =
        TaskQuery { actors: vec![part.actor.clone()], ..TaskQuery::all(part.memory.clone(), ROWS) };
    let mut found = Vec::new();
    loop {
        let tasks = tx.tasks().list(&query)?;
        let Some(last) = tasks.last() else { return Ok(found) };
        query.after = Some((last.created_at, last.id.clone()));
        let is_theirs = |task: &Task| {
            task.user.as_ref().is_some_and(|name| is_login(name, user))
                || task.user_id.as_deref() == Some(user)
        };
        found.extend(tasks.into_iter().filter(is_theirs));
    }
}

/// Records of a repository in some states.
pub(super) fn scope_of(part: &Part, states: &[RecordState], now: Timestamp) -> Result<RecordScope> {
    let beneath = Namespace::parse(format!("/{}/", part.actor))?;
    Ok(RecordScope {
        namespaces: vec![NamespaceFilter::new(&beneath, NamespaceMatch::Subtree)],
        states: states.to_vec(),
        ..RecordScope::whole(part.memory.clone(), now)
    })
}

fn selected(
    tx: &dyn ReadTx,
    part: &Part,
    ready: &Ready,
    states: &[RecordState],
    now: Timestamp,
) -> Result<Vec<RecordId>> {
    let scope = scope_of(part, states, now)?;
    let is_of_part = |record: &Record| {
        states.contains(&record.state)
            && scope.namespaces.iter().any(|filter| filter.admits_normal(&record.namespace.normal()))
    };
    if !ready.asked.ids.is_empty() {
        let found = tx.records().get_many(&part.memory, &ready.asked.ids)?;
        let mut meant = Vec::new();
        for record in found.into_iter().filter(is_of_part) {
            if ready.means(tx, &record)? {
                meant.push(record.id);
            }
        }
        return Ok(meant);
    }
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let records = tx.records().list(&RecordPage { scope: scope.clone(), after, limit: ROWS })?;
        let Some(last) = records.last() else { return Ok(found) };
        after = Some((last.created_at, last.id.clone()));
        for record in records {
            if ready.means(tx, &record)? {
                found.push(record.id);
            }
        }
        if u64::try_from(found.len()).unwrap_or(u64::MAX) > limits::MIGRATION_RECORDS_MAX {
            let rule = "more than 200,000 records match: narrow the conditions";
            return Err(Error::new(ErrorKind::TooLarge, rule).on("since"));
        }
    }
}

impl Selection {
    /// Whether a text is meant by its words; where none are asked for, no text is.
    pub(super) fn names(&self, text: &str, pattern: Option<&Regex>) -> bool {
        let holds = |content: &String| text.to_lowercase().contains(&content.to_lowercase());
        (self.content.is_some() || pattern.is_some())
            && self.content.as_ref().is_none_or(holds)
            && pattern.is_none_or(|pattern| pattern.is_match(text))
    }
}

impl Ready {
    fn means(&self, tx: &dyn ReadTx, record: &Record) -> Result<bool> {
        if !self.admits(record) {
            return Ok(false);
        }
        let asks_words = self.asked.content.is_some() || self.pattern.is_some();
        if !asks_words || self.says(record) {
            return Ok(true);
        }
        if !self.with_history || record.version == 1 {
            return Ok(false);
        }
        Ok(tx.records().history(&record.memory, &record.id)?.iter().any(|earlier| self.says(earlier)))
    }

    /// Whether the words that are asked for stand in its text or title.
    fn says(&self, record: &Record) -> bool {
        let mut texts = std::iter::once(record.text.as_str()).chain(record.title.as_deref());
        texts.any(|text| self.asked.names(text, self.pattern.as_ref()))
    }

    /// Whether everything but the words holds.
    fn admits(&self, record: &Record) -> bool {
        let asked = &self.asked;
        let word = |key: &str| match record.metadata.get(key) {
            Some(MetadataValue::String(word)) => Some(word.as_str()),
            Some(_) | None => None,
        };
        let is_kind = |kind: &String| {
            record.subtype.as_deref() == Some(kind.as_str()) || record.kind.as_str() == kind.as_str()
        };
        let is_beneath = |namespace: &Namespace| {
            NamespaceFilter::new(namespace, NamespaceMatch::Subtree).admits_normal(&record.namespace.normal())
        };
        self.found.as_ref().is_none_or(|found| found.contains(&record.id))
            && asked.kind.as_ref().is_none_or(is_kind)
            && asked.namespace.as_ref().is_none_or(is_beneath)
            && asked.task.as_ref().is_none_or(|task| word("task_id") == Some(task.as_str()))
            && asked
                .reviewer
                .as_ref()
                .is_none_or(|login| word("reviewer").is_some_and(|name| is_login(name, login)))
            && self.tasks.as_ref().is_none_or(|tasks| word("task_id").is_some_and(|id| tasks.contains(id)))
            && asked.since.is_none_or(|since| record.created_at >= since)
            && asked.until.is_none_or(|until| record.created_at < until)
    }
}

/// Whether a name is a login, whatever the case and with or without `@`.
fn is_login(name: &str, login: &str) -> bool {
    name.trim_start_matches('@').eq_ignore_ascii_case(login.trim_start_matches('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_given() {
        let check = |asked: Selection, expect: Option<&str>| {
            let field = asked.check().err().and_then(|error| error.field);
            assert_eq!(field.as_deref(), expect, "{asked:?}");
        };
        let none = Selection::default;
        check(none(), Some("ids"));
        let ids = |count| vec![RecordId::compose("00000000-0000-7000-8000-0000000000ff").unwrap(); count];
        check(Selection { ids: ids(limits::QUARANTINE_IDS_MAX), ..none() }, None);
        check(Selection { ids: ids(limits::QUARANTINE_IDS_MAX + 1), ..none() }, Some("ids"));
        check(Selection { pattern: Some("(".to_owned()), ..none() }, Some("pattern"));
        check(Selection { pattern: Some("a|b".to_owned()), ..none() }, None);
        check(Selection { kind: Some("learning".to_owned()), ..none() }, Some("kind"));
        check(Selection { kind: Some("rule".to_owned()), ..none() }, None);
        check(Selection { reviewer: Some(" ".to_owned()), ..none() }, Some("reviewer"));
        check(
            Selection { content: Some("a".repeat(limits::PATTERN_CHARS_MAX + 1)), ..none() },
            Some("content"),
        );
    }

    #[test]
    fn logins() {
        assert!(is_login("@Alice", "alice") && is_login("alice", "@ALICE"));
        assert!(!is_login("alice2", "alice"));
    }
}
