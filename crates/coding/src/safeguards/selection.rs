//! Selects records of a repository: all given conditions must match. Conditions are applied to each
//! record. The engine's retrieval answers a query, and the other conditions filter its results.

use std::collections::HashSet;
use std::sync::Arc;

use loci_engine::calls::caller_pattern::CallerPattern;
use loci_engine::calls::text_scan::{TextScan, texts_of};
use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::SearchRequest;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt, TaskQuery};
use loci_model::principal::Principal;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::task::Task;
use loci_model::{
    Error, ErrorKind, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, TaskId,
    Timestamp, limits,
};

use super::RepositoryShare;
use crate::Coding;

/// The number of records that one page reads.
const ROWS: usize = 1_000;
/// The number of records whose earlier versions are read together.
const HISTORIES: usize = 100;
/// The minimum relevance of a result of the query.
const RELEVANCE_MIN: f32 = 0.25;

/// A selection of records. All given members must match, and at least one is required.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Ids of records, at most 1,000.
    pub ids: Vec<RecordId>,
    /// A query that the records answer.
    pub query: Option<String>,
    /// A text that the record's text or title contains, ignoring case.
    pub content: Option<String>,
    /// A regular expression that matches the record's text or title, ignoring case.
    pub pattern: Option<String>,
    /// The kind: `knowledge`, `self_feedback`, or a kind of records.
    pub kind: Option<String>,
    /// A namespace that contains the record, or a descendant of it.
    pub namespace: Option<Namespace>,
    /// The task that wrote the record.
    pub task: Option<TaskId>,
    /// The login of the reviewer whose comments led to the record.
    pub reviewer: Option<String>,
    /// The user whose tasks wrote the record, by login or by the forge's number.
    pub user: Option<String>,
    /// The earliest creation time, inclusive.
    pub since: Option<Timestamp>,
    /// The latest creation time, exclusive.
    pub until: Option<Timestamp>,
}

/// A selection in its prepared form.
struct PreparedSelection {
    asked: Selection,
    found: Option<HashSet<RecordId>>,
    tasks: Option<HashSet<String>>,
    scope: RecordScope,
    states: Vec<RecordState>,
}

/// A page of records, and the cursor after it.
struct SelectionPage {
    records: Vec<Record>,
    next: Option<(Timestamp, RecordId)>,
}

impl Selection {
    pub(super) fn check(&self) -> Result<Option<CallerPattern>> {
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
        pattern.as_deref().map(|pattern| CallerPattern::parse(pattern, true)).transpose()
    }
}

impl Coding {
    /// Returns the selected records of a repository in one of these states, the newest first. Word
    /// conditions apply to the present text, with `with_history` also to earlier versions.
    pub(super) async fn selected(
        &self,
        caller: &Principal,
        part: &RepositoryShare,
        asked: &Selection,
        states: &[RecordState],
        with_history: bool,
    ) -> Result<Vec<RecordId>> {
        let pattern = asked.check()?;
        let found = match &asked.query {
            Some(query) => Some(self.found_by(caller, part, query, states).await?),
            None => None,
        };
        let (of, user) = (part.clone(), asked.user.clone());
        let tasks =
            self.engine.store().read(move |tx| user.as_ref().map(|user| tasks_of(tx, &of, user)).transpose());
        let tasks = tasks.await?.map(|tasks| tasks.iter().map(|task| task.id.to_string()).collect());
        let (asked, states) = (asked.clone(), states.to_vec());
        let scope = scope_of(part, &states, self.engine.now())?;
        let asks_words = asked.content.is_some() || pattern.is_some();
        let words = asked.clone();
        let mut words = asks_words
            .then(|| TextScan::new(Arc::new(move |text: &str| words.names(text, pattern.as_ref()))));
        let ready = Arc::new(PreparedSelection { asked, found, tasks, scope, states });
        let (mut meant, mut after) = (Vec::new(), None);
        loop {
            let (of, all) = (part.memory.clone(), Arc::clone(&ready));
            let looked = self.engine.store().read(move |tx| all.look(tx, &of, after.clone()));
            let SelectionPage { records, next } = looked.await?;
            meant.extend(match &mut words {
                Some(words) => self.with_words(words, records, with_history).await?,
                None => records.into_iter().map(|record| record.id).collect(),
            });
            if u64::try_from(meant.len()).unwrap_or(u64::MAX) > limits::MIGRATION_RECORDS_MAX {
                let rule = "more than 200,000 records match: narrow the conditions";
                return Err(Error::new(ErrorKind::TooLarge, rule).on("since"));
            }
            if next.is_none() {
                return Ok(meant);
            }
            after = next;
        }
    }

