//! `fact_invalidate`: a caller declares a fact wrong.
//!
//! The call is rejected while the newest verification could not read the code. An unreadable file
//! is no evidence, and an agent's loop must not treat it as such.

use loci_engine::access;
use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::memories::existing;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, RecordId, Result, limits};
use serde::{Deserialize, Serialize};

use super::preconditions::not_active;
use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::lookup::{self, LocatedFact};
use crate::facts::receipts;
use crate::given_citations::stored_facts;
use crate::verification::state_write;
use loci_engine::calls::call_context::CallContext;

const OPERATION: &str = "FactInvalidate";
/// The minimum and the maximum number of characters in a reason.
const REASON_CHARS: std::ops::RangeInclusive<usize> = 5..=1_000;

/// The result of an invalidation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactInvalidated {
    /// The state of the fact's record after the call.
    pub status: RecordState,
    /// True if the call changed the state.
    pub changed: bool,
}

impl Verified {
    /// Declares a fact wrong. Repeating the call changes nothing.
    ///
    /// # Errors
    /// `UNVERIFIABLE` if the newest verification could not read the code, unless an administrator
    /// of the memory calls outside of an agent's tools; `NOT_ACTIVE` for a fact that was superseded
    /// or deleted.
    pub async fn fact_invalidate(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        reason: &str,
        by_person: bool,
        token: Option<ClientToken>,
    ) -> Result<FactInvalidated> {
        if !REASON_CHARS.contains(&reason.trim().chars().count()) {
            return Err(Error::invalid("reason", "reason must have 5 to 1000 characters"));
        }
        crate::new_facts::check_secrets(&[reason])?;
        let located = self.locate(caller, standing, id, Capability::Write).await?;
        let repository = located.found.repository;
        let overrides =
            by_person && access::require_whole(caller, &repository.memory, Capability::Admin).is_ok();
        let token = token.map(|token| token.of(caller, &repository.memory)).transpose()?;
        let now = self.engine.now();
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, now);
        let since = receipts::since(now, self.parts.settings.receipt_minutes);
        let (engine, caller, id, reason) =
            (self.clone(), caller.clone(), id.clone(), reason.trim().to_owned());
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                let vault = engine.engine.vault().as_ref();
                let before = look_up(tx, vault, token.as_ref(), Some(&memory.id), OPERATION, now)?;
                if let Some(first) = replayed(before)? {
                    return Ok(first);
                }
                let LocatedFact { remembered, .. } =
                    lookup::located(tx, &caller, &memory.id, &id, Capability::Write)?;
                let changed = match remembered.fact.status {
                    RecordState::Invalid => false,
                    RecordState::Active | RecordState::Quarantined | RecordState::Expired => true,
                    other => return Err(not_active(other)),
                };
                if changed {
                    if !overrides {
                        check_evidence(tx, &scene, &id, since)?;
                    }
                    let mut fact = remembered.fact.clone();
                    fact.status = RecordState::Invalid;
                    fact.counters.rejections += 1;
                    fact.detail.invalidated = Some((scene.principal.clone(), now));
                    let to = RecordState::Invalid;
                    state_write::state(tx, &memory, &remembered.record, to, &reason, &scene.principal, now)?;
                    let event = FactEvent {
                        cause: Some("caller".to_owned()),
                        ..scene.event(engine.engine.ids().as_ref(), FactEventKind::Invalidated, Some(&id))
                    };
                    state_write::fact(tx, &fact, &[event])?;
                }
                let done = FactInvalidated { status: RecordState::Invalid, changed };
                let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token.as_ref(), Some(&memory.id), OPERATION, &done, expires)?;
                Ok(done)
            })
            .await
    }
}

/// Checks that the newest verification on this server, of the fact or of its citations, was able to
/// read the code.
fn check_evidence(tx: &dyn ReadTx, scene: &Scene, id: &RecordId, since: loci_model::Timestamp) -> Result<()> {
    match stored_facts::newest(tx, scene, id, since)? {
        Some(event) if event.kind == FactEventKind::VerificationSkipped => {
            let why = event.cause.as_deref().unwrap_or("unreadable");
            let message = format!(
                "the cited code could not be read just now ({why}): that is no evidence that the fact is wrong; verify it \
                 again by its memory_id when the code can be read"
            );
            Err(Error::code(CodeReason::Unverifiable, message))
        }
        Some(_) | None => Ok(()),
    }
}
