//! The effect of a rollback on each record: a later record is rolled back, a changed record gets
//! its earlier text as the next version, and its earlier state. Records that cannot be restored are
//! listed.

use std::collections::HashMap;

use loci_api::coding::safeguard::NotUndone;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ledger::LedgerNoun as _;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, Tx};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::rollback::{Purge, UndoneRecord};
use loci_model::{Error, ErrorKind, RecordId, Result, Timestamp, limits};

use super::RepositoryShare;
use super::selection::scope_of;
use super::snapshots::RollbackTarget;
use super::state_history::{last_change, state_at};

/// The number of records that one page reads.
const ROWS: usize = 1_000;

/// The change of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RecordRollback {
    record: RecordId,
    from: RecordState,
    to: RecordState,
    version: u32,
    /// The version whose content is restored.
    content_of: Option<u32>,
    /// The record that superseded it at the target time.
    superseded_by: Option<RecordId>,
}

/// The changes of a rollback.
#[derive(Debug, Default)]
pub(super) struct RollbackPlan {
    steps: Vec<RecordRollback>,
    pub(super) not_undone: Vec<NotUndone>,
    /// The latest change of any affected record.
    pub(super) last_change: Option<Timestamp>,
}

impl RollbackPlan {
    /// Returns the later records, which are rolled back.
    pub(super) fn rolled_back(&self) -> Vec<String> {
        self.of(|step| step.to == RecordState::RolledBack)
    }

    /// Returns the records that are in force again.
    pub(super) fn restored(&self) -> Vec<String> {
        self.of(|step| step.to == RecordState::Active && step.from != RecordState::Active)
    }

    /// Returns all other records that change.
    pub(super) fn changed(&self) -> Vec<String> {
        self.of(|step| {
            let is_restored = step.to == RecordState::Active && step.from != RecordState::Active;
            step.to != RecordState::RolledBack && !is_restored
        })
    }

    fn of(&self, is_one: impl Fn(&RecordRollback) -> bool) -> Vec<String> {
        self.steps.iter().filter(|step| is_one(step)).map(|step| step.record.to_string()).collect()
    }

    /// Returns the changes in their stored form.
    pub(super) fn undone(&self) -> Vec<UndoneRecord> {
        let undone = |step: &RecordRollback| UndoneRecord {
            record: step.record.clone(),
            from: step.from,
            to: step.to,
            version: step.version,
        };
        self.steps.iter().map(undone).collect()
    }
}

/// Plans the changes of a rollback.
///
/// # Errors
/// `TooLarge` for more records than one call may change; errors of the store.
pub(super) fn plan(
    tx: &dyn ReadTx,
    part: &RepositoryShare,
    target: RollbackTarget,
    now: Timestamp,
) -> Result<RollbackPlan> {
    let scope = scope_of(part, RecordState::ALL, now)?;
    let (mut moved, mut took_place) = (Vec::new(), HashMap::<RecordId, Vec<(Timestamp, RecordId)>>::new());
    let mut after = None;
    loop {
        let records = tx.records().list(&RecordPage { scope: scope.clone(), after, limit: ROWS })?;
        let Some(last) = records.last() else { break };
        after = Some((last.created_at, last.id.clone()));
        for record in records {
            for old in &record.supersedes {
                took_place.entry(old.clone()).or_default().push((record.created_at, record.id.clone()));
            }
            if record.sequence > target.sequence {
                moved.push(record);
            }
        }
        if u64::try_from(moved.len()).unwrap_or(u64::MAX) > limits::MIGRATION_RECORDS_MAX {
            let rule = "more than 200,000 records changed since: go back to a later snapshot first";
            return Err(Error::new(ErrorKind::TooLarge, rule).on("to"));
        }
    }
    moved.extend(purged_since(tx, part, target)?);
    let mut plan = RollbackPlan::default();
    for record in moved {
        let by = took_place.get(&record.id).map_or(&[][..], Vec::as_slice);
        match step(tx, &record, by, target, now, &mut plan.last_change)? {
            RollbackStep::Nothing => {}
            RollbackStep::Step(step) => plan.steps.push(step),
            RollbackStep::Impossible(reason) => plan.not_undone.push(not_undone(&record.id, reason)),
        }
    }
    // Later records are changed first, so that the records that they superseded can be restored.
    plan.steps.sort_by_key(|step| step.to != RecordState::RolledBack);
    Ok(plan)
}

/// Returns the records that were erased since. Only the fact of their existence is known.
fn purged_since(tx: &dyn ReadTx, part: &RepositoryShare, target: RollbackTarget) -> Result<Vec<Record>> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = LedgerPage {
            memory: part.memory.clone(),
            shelf: Purge::SHELF,
            actor: Some(part.actor.clone()),
            subject: None,
            after,
            limit: ROWS,
        };
        let purges = tx.ledger().nouns::<Purge>(&page)?;
        let is_last = purges.len() < ROWS || purges.last().is_some_and(|purge| purge.at <= target.at);
        after = purges.last().map(|purge| (purge.at, purge.key()));
        for purge in purges.into_iter().filter(|purge| purge.at > target.at) {
            found.extend(tx.records().get_many(&part.memory, &purge.records)?);
        }
        if is_last {
            return Ok(found);
        }
    }
}

