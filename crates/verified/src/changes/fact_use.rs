//! `fact_applied`: reports the use of a fact in a task.
//!
//! A use counts only if an earlier verification found the fact valid: one of the caller's session,
//! or else one that this call makes. The report of a withheld fact is rejected. The use confirms
//! the fact.

use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::memories::existing;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::support::{OtherValue, Support, SupportReport};
use loci_model::facts::verdict::Verdict;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, RecordId, Result, limits};
use serde::{Deserialize, Serialize};

use super::preconditions::{self, not_active};
use super::refresh;
use crate::Verified;
use crate::facts::events::{Scene, details};
use crate::facts::lookup::{LocatedFact, located};
use crate::facts::receipts;
use crate::remote_verification::reported_verdicts;
use crate::repositories::code_access::WORKTREE;
use crate::serving_policy::missing_code::is_gone;
use crate::verification::state_write;
use loci_engine::calls::call_context::CallContext;

const OPERATION: &str = "FactApplied";

/// The outcome of the use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppliedOutcome {
    /// The fact helped.
    Helped,
    /// The fact made no difference.
    Neutral,
    /// The fact did harm.
    Harmful,
}

impl AppliedOutcome {
    /// Parses the outcome's name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "helped" => Some(Self::Helped),
            "neutral" => Some(Self::Neutral),
            "harmful" => Some(Self::Harmful),
            _ => None,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Helped => "helped",
            Self::Neutral => "neutral",
            Self::Harmful => "harmful",
        }
    }
}

/// The result of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactApplied {
    /// True if the fact was used without a valid verification before. Now always false, because
    /// such a use is rejected; true only in replayed answers of earlier versions.
    pub unverified: bool,
    /// True if the use confirmed the fact.
    pub refreshed: bool,
}

impl Verified {
    /// Reports the use of a fact.
    ///
    /// # Errors
    /// `NotFound`; `NOT_VERIFIED` if the code has changed, is gone or contradicts the fact;
    /// `UNVERIFIABLE` if the code cannot be read; `NOT_ACTIVE` for a fact that no read serves.
    pub async fn fact_applied(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        outcome: Option<AppliedOutcome>,
        token: Option<ClientToken>,
    ) -> Result<FactApplied> {
        let known = self.locate(caller, standing, id, Capability::Write).await?;
        let repository = known.found.repository.clone();
        let token = token.map(|token| token.of(caller, &repository.memory)).transpose()?;
        if let Some(first) = self.first_answer(token.clone(), &repository.memory, OPERATION).await? {
            return Ok(first);
        }
        self.verified_before_use(caller, standing, &known).await?;
        let now = self.engine.now();
        let since = receipts::since(now, self.parts.settings.receipt_minutes);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, now);
        let (verified, caller, id) = (self.clone(), caller.clone(), id.clone());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                let vault = verified.engine.vault().as_ref();
                let before = look_up(tx, vault, token.as_ref(), Some(&memory.id), OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok(first);
                }
                let found = located(tx, &caller, &memory.id, &id, Capability::Write)?;
                // A newer verification by another caller may differ from the caller's own.
                let newest =
                    tx.fact_events().newest(&memory.id, &id, receipts::VERIFICATIONS, since, None)?;
                let receipt = newest.filter(receipts::is_valid).ok_or_else(verify_first)?;
                let mut fact = found.remembered.fact;
                let refreshed = confirms(&receipt)
                    && fact.status == RecordState::Active
                    && outcome != Some(AppliedOutcome::Harmful);
                let ids = verified.engine.ids().as_ref();
                let here =
                    Scene { reference: receipt.reference.clone(), commit: receipt.commit, ..scene.clone() };
                let word = outcome.map(AppliedOutcome::as_str);
                let applied = FactEvent {
                    verdict: Some(Verdict::Valid),
                    cause: Some("verified".to_owned()),
                    details: details(&serde_json::json!({ "outcome": word }))?,
                    ..here.event(ids, FactEventKind::Applied, Some(&id))
                };
                let mut events = vec![applied];
                fact.counters.applied += 1;
                fact.last_used_at = Some(now);
                if fact.status == RecordState::Active {
                    let lives = now.plus_days(verified.parts.settings.expiry_days);
                    fact.expires_at = fact.expires_at.max(lives);
                }
                if refreshed {
                    refresh::confirm(tx, &mut fact, &verified, &here)?;
                    events.push(FactEvent {
                        verdict: Some(Verdict::Valid),
                        cause: Some("applied".to_owned()),
                        ..here.event(ids, FactEventKind::Refreshed, Some(&id))
                    });
                }
                state_write::fact(tx, &fact, &events)?;
                let done = FactApplied { unverified: false, refreshed };
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &done, expires)?;
                Ok(done)
            })
            .await
    }

    /// Checks that a fact was found valid before its use, by the caller's newest verification in
    /// this session or by one made now.
    async fn verified_before_use(
        &self,
        caller: &Principal,
        standing: &CallContext,
        located: &LocatedFact,
    ) -> Result<()> {
        let since = receipts::since(self.engine.now(), self.parts.settings.receipt_minutes);
        let (memory, id) = (located.found.repository.memory.clone(), located.remembered.record.id.clone());
        let (asking, place) = (caller.clone(), standing.clone());
        let newest = self
            .engine
            .store()
            .read(move |tx| receipts::newest(tx, &asking, &place, &memory, &id, since))
            .await?;
        let fact = &located.remembered.fact;
        let is_contradicted = |report: &&SupportReport| report.support == Support::Contradicted;
        // A receipt proves that the lines are there, but not that they support the statement.
        let is_doubtful = fact.detail.support.as_ref().is_some_and(|report| is_contradicted(&report));
        let is_held = fact.status == RecordState::Quarantined && !is_gone(fact);
        if newest.as_ref().is_some_and(receipts::is_valid) && !is_doubtful && !is_held {
            return Ok(());
        }
        if fact.status != RecordState::Active && !is_gone(fact) {
            return Err(not_active(fact.status));
        }
        let (verified, _) = self.verify_located(caller, standing, located, None).await?;
        preconditions::require(&verified).map_err(|error| error.on("memory_id"))?;
        let found = verified.verification.support.as_ref().filter(is_contradicted);
        found.map_or(Ok(()), |report| Err(contradicted(report)))
    }
}

fn verify_first() -> Error {
    let rule =
        "the fact was not found valid before this use: ask memory_verify_citations with its memory_id first";
    Error::code(CodeReason::NotVerified, rule).on("memory_id")
}

/// Returns the error for a fact whose code gives another value to a name of its statement.
fn contradicted(report: &SupportReport) -> Error {
    let others = report.other_values.iter().map(OtherValue::shown).collect::<Vec<_>>().join(", ");
    let why = if others.is_empty() { "the cited code says otherwise".to_owned() } else { others };
    let message = format!("the fact is withheld ({why}): supersede it, or invalidate it");
    Error::code(CodeReason::NotVerified, message).on("memory_id")
}

/// Returns true if the receipt may confirm the fact. A verdict that a caller reports on uncommitted
/// files confirms nothing (decision 0088).
fn confirms(receipt: &FactEvent) -> bool {
    let is_of_commit = receipt.commit.is_some() && receipt.reference.as_deref() != Some(WORKTREE);
    is_of_commit || !reported_verdicts::is_told(receipt)
}
