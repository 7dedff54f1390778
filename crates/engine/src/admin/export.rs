//! `export_part`: exports a memory, or a part of it, as lines, one page at a time, so that any size
//! streams.
//!
//! The export contains the memory, its repositories, its tasks with the records shown to them,
//! their commits, prompts, sessions and session items, live events, every version of every record,
//! every change of state, facts that cite code with their history, and the ledger. The export of a
//! namespace contains its records with all that, and the repository, tasks, commits and ledger
//! entries of its actor. The export of a person contains the data that `forget` finds, the data of
//! others that names them, and parked objects. Derived data and data of this server only are
//! omitted: vectors, indexes, stored verifications, jobs, tokens, keys and pending IngestData.
//! Single reads of facts are omitted too; the export contains their count.

use std::sync::Arc;

use loci_model::event::Event;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
use loci_model::{ActorId, ExposureId, MemoryId, RecordId, Result, TaskId, Timestamp};

use super::{ExportCursor, ExportLine, ExportPart, ExportedObject, Holdings};
use crate::hooks::Products;
use crate::memories::existing;
use crate::{Engine, access};

/// The number of events or record versions in a page of an export.
const PAGE_ROWS: usize = 200;
/// The number of stored objects in a page of an export; an object may be large.
const OBJECTS_PER_PAGE: usize = 4;
/// Cursor of the first ledger shelf.
const FIRST_SHELF: ExportCursor = ExportCursor::Ledger(0, None);

impl Engine {
    /// Returns the part of a memory that concerns a person, found by the scan that `forget` uses.
    ///
    /// # Errors
    /// `Denied` without administration of the whole memory; `NotFound`.
    pub async fn export_person(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        actor: &ActorId,
    ) -> Result<ExportPart> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let (memory, person, mentions) = self.person(memory, actor).await?;
        let held = self.holdings(&memory, &person, mentions).await?;
        Ok(ExportPart { namespace: None, person: Some(Arc::new(held)) })
    }

    /// Returns the lines of a part of a memory from a cursor on, and the next cursor. It starts
    /// with the memory itself.
    ///
    /// # Errors
    /// `Denied` without administration of the whole memory; `NotFound`.
    pub async fn export_part(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        part: &ExportPart,
        cursor: ExportCursor,
    ) -> Result<(Vec<ExportLine>, ExportCursor)> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let now = self.clock.now();
        let (memory, part, products) = (memory.clone(), part.clone(), self.products.clone());
        self.store
            .read(move |tx| match &cursor {
                ExportCursor::Start => {
                    let found = existing(tx, &memory)?;
                    let next = ExportCursor::Repositories(None);
                    Ok((vec![ExportLine::Memory { memory: Box::new(found) }], next))
                }
                ExportCursor::Repositories(after) => repositories(tx, &memory, &part, after.as_deref()),
                ExportCursor::Tasks(after) => tasks(tx, &memory, &part, after.clone()),
                ExportCursor::Exposures(after) => exposures(tx, &memory, &part, after.as_ref()),
                ExportCursor::Commits(after) => commits(tx, &memory, &part, after.as_ref()),
                ExportCursor::Prompts(after) => prompts(tx, &memory, &part, after.as_ref()),
                ExportCursor::TaskSessions(after) => task_sessions(tx, &memory, &part, after.as_ref()),
                ExportCursor::SessionItems(after) => session_items(tx, &memory, &part, after.as_ref(), now),
                ExportCursor::Events(after) => events(tx, &memory, &part, *after, now),
                ExportCursor::Records(after) => records(tx, &memory, &part, after.as_ref()),
                ExportCursor::Objects(after) => objects(tx, &memory, &part, after.as_deref(), now),
                ExportCursor::Ledger(number, after) => {
                    ledger(tx, &products, (&memory, &part), *number, after.clone())
                }
                ExportCursor::End => Ok((Vec::new(), ExportCursor::End)),
            })
            .await
    }
}

fn repositories(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&str>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.repositories().list(memory, after, PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Repositories(Some(last.key.clone())),
        None => ExportCursor::Tasks(None),
    };
    let actor = part.actor();
    let is_of_actor =
        |repository: &Repository| actor.as_ref().is_none_or(|actor| repository.key == actor.as_str());
    let is_theirs = |repository: &Repository, held: &Holdings| held.person.is_name(&repository.key);
    let line = |repository| ExportLine::Repository { repository: Box::new(repository) };
    Ok((lines_of((tx, part), page.into_iter().filter(is_of_actor), is_theirs, line)?, next))
}

/// Returns true for a line that belongs to the person or names them; true for all lines if the
/// export is not of a person.
fn is_about(tx: &dyn ReadTx, part: &ExportPart, line: &ExportLine, is_own: bool) -> Result<bool> {
    let Some(held) = part.person.as_deref() else { return Ok(true) };
    if is_own {
        return Ok(true);
    }
    match &held.mentions {
        Some(mentions) => mentions.are_in(tx, line),
        None => Ok(false),
    }
}

