//! `fact_refresh`: confirms a fact or a proposal, by a receipt or by a verification made now. A
//! fact that does not hold stays unchanged.

use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::memories::existing;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind, LastVerified};
use loci_model::facts::verdict::Verdict;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{Confirmation, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, JobId, RecordId, Result, Timestamp, limits};
use serde::{Deserialize, Serialize};

use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::lookup::{LocatedFact, stored_or_proposed};
use crate::facts::receipts;
use crate::record_citations::promotion::{PromotionRequest, promote};
use crate::remote_verification::reported_verdicts;
use crate::repositories::code_access::{WORKTREE, check_ref};
use crate::verification::state_write;
use loci_engine::calls::call_context::{CallContext, check_label};

const OPERATION: &str = "FactRefresh";

/// A fact that was confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactRefreshed {
    /// The time of the confirmation.
    pub refreshed_at: Timestamp,
    /// The number of confirmations so far.
    pub verification_count: u64,
    /// The verdict about the fact.
    pub verdict: Verdict,
}

/// A request to confirm a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRefresh {
    /// The id of the fact to confirm.
    pub id: RecordId,
    /// A receipt. `None` uses a receipt of the caller's session, or else verifies now.
    pub receipt: Option<String>,
    /// The revision. `None` is the caller's working tree, or else `HEAD`.
    pub reference: Option<String>,
    /// A label for the verifier.
    pub verified_by: Option<String>,
}

impl Verified {
    /// Confirms a fact.
    ///
    /// # Errors
    /// `NOT_VERIFIED` if the fact or the receipt does not hold; `UNVERIFIABLE` if the code cannot
    /// be read; `NOT_ACTIVE` unless the fact is active, or quarantined because its code was gone.
    pub async fn fact_refresh(
        &self,
        caller: &Principal,
        standing: &CallContext,
        refresh: FactRefresh,
        token: Option<ClientToken>,
    ) -> Result<FactRefreshed> {
        refresh.reference.as_deref().map_or(Ok(()), check_ref)?;
        refresh.verified_by.as_deref().map_or(Ok(()), |label| check_label("verified_by", label))?;
        let located = self.locate_proposed(caller, standing, &refresh.id, Capability::Write).await?;
        let memory = located.found.repository.memory.clone();
        let token = token.map(|token| token.of(caller, &memory)).transpose()?;
        if let Some(first) = self.first_answer(token.clone(), &memory, OPERATION).await? {
            return Ok(first);
        }
        check_refreshable(&located.remembered.fact)?;
        let scene = self.proof(caller, standing, &located, &refresh).await?;
        let now = scene.at;
        let (verified, caller, id) = (self.clone(), caller.clone(), refresh.id.clone());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                let vault = verified.engine.vault().as_ref();
                let before = look_up(tx, vault, token.as_ref(), Some(&memory.id), OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok(first);
                }
                let located = stored_or_proposed(tx, &caller, &memory.id, &id, Capability::Write)?;
                let mut fact = located.remembered.fact;
                check_refreshable(&fact)?;
                if fact.proposed {
                    let told = PromotionRequest::of(&fact);
                    promote(tx, &memory, &located.remembered.record, &mut fact, told, &scene, &job)?;
                }
                if fact.status != RecordState::Active {
                    let record = &located.remembered.record;
                    let (to, reason) = (RecordState::Active, "refreshed");
                    state_write::state(tx, &memory, record, to, reason, &scene.principal, now)?;
                }
                confirm(tx, &mut fact, &verified, &scene)?;
                let event = FactEvent {
                    verdict: Some(Verdict::Valid),
                    cause: Some("refresh".to_owned()),
                    ..scene.event(verified.engine.ids().as_ref(), FactEventKind::Refreshed, Some(&id))
                };
                state_write::fact(tx, &fact, &[event])?;
                let done = FactRefreshed {
                    refreshed_at: now,
                    verification_count: fact.counters.verifications,
                    verdict: Verdict::Valid,
                };
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &done, expires)?;
                Ok(done)
            })
            .await
    }

    /// Returns the proof that the fact holds: a receipt, while its revision still names its commit,
    /// or a verification made now.
    async fn proof(
        &self,
        caller: &Principal,
        standing: &CallContext,
        located: &LocatedFact,
        refresh: &FactRefresh,
    ) -> Result<Scene> {
        let repository = &located.found.repository;
        let reference = refresh.reference.as_deref();
        let now = self.engine.now();
        let since = receipts::since(now, self.parts.settings.receipt_minutes);
        let (asking, place, id) = (caller.clone(), repository.memory.clone(), refresh.id.clone());
        let (receipt, labels) = (refresh.receipt.clone(), standing.clone());
        let found = self
            .engine
            .store()
            .read(move |tx| match &receipt {
                Some(receipt) => receipts::named(tx, &asking, &place, &id, receipt, since).map(Some),
                None => Ok(receipts::newest(tx, &asking, &labels, &place, &id, since)?
                    .filter(|event| labels.session.is_some() && receipts::is_valid(event))),
            })
            .await?;
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, now);
        if let Some(event) = found {
            let named = event.reference.clone();
            if told_holds(&event, located) {
                return Ok(scene.at_revision(named.as_deref().unwrap_or_default(), event.commit));
            }
            let again = reference.or(named.as_deref());
            let tip = self.tip(repository, standing, again).await;
            let holds = !reported_verdicts::is_told(&event)
                && tip.as_ref().is_ok_and(|tip| receipts::is_current(&event, tip));
            if holds && located.remembered.is_whole() {
                return Ok(scene.at_revision(again.unwrap_or_default(), event.commit));
            }
            // Files in a working tree may have changed since, so they are verified again.
            let is_of_files =
                event.reference.as_deref() == Some(WORKTREE) && !reported_verdicts::is_told(&event);
            if refresh.receipt.is_some() && !is_of_files {
                let rule = "the receipt's revision has moved on since, or the fact was changed: verify again";
                return Err(Error::code(CodeReason::NotVerified, rule).on("verification_id"));
            }
        }
        let (verified, _) = self.verify_located(caller, standing, located, reference).await?;
        super::preconditions::require(&verified)?;
        Ok(Scene { at: self.engine.now(), ..scene }.at_revision(&verified.reference, verified.commit))
    }
}

