//! The verbs `held_list` and `held_decide`: records of a repository that wait for a person, and the
//! decision. Rules have a list of their own, with their support.

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::page::Page;
use loci_engine::calls::reason_text;
use loci_engine::memories::existing;
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::{batch, quarantine};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{RecordPage, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordState};
use loci_model::{Error, JobId, RecordId, Result, Timestamp, limits};

use super::RepositoryShare;
use super::selection::scope_of;
use crate::Coding;
use crate::rules::rules_list::rules_of;

/// The number of records that one page reads.
const ROWS: usize = 200;

/// A person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldDecision {
    /// The record is in force from now on.
    Accept,
    /// The record is invalid permanently.
    Reject,
}

impl Coding {
    /// Returns a page of records that wait for a person (`candidate`), or are quarantined
    /// (`quarantined`), the newest first, after the cursor `after`.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without administration of the repository's actor; `Invalid` for
    /// another state.
    pub async fn held_list(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        state: RecordState,
        (after, limit): (Option<(Timestamp, RecordId)>, u32),
    ) -> Result<Page<Record, (Timestamp, RecordId)>> {
        if !is_held(state) {
            return Err(Error::invalid("state", "state must be candidate or quarantined"));
        }
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let (now, wanted) = (self.engine.now(), limit.clamp(1, limits::PAGE_ITEMS_MAX) as usize);
        self.engine
            .store()
            .read(move |tx| {
                let scope = scope_of(&part, &[state], now)?;
                let (mut found, mut after) = (Vec::new(), after.clone());
                loop {
                    let page = tx.records().list(&RecordPage { scope: scope.clone(), after, limit: ROWS })?;
                    let is_last = page.len() < ROWS;
                    after = page.last().map(|record| (record.created_at, record.id.clone()));
                    found.extend(page.into_iter().filter(|record| !is_rule(&part, record)));
                    if is_last || found.len() > wanted {
                        break;
                    }
                }
                found.truncate(wanted + 1);
                Ok(Page::cut(found, wanted, |record| (record.created_at, record.id.clone())))
            })
            .await
    }

    /// Decides about a waiting record.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` for a record that does not wait here; `Denied` without
    /// administration of the repository's actor.
    pub async fn held_decide(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        (id, decision): (&RecordId, HeldDecision),
        reason: &str,
    ) -> Result<Record> {
        let reason = reason_text::required(reason)?;
        let part = self.part(caller, standing, repo, Capability::Admin).await?;
        let (id, by, at) = (id.clone(), caller.name.clone(), self.engine.now());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?;
        let decided = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &part.memory)?;
                let changing = StateTransition { memory: &memory, by: &by, at };
                let missing = || Error::not_found(format!("no record {id} waits here")).on("record");
                let record = tx.records().get(&memory.id, &id)?;
                let record = record.filter(|record| waits(&part, record)).ok_or_else(missing)?;
                decide(tx, &changing, &record, decision, &reason)?;
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                tx.records().get(&memory.id, &id)?.ok_or_else(missing)
            })
            .await?;
        self.engine.wake().call();
        Ok(decided)
    }
}

fn is_held(state: RecordState) -> bool {
    matches!(state, RecordState::Candidate | RecordState::Quarantined)
}

fn waits(part: &RepositoryShare, record: &Record) -> bool {
    let lies_here = record.namespace.normal().starts_with(&format!("/{}/", part.actor));
    lies_here && is_held(record.state) && !is_rule(part, record)
}

fn is_rule(part: &RepositoryShare, record: &Record) -> bool {
    record.namespace.normal().starts_with(&rules_of(part.actor.as_str()))
}

fn decide(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    record: &Record,
    decision: HeldDecision,
    reason: &str,
) -> Result<()> {
    match (decision, record.state) {
        (HeldDecision::Reject, _) => changing.set_state(tx, record, RecordState::Invalid, reason),
        (HeldDecision::Accept, RecordState::Quarantined) => quarantine::release(tx, changing, record, reason),
        (HeldDecision::Accept, _) => changing.restore(tx, record, reason),
    }
    .map(drop)
}