enum RollbackStep {
    Nothing,
    Step(RecordRollback),
    Impossible(&'static str),
}

fn step(
    tx: &dyn ReadTx,
    record: &Record,
    took_place: &[(Timestamp, RecordId)],
    target: RollbackTarget,
    now: Timestamp,
    last: &mut Option<Timestamp>,
) -> Result<RollbackStep> {
    let changes = tx.telemetry().of_record(&record.memory, &record.id)?;
    let was = state_at(record, &changes, target.at);
    let is_gone = record.state == RecordState::Erased;
    let Some(was) = was else {
        if is_gone || record.state == RecordState::RolledBack {
            return Ok(RollbackStep::Nothing);
        }
        *last = (*last).max(Some(last_change(record, &changes)));
        return Ok(RollbackStep::Step(of(record, RecordState::RolledBack)));
    };
    if is_gone {
        return Ok(if was == RecordState::Erased {
            RollbackStep::Nothing
        } else {
            RollbackStep::Impossible("erased")
        });
    }
    if was == RecordState::Active && record.is_expired(now) {
        return Ok(if record.state == was {
            RollbackStep::Nothing
        } else {
            RollbackStep::Impossible("past_its_time")
        });
    }
    let known = tx.records().known_at(&record.memory, &record.id, target.at)?;
    let content_of = known.filter(|known| !says_the_same(known, record)).map(|known| known.version);
    // The earlier text of a record out of force stays in its history, because nobody reads it.
    let content_of = content_of.filter(|_| was == RecordState::Active);
    if was == record.state && content_of.is_none() {
        return Ok(RollbackStep::Nothing);
    }
    let mut step = RecordRollback { content_of, ..of(record, was) };
    if was == RecordState::Superseded {
        let then = took_place.iter().filter(|(at, _)| *at <= target.at).max();
        let by = then.map(|(_, id)| id.clone()).or_else(|| record.superseded_by.clone());
        let Some(by) = by else { return Ok(RollbackStep::Impossible("replaced_by_unknown")) };
        step.superseded_by = Some(by);
    }
    *last = (*last).max(Some(last_change(record, &changes)));
    Ok(RollbackStep::Step(step))
}

/// True if two versions have the same content, regardless of their numbers.
fn says_the_same(one: &Record, other: &Record) -> bool {
    let content = |record: &Record| {
        let Record { text, index_text, title, description, path, scope, metadata, .. } = record.clone();
        (text, index_text, title, description, path, scope, metadata)
    };
    one.version == other.version || content(one) == content(other)
}

fn of(record: &Record, to: RecordState) -> RecordRollback {
    RecordRollback {
        record: record.id.clone(),
        from: record.state,
        to,
        version: record.version,
        content_of: None,
        superseded_by: None,
    }
}

fn not_undone(record: &RecordId, reason: &str) -> NotUndone {
    NotUndone { id: record.to_string(), reason: reason.to_owned() }
}

/// Applies a plan. Changes that fail are added to `not_undone`.
///
/// # Errors
/// Errors of the store.
pub(super) fn apply(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    plan: &mut RollbackPlan,
    reason: &str,
) -> Result<()> {
    let mut left = Vec::new();
    for step in &plan.steps {
        let Some(record) = tx.records().get(&changing.memory.id, &step.record)? else { continue };
        put_state(tx, changing, &record, step, reason)?;
        if let Some(version) = step.content_of
            && !bring_back(tx, changing, &step.record, version, reason)?
        {
            left.push(not_undone(&step.record, "too_many_versions"));
        }
    }
    plan.not_undone.extend(left);
    Ok(())
}

fn put_state(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    record: &Record,
    step: &RecordRollback,
    reason: &str,
) -> Result<()> {
    if record.state == step.to {
        return Ok(());
    }
    if step.to == RecordState::Active {
        if !changing.restore(tx, record, reason)? {
            changing.set_state(tx, record, RecordState::Active, reason)?;
        }
        return Ok(());
    }
    let by = match &step.superseded_by {
        Some(by) => tx.records().get(&changing.memory.id, by)?,
        None => None,
    };
    if let (Some(by), RecordState::Active) = (by, record.state) {
        return changing.supersede(tx, record, &by, reason).map(drop);
    }
    changing.set_state(tx, record, step.to, reason).map(drop)
}

/// Writes the content of an earlier version as the next version. Returns false if the record has
/// too many versions.
fn bring_back(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    id: &RecordId,
    version: u32,
    reason: &str,
) -> Result<bool> {
    let memory = &changing.memory.id;
    let earlier = tx.records().history(memory, id)?.into_iter().find(|one| one.version == version);
    let (Some(current), Some(earlier)) = (tx.records().get(memory, id)?, earlier) else { return Ok(true) };
    let Some(next) = current.version.checked_add(1) else { return Ok(false) };
    let restored = Record {
        version: next,
        sequence: 0,
        namespace: current.namespace.clone(),
        state: current.state,
        state_reason: None,
        superseded_by: None,
        supersedes: current.supersedes.clone(),
        valid_to: None,
        created_at: current.created_at,
        updated_at: changing.at,
        expires_at: current.expires_at,
        expiry_days: current.expiry_days,
        ..earlier
    };
    tx.records_mut().put_version(&restored)?;
    changing.note(tx, &restored, Some(current.state), restored.state, reason)?;
    Ok(true)
}