/// Returns true for a verdict that a caller with access to the code reported at a commit. It
/// confirms an active fact. It does not reactivate one, because a reported verdict changes no
/// state.
fn told_holds(event: &FactEvent, located: &LocatedFact) -> bool {
    reported_verdicts::is_told(event)
        && event.commit.is_some()
        && event.reference.as_deref() != Some(WORKTREE)
        && located.remembered.fact.status == RecordState::Active
        && !located.remembered.fact.proposed
        && located.remembered.is_whole()
}

fn check_refreshable(fact: &Fact) -> Result<()> {
    let is_back = fact.status == RecordState::Quarantined && fact.detail.gone.is_some();
    if fact.status == RecordState::Active || is_back {
        Ok(())
    } else {
        Err(super::preconditions::not_active(fact.status))
    }
}

/// Records one more confirmation in the fact, and as the time of its record.
pub(crate) fn confirm(tx: &mut dyn Tx, fact: &mut Fact, verified: &Verified, scene: &Scene) -> Result<()> {
    fact.status = RecordState::Active;
    fact.detail.gone = None;
    fact.counters.verifications += 1;
    fact.refreshed_at = scene.at;
    fact.expires_at = fact.expires_at.max(scene.at.plus_days(verified.parts.settings.expiry_days));
    if let Some(last) = &mut fact.detail.last_verified
        && Some(last.commit) == scene.commit
    {
        *last = LastVerified { at: scene.at, by: scene.principal.clone(), ..last.clone() };
    }
    tx.records_mut().confirm(&scene.memory, &fact.record, &Confirmation::at(scene.at))
}
