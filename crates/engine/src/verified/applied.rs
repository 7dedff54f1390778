//! `fact_applied`: a fact was used in a task (verified-memory.md §12). Used after a verification that found it valid, it is
//! confirmed by the use.

use loci_model::fact::{FactEvent, FactEventKind};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::verdict::Verdict;
use loci_model::{RecordId, Result, limits};
use serde::{Deserialize, Serialize};

use super::code_reading::WORKTREE;
use super::events::{Scene, details};
use super::locating::{Located, located};
use super::standing::Standing;
use super::{receipts, refresh, told, writing};
use crate::Engine;
use crate::idempotency::{ClientToken, look_up, remember, replayed};
use crate::memories::existing;

const OPERATION: &str = "FactApplied";

/// How the use went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppliedOutcome {
    /// It helped.
    Helped,
    /// It made no difference.
    Neutral,
    /// It did harm.
    Harmful,
}

impl AppliedOutcome {
    /// From its word.
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

/// What reporting did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactApplied {
    /// It was used without a valid verification before.
    pub unverified: bool,
    /// It was confirmed by the use.
    pub refreshed: bool,
}

impl Engine {
    /// Reports that a fact was used.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn fact_applied(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &RecordId,
        outcome: Option<AppliedOutcome>,
        token: Option<ClientToken>,
    ) -> Result<FactApplied> {
        let found = self.locate(caller, standing, id, Capability::Write).await?.found;
        let repository = found.repository;
        let token = token.map(|token| token.of(caller, &repository.memory)).transpose()?;
        let now = self.clock.now();
        let since = receipts::since(now, self.settings.verified.receipt_minutes);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, now);
        let (engine, caller, standing, id) = (self.clone(), caller.clone(), standing.clone(), id.clone());
        self.store
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                let vault = engine.vault.as_ref();
                let before = look_up(tx, vault, token.as_ref(), Some(&memory.id), OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok(first);
                }
                let Located { remembered, .. } = located(tx, &caller, &memory.id, &id, Capability::Write)?;
                let newest = receipts::newest(tx, &caller, &standing, &memory.id, &id, since)?;
                let receipt = newest.filter(receipts::is_valid);
                let mut fact = remembered.fact;
                let refreshed = receipt.as_ref().is_some_and(confirms)
                    && fact.status == RecordState::Active
                    && outcome != Some(AppliedOutcome::Harmful);
                let ids = engine.ids.as_ref();
                let of = receipt.as_ref();
                let here = Scene {
                    reference: of.and_then(|event| event.reference.clone()),
                    commit: of.and_then(|event| event.commit),
                    ..scene.clone()
                };
                let word = outcome.map(AppliedOutcome::as_str);
                let applied = FactEvent {
                    verdict: of.map(|_| Verdict::Valid),
                    cause: Some(if of.is_some() { "verified" } else { "unverified" }.to_owned()),
                    details: details(&serde_json::json!({ "outcome": word }))?,
                    ..here.event(ids, FactEventKind::Applied, Some(&id))
                };
                let mut events = vec![applied];
                fact.counters.applied += 1;
                fact.last_used_at = Some(now);
                if fact.status == RecordState::Active {
                    let lives = now.plus_days(engine.settings.verified.expiry_days);
                    fact.expires_at = fact.expires_at.max(lives);
                }
                if refreshed {
                    refresh::confirm(tx, &mut fact, &engine, &here)?;
                    events.push(FactEvent {
                        verdict: Some(Verdict::Valid),
                        cause: Some("applied".to_owned()),
                        ..here.event(ids, FactEventKind::Refreshed, Some(&id))
                    });
                }
                writing::fact(tx, &fact, &events)?;
                let done = FactApplied { unverified: receipt.is_none(), refreshed };
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &done, expires)?;
                Ok(done)
            })
            .await
    }
}

/// What was told of files that lie somewhere confirms nothing (0088).
fn confirms(receipt: &FactEvent) -> bool {
    let is_of_commit = receipt.commit.is_some() && receipt.reference.as_deref() != Some(WORKTREE);
    is_of_commit || !told::is_told(receipt)
}
