//! The verb `repository_purge`: erases records of a repository, with all versions and vectors, the
//! sessions of the selected tasks, and the related ledger entries. A row records that they existed,
//! without their content. The erasure is permanent, so the caller confirms the number of selected
//! records from a dry run.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_api::coding::safeguard::Purged;
use loci_engine::admin::erasure::{ErasedTexts, ErasureReach, Tombstones};
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::reason_text;
use loci_engine::deliveries::record_streams;
use loci_engine::hooks::write_context;
use loci_engine::language_models::erasure as asking_forgetting;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_model::facts::branch_fact::BranchFact;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, SessionItemQuery, StoreExt, Tx};
use loci_model::ports::vault::Vault;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::record::agreement::Agreement;
use loci_model::record::conflict::Conflict;
use loci_model::record::telemetry::StateChange;
use loci_model::tasks::rollback::Purge;
use loci_model::tasks::task::Task;
use loci_model::{Error, RecordId, Result, Timestamp, limits};
use loci_verified::facts::record_changes;

use super::RepositoryShare;
use super::selection::{Selection, tasks_of};
use crate::Coding;
use crate::rules;
use crate::tasks::sessions::deletion as told;

/// The number of records that one write erases.
const ROWS: usize = 200;
/// The number of session items that one write erases.
const ITEMS: usize = 200;

/// The request of a purge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeAsk {
    /// The selected records.
    pub which: Selection,
    /// The reason, 1 to 500 characters. It is stored in the row that records the erasure.
    pub reason: String,
    /// True to only return the selected records.
    pub dry_run: bool,
    /// The number of selected records; required unless it is a dry run.
    pub confirm: Option<u64>,
}

impl Coding {
    /// Erases records of a repository, in any state. Earlier backups and exports keep their
    /// content.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without administration of the repository's actor; `Invalid` without
    /// a condition or a reason, or without `confirm`; `Conflict` if the number of selected records
    /// has changed.
    pub async fn repository_purge(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        ask: PurgeAsk,
    ) -> Result<Purged> {
        let ask = PurgeAsk { reason: reason_text::required(&ask.reason)?, ..ask };
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let there: Vec<RecordState> =
            RecordState::ALL.iter().copied().filter(|state| *state != RecordState::Erased).collect();
        let found = self.selected(caller, &part, &ask.which, &there, true).await?;
        let matched = u64::try_from(found.len()).unwrap_or(u64::MAX);
        let ids = found.iter().take(limits::QUARANTINE_IDS_MAX).map(ToString::to_string).collect();
        if ask.dry_run {
            return Ok(Purged { matched, ids, applied: false, session_items: 0, reviews: 0 });
        }
        confirmed(ask.confirm, matched)?;
        // Runs before any erasure: if the search takes too much time, nothing is erased.
        let reviews = self.reviews_with_words(&part, &ask.which).await?;
        self.engine.ready_to_seal().await?;
        // Rules with the support of others are weighed again and stay. Rules without other support
        // are erased, and others may state them again.
        let bare = self.forget_what_they_said(&part, &ask.which, &caller.name).await?;
        let (going, bars) = match bare {
            Some(bare) => (self.without_support(&part, found, bare).await?, false),
            None => (found, true),
        };
        let texts = self.engine.erased_texts(&part.memory, &going.iter().cloned().collect()).await?;
        let texts = Arc::new(texts);
        for some in going.chunks(ROWS) {
            let texts = texts.clone();
            let (part, some, by) = (part.clone(), some.to_vec(), caller.name.clone());
            let (reason, at) = (ask.reason.clone(), self.engine.now());
            let vault = self.engine.vault().clone();
            self.engine
                .store()
                .write(move |tx| {
                    let erasing =
                        Erasing { vault: vault.as_ref(), texts: &texts, by: &by, reason: &reason, at };
                    erase(tx, &part, &some, &erasing)?;
                    if bars {
                        for rule in &some {
                            rules::bar(tx, &part.memory, rule, &by, at)?;
                        }
                    }
                    Ok(())
                })
                .await?;
        }
        let session_items = self.erase_sessions(&part, &ask.which).await?;
        let reviews = self.blank_reviews(&part, &ask.which, reviews).await?;
        tracing::warn!(matched, session_items, reviews, "a part of a repository's memory was purged");
        Ok(Purged { matched, ids, applied: true, session_items, reviews })
    }