    /// Returns the records whose text or title contains the words, or contained them in an earlier
    /// version.
    async fn with_words(
        &self,
        words: &mut TextScan,
        records: Vec<Record>,
        with_history: bool,
    ) -> Result<Vec<RecordId>> {
        let held = words.holds(&self.engine, records.iter().map(texts_of).collect()).await?;
        let mut meant: HashSet<RecordId> = HashSet::new();
        let mut earlier = Vec::new();
        for (record, held) in records.iter().zip(held) {
            if held {
                meant.insert(record.id.clone());
            } else if with_history && record.version > 1 {
                earlier.push((record.memory.clone(), record.id.clone()));
            }
        }
        for some in earlier.chunks(HISTORIES) {
            let read = some.to_vec();
            let texts = self.engine.store().read(move |tx| {
                let histories = read.iter().map(|(memory, id)| tx.records().history(memory, id));
                let texts = histories.map(|all| Ok(all?.iter().flat_map(texts_of).collect()));
                texts.collect::<Result<Vec<Vec<String>>>>()
            });
            let held = words.holds(&self.engine, texts.await?).await?;
            meant.extend(some.iter().zip(held).filter(|(_, held)| *held).map(|((_, id), _)| id.clone()));
        }
        Ok(records.into_iter().map(|record| record.id).filter(|id| meant.contains(id)).collect())
    }

    async fn found_by(
        &self,
        caller: &Principal,
        part: &RepositoryShare,
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
            include_system: true,
        };
        let answer = self.engine.search_unread(caller, request).await?;
        Ok(answer.hits.into_iter().map(|hit| hit.record.id).collect())
    }
}

/// Returns the tasks of a repository with a user.
pub(super) fn tasks_of(tx: &dyn ReadTx, part: &RepositoryShare, user: &str) -> Result<Vec<Task>> {
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

/// Returns the scope of a repository's records in some states.
pub(super) fn scope_of(
    part: &RepositoryShare,
    states: &[RecordState],
    now: Timestamp,
) -> Result<RecordScope> {
    let beneath = Namespace::parse(format!("/{}/", part.actor))?;
    Ok(RecordScope {
        namespaces: vec![NamespaceFilter::new(&beneath, NamespaceMatch::Subtree)],
        states: states.to_vec(),
        ..RecordScope::whole(part.memory.clone(), now)
    })
}

impl Selection {
    /// True if a text matches the word conditions. Without word conditions, no text matches.
    ///
    /// # Errors
    /// `Invalid` if the text is too long for the pattern.
    pub(super) fn names(&self, text: &str, pattern: Option<&CallerPattern>) -> Result<bool> {
        let holds = |content: &String| text.to_lowercase().contains(&content.to_lowercase());
        if !self.content.as_ref().is_none_or(holds) {
            return Ok(false);
        }
        match pattern {
            Some(pattern) => pattern.holds(text),
            None => Ok(self.content.is_some()),
        }
    }
}

impl PreparedSelection {
    /// Returns the records after a cursor that match all conditions except words.
    fn look(
        &self,
        tx: &dyn ReadTx,
        memory: &MemoryId,
        after: Option<(Timestamp, RecordId)>,
    ) -> Result<SelectionPage> {
        if self.asked.ids.is_empty() {
            let mut records =
                tx.records().list(&RecordPage { scope: self.scope.clone(), after, limit: ROWS })?;
            let next = records.last().map(|last| (last.created_at, last.id.clone()));
            records.retain(|record| self.admits(record));
            return Ok(SelectionPage { records, next });
        }
        let is_of_part = |record: &Record| {
            let normal = record.namespace.normal();
            self.states.contains(&record.state)
                && self.scope.namespaces.iter().any(|filter| filter.admits_normal(&normal))
        };
        let mut records = tx.records().get_many(memory, &self.asked.ids)?;
        records.retain(|record| is_of_part(record) && self.admits(record));
        Ok(SelectionPage { records, next: None })
    }

    /// True if a record matches all conditions except words.
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

/// True if a name is a login, ignoring case and a leading `@`.
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
        check(Selection { ids: ids(loci_model::limits::QUARANTINE_IDS_MAX), ..none() }, None);
        check(Selection { ids: ids(loci_model::limits::QUARANTINE_IDS_MAX + 1), ..none() }, Some("ids"));
        check(Selection { pattern: Some("(".to_owned()), ..none() }, Some("pattern"));
        check(Selection { pattern: Some("a|b".to_owned()), ..none() }, None);
        check(Selection { kind: Some("learning".to_owned()), ..none() }, Some("kind"));
        check(Selection { kind: Some("rule".to_owned()), ..none() }, None);
        check(Selection { reviewer: Some(" ".to_owned()), ..none() }, Some("reviewer"));
        check(
            Selection { content: Some("a".repeat(loci_model::limits::PATTERN_CHARS_MAX + 1)), ..none() },
            Some("content"),
        );
    }

    #[test]
    fn logins() {
        assert!(is_login("@Alice", "alice") && is_login("alice", "@ALICE"));
        assert!(!is_login("alice2", "alice"));
    }
}