/// Returns the lines of those items of a page that belong to the person or name them.
fn lines_of<T>(
    (tx, part): (&dyn ReadTx, &ExportPart),
    page: impl IntoIterator<Item = T>,
    is_theirs: impl Fn(&T, &Holdings) -> bool,
    line: impl Fn(T) -> ExportLine,
) -> Result<Vec<ExportLine>> {
    let mut lines = Vec::new();
    for noun in page {
        let is_own = part.person.as_deref().is_some_and(|held| is_theirs(&noun, held));
        let shown = line(noun);
        if is_about(tx, part, &shown, is_own)? {
            lines.push(shown);
        }
    }
    Ok(lines)
}

fn tasks(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<(Timestamp, TaskId)>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let actors = part.actor().into_iter().collect();
    let page = tx.tasks().list(&TaskQuery { actors, after, ..TaskQuery::all(memory.clone(), PAGE_ROWS) })?;
    let next = match page.last() {
        Some(last) => ExportCursor::Tasks(Some((last.created_at, last.id.clone()))),
        None if part.namespace.is_some() => ExportCursor::Commits(None),
        None => ExportCursor::Exposures(None),
    };
    let is_theirs = |task: &Task, held: &Holdings| held.person.is_actor(&task.actor);
    let line = |task| ExportLine::Task { task: Box::new(task) };
    Ok((lines_of((tx, part), page, is_theirs, line)?, next))
}

fn exposures(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&ExposureId>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.exposures().list(memory, after, PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Exposures(Some(last.id.clone())),
        None => ExportCursor::Commits(None),
    };
    let line = |exposure| ExportLine::Exposure { exposure: Box::new(exposure) };
    Ok((page.into_iter().filter(|one| part.is_of(&one.actor)).map(line).collect(), next))
}

fn commits(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&(ActorId, ObjectId)>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.commits().list(memory, after.map(|(actor, sha)| (actor, sha)), PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Commits(Some((last.actor.clone(), last.sha))),
        None if part.namespace.is_some() => ExportCursor::Records(None),
        None => ExportCursor::Prompts(None),
    };
    let actor = part.actor();
    let page = page.into_iter().filter(|one| actor.as_ref().is_none_or(|actor| one.actor == *actor));
    let is_theirs = |commit: &TaskCommit, held: &Holdings| held.person.is_actor(&commit.actor);
    let line = |commit| ExportLine::Commit { commit: Box::new(commit) };
    Ok((lines_of((tx, part), page, is_theirs, line)?, next))
}

/// Exports prompts. They belong to no person.
fn prompts(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&(Timestamp, String)>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    if part.person.is_some() {
        return Ok((Vec::new(), ExportCursor::TaskSessions(None)));
    }
    let after = after.map(|(since, version)| (*since, version.as_str()));
    let page = tx.prompts().list(memory, None, after, PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Prompts(Some((last.current_since, last.version.clone()))),
        None => ExportCursor::TaskSessions(None),
    };
    Ok((page.into_iter().map(|prompt| ExportLine::Prompt { prompt: Box::new(prompt) }).collect(), next))
}

fn task_sessions(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&TaskId>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.task_sessions().list(memory, after, PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::TaskSessions(Some(last.task.clone())),
        None => ExportCursor::SessionItems(None),
    };
    let is_theirs = |session: &TaskSession, held: &Holdings| held.person.is_actor(&session.actor);
    let line = |session| ExportLine::TaskSession { session: Box::new(session) };
    Ok((lines_of((tx, part), page, is_theirs, line)?, next))
}

/// Exports session items. Expired items are omitted, as expired events are.
fn session_items(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&(TaskId, u64)>,
    now: Timestamp,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.task_sessions().list_items(memory, after.map(|(task, seq)| (task, *seq)), PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::SessionItems(Some((last.task.clone(), last.seq))),
        None => ExportCursor::Events(0),
    };
    let page = page.into_iter().filter(|item| item.expires_at > now);
    let is_theirs = |item: &SessionItem, held: &Holdings| held.person.is_actor(&item.actor);
    let line = |item| ExportLine::SessionItem { item: Box::new(item) };
    Ok((lines_of((tx, part), page, is_theirs, line)?, next))
}

fn events(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: u64,
    now: Timestamp,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.events().export(memory, after, PAGE_ROWS, now)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Events(last.arrival),
        None => ExportCursor::Records(None),
    };
    let is_theirs = |event: &Event, held: &Holdings| held.person.is_actor(&event.actor);
    let line = |event| ExportLine::Event { event: Box::new(event) };
    Ok((lines_of((tx, part), page, is_theirs, line)?, next))
}