    /// Erases the sessions of the tasks that are selected by task id or by user.
    async fn erase_sessions(&self, part: &RepositoryShare, which: &Selection) -> Result<u64> {
        let (of, asked) = (part.clone(), which.clone());
        let tasks = self.engine.store().read(move |tx| named(tx, &of, &asked)).await?;
        let mut erased = 0_u64;
        for task in tasks {
            loop {
                let (task, now) = (task.clone(), self.engine.now());
                let some = self.engine.store().write(move |tx| erase_items(tx, &task, now)).await?;
                erased = erased.saturating_add(u64::try_from(some).unwrap_or(u64::MAX));
                if some < ITEMS {
                    break;
                }
            }
        }
        Ok(erased)
    }
}

impl Coding {
    /// If the selection names only a reviewer, removes their statements from rules, and erases
    /// their reviews. Returns the rules without other support; `None` for any other selection.
    async fn forget_what_they_said(
        &self,
        part: &RepositoryShare,
        which: &Selection,
        by: &str,
    ) -> Result<Option<Vec<RecordId>>> {
        let Some(reviewer) = which.reviewer.clone() else { return Ok(None) };
        let is_alone = *which == Selection { reviewer: Some(reviewer.clone()), ..Selection::default() };
        if !is_alone {
            return Ok(None);
        }
        let (part, by, at) = (part.clone(), by.to_owned(), self.engine.now());
        let server = self.parts.settings.clone();
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &part.memory)?;
                let changing = StateTransition { memory: &memory, by: &by, at };
                let login = reviewer.trim_start_matches('@');
                rules::forget_login(tx, &changing, &part.actor, login, &server).map(Some)
            })
            .await
    }

    /// Returns the selected records without the support of others, and the rules that lost their
    /// support.
    async fn without_support(
        &self,
        part: &RepositoryShare,
        found: Vec<RecordId>,
        bare: Vec<RecordId>,
    ) -> Result<Vec<RecordId>> {
        let memory = part.memory.clone();
        self.engine
            .store()
            .read(move |tx| {
                let mut going = bare.clone();
                for id in &found {
                    if !going.contains(id) && rules::support_of(tx, &memory, id)?.is_none() {
                        going.push(id.clone());
                    }
                }
                Ok(going)
            })
            .await
    }
}

fn confirmed(confirm: Option<u64>, matched: u64) -> Result<()> {
    match confirm {
        None => Err(Error::invalid("confirm", "confirm must be the number of records that a dry run named")),
        Some(said) if said == matched => Ok(()),
        Some(_) => {
            let message =
                format!("{matched} records are meant by now: look at them by a dry run, and confirm that");
            Err(Error::conflict(message).on("confirm"))
        }
    }
}

fn named(tx: &dyn ReadTx, part: &RepositoryShare, which: &Selection) -> Result<Vec<Task>> {
    let mut tasks = match &which.user {
        Some(user) => tasks_of(tx, part, user)?,
        None => Vec::new(),
    };
    if let Some(id) = &which.task {
        let task = tx.tasks().get(&part.memory, id)?.filter(|task| task.actor == part.actor);
        tasks.retain(|one| Some(&one.id) != task.as_ref().map(|task| &task.id));
        tasks.extend(task);
    }
    // A selection with further conditions covers only a part of a task's records, and not its
    // session.
    let is_whole =
        *which == Selection { task: which.task.clone(), user: which.user.clone(), ..Selection::default() };
    Ok(if is_whole { tasks } else { Vec::new() })
}