fn records(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&(RecordId, u32)>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let page = tx.records().export(memory, after, PAGE_ROWS)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Records(Some((last.id.clone(), last.version))),
        None if part.person.is_some() => ExportCursor::Objects(None),
        None => FIRST_SHELF,
    };
    let mut lines = Vec::with_capacity(page.len());
    for record in page {
        let newest = tx.records().get(memory, &record.id)?;
        // A moved record belongs to its current namespace.
        if !part.holds(newest.as_ref().map_or(&record.namespace, |newest| &newest.namespace)) {
            continue;
        }
        let current = newest.map(|newest| newest.version) == Some(record.version);
        let id = record.id.clone();
        let record = Box::new(record);
        let is_own = part.person.as_deref().is_some_and(|held| held.records.contains(&id));
        let line = ExportLine::Record { record, current };
        if !is_held(tx, part, &line, (memory, &id, is_own))? {
            continue;
        }
        lines.push(line);
        if current {
            let changes = tx.telemetry().of_record(memory, &id)?;
            lines.extend(changes.into_iter().map(|change| ExportLine::Change { change }));
            lines.extend(fact(tx, memory, &id)?);
        }
    }
    Ok((lines, next))
}

/// Returns true for a record that belongs to the person, and for one that names them: in that
/// version, in its state changes, in its fact or in the history of that fact.
fn is_held(
    tx: &dyn ReadTx,
    part: &ExportPart,
    line: &ExportLine,
    (memory, record, is_own): (&MemoryId, &RecordId, bool),
) -> Result<bool> {
    if is_about(tx, part, line, is_own)? {
        return Ok(true);
    }
    let mentions = part.person.as_deref().and_then(|held| held.mentions.as_ref());
    let Some(mentions) = mentions else { return Ok(false) };
    let changes = tx.telemetry().of_record(memory, record)?;
    let mut lines: Vec<ExportLine> =
        changes.into_iter().map(|change| ExportLine::Change { change }).collect();
    lines.extend(fact(tx, memory, record)?);
    for line in &lines {
        if mentions.are_in(tx, line)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the lines of a record's fact and its history. Retrievals are exported as a count only.
fn fact(tx: &dyn ReadTx, memory: &MemoryId, record: &RecordId) -> Result<Vec<ExportLine>> {
    let Some(mut fact) = tx.facts().get(memory, record)? else { return Ok(Vec::new()) };
    fact.counters.retrieved_swept = fact.counters.retrieved;
    let mut lines = vec![ExportLine::Fact { fact: Box::new(fact) }];
    let history = tx.fact_events().history(memory, record)?;
    lines.extend(history.into_iter().map(|event| ExportLine::FactEvent { event: Box::new(event) }));
    Ok(lines)
}

/// Exports objects parked for a person. They expire, and no other export contains them.
fn objects(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    part: &ExportPart,
    after: Option<&str>,
    now: Timestamp,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let Some(held) = &part.person else { return Ok((Vec::new(), FIRST_SHELF)) };
    let Some(actor) = held.person.actors().first() else { return Ok((Vec::new(), FIRST_SHELF)) };
    let page = tx.parked().list(memory, "", after, PAGE_ROWS)?;
    let mut next = page.last().map_or(FIRST_SHELF, |last| ExportCursor::Objects(Some(last.key.clone())));
    let mut lines = Vec::new();
    let meant = |head: &&ObjectHead| head.expires_at > now && held.person.owns_object(&head.key);
    for head in page.iter().filter(meant) {
        let Some(object) = tx.parked().get(memory, &head.key)? else { continue };
        lines.push(ExportLine::Object { object: Box::new(exported(object, actor)) });
        if lines.len() == OBJECTS_PER_PAGE {
            next = ExportCursor::Objects(Some(head.key.clone()));
            break;
        }
    }
    Ok((lines, next))
}

fn exported(object: ParkedObject, actor: &ActorId) -> ExportedObject {
    let (text, hex) = match String::from_utf8(object.content) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(hex::encode(error.into_bytes()))),
    };
    ExportedObject { head: object.head, actor: actor.clone(), text, hex }
}

fn ledger(
    tx: &dyn ReadTx,
    products: &Products,
    (memory, part): (&MemoryId, &ExportPart),
    number: usize,
    after: Option<(Timestamp, String)>,
) -> Result<(Vec<ExportLine>, ExportCursor)> {
    existing(tx, memory)?;
    let Some(shelf) = products.shelves().into_iter().nth(number) else {
        return Ok((Vec::new(), ExportCursor::End));
    };
    let actor = part.actor();
    let page = LedgerPage { memory: memory.clone(), shelf, actor, subject: None, after, limit: PAGE_ROWS };
    let page = tx.ledger().list(&page)?;
    let next = match page.last() {
        Some(last) => ExportCursor::Ledger(number, Some((last.at, last.key.clone()))),
        None => ExportCursor::Ledger(number + 1, None),
    };
    let mut lines = Vec::with_capacity(page.len());
    for entry in page.into_iter().filter(|entry| !products.is_local(entry)) {
        let is_theirs = match part.person.as_ref() {
            Some(held) => held.person.is_actor(&entry.actor) || products.is_about(&entry, &held.records)?,
            None => false,
        };
        let line = ExportLine::Ledger { entry: Box::new(entry) };
        if is_about(tx, part, &line, is_theirs)? {
            lines.push(line);
        }
    }
    Ok((lines, next))
}