fn erase_items(tx: &mut dyn Tx, task: &Task, now: Timestamp) -> Result<usize> {
    let items = tx.task_sessions().items(&SessionItemQuery {
        memory: task.memory.clone(),
        task: task.id.clone(),
        after: None,
        kinds: Vec::new(),
        words: Vec::new(),
        // Expired items are erased as well, regardless of their time.
        now: Timestamp::EPOCH,
        limit: ITEMS,
    })?;
    for item in &items {
        if let Some(event) = &item.event {
            tx.events_mut().delete(&task.memory, &task.actor, &task.session, event, now)?;
        }
        tx.task_sessions_mut().drop_item(&task.memory, &task.id, item.seq)?;
    }
    if !items.is_empty() {
        asking_forgetting::of_session(tx, &task.memory, &task.actor, &task.session, now)?;
    }
    Ok(items.len())
}

/// The caller who erases, the reason and the time.
struct Erasing<'a> {
    vault: &'a dyn Vault,
    /// The texts of the documents among them.
    texts: &'a ErasedTexts,
    by: &'a str,
    reason: &'a str,
    at: Timestamp,
}

fn erase(tx: &mut dyn Tx, part: &RepositoryShare, ids: &[RecordId], erasing: &Erasing<'_>) -> Result<()> {
    let Erasing { vault, texts, by, reason, at } = *erasing;
    let memory = existing(tx, &part.memory)?;
    let records = tx.records().get_many(&memory.id, ids)?;
    let records: Vec<_> = records.into_iter().filter(|one| one.state != RecordState::Erased).collect();
    // Waiting questions for a model may quote them.
    asking_forgetting::of_records(tx, &memory.id, None, at)?;
    let tombstones = Tombstones { vault, memory: &memory.id };
    for record in &records {
        told::of_record(tx, record, at)?;
        tombstones.put_record(tx, record, ErasureReach::Forgotten(texts), at)?;
    }
    let going: Vec<RecordId> = records.iter().map(|record| record.id.clone()).collect();
    tx.records_mut().erase(&memory.id, &going, at)?;
    write_context::products()?.content_erased(tx, &memory.id, &going)?;
    for record in &records {
        tx.telemetry_mut().append(&StateChange {
            memory: memory.id.clone(),
            record: record.id.clone(),
            version: record.version,
            from: Some(record.state),
            to: RecordState::Erased,
            reason: format!("purged: {reason}").chars().take(limits::REASON_CHARS_MAX).collect(),
            by: by.to_owned(),
            at,
        })?;
        tx.ledger_mut().remove(&memory.id, &Agreement::SHELF, record.id.as_str())?;
        tx.ledger_mut().remove(&memory.id, &BranchFact::SHELF, record.id.as_str())?;
    }
    forget_conflicts(tx, part, &going)?;
    if !going.is_empty() {
        let (memory, actor) = (part.memory.clone(), part.actor.clone());
        tx.ledger_mut().put_noun(&Purge { memory, actor, records: going.clone(), by: by.to_owned(), at })?;
    }
    record_changes::erased(tx, &memory.id, &going, by, at)?;
    record_streams::erased(tx, &memory, &going, true, at)
}

/// Removes conflicts, because their texts describe the contradicting records.
fn forget_conflicts(tx: &mut dyn Tx, part: &RepositoryShare, going: &[RecordId]) -> Result<()> {
    let going: BTreeSet<&RecordId> = going.iter().collect();
    let mut after = None;
    loop {
        let page = LedgerPage {
            memory: part.memory.clone(),
            shelf: Conflict::SHELF,
            actor: Some(part.actor.clone()),
            subject: None,
            after,
            limit: ROWS,
        };
        let conflicts = tx.ledger().nouns::<Conflict>(&page)?;
        let Some(last) = conflicts.last() else { return Ok(()) };
        after = Some((last.found_at, last.id.clone()));
        for conflict in &conflicts {
            if going.contains(&conflict.standing) || going.contains(&conflict.against) {
                tx.ledger_mut().remove(&part.memory, &Conflict::SHELF, &conflict.id)?;
            }
        }
    }
}
