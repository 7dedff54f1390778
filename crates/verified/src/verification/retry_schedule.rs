//! The schedule of background verifications of a fact at a tip of the default branch.
//!
//! A fact whose code is readable is verified once. One whose code is not readable is retried for a
//! day, after increasing pauses. The fact and its events contain all needed data, so nothing more
//! is stored.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{Unverifiable, Verification};
use loci_model::ports::store::ReadTx;
use loci_model::principal::Principal;
use loci_model::time::DAY_MS;
use loci_model::{Result, Timestamp};

use crate::facts::events;

/// The time in which a fact is retried at one tip, in milliseconds. The next tip starts again.
const TRIED_MS: i64 = DAY_MS;
/// The number of a fact's events that are read for earlier attempts.
const ROWS: usize = 200;

/// The action for a fact at a tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// Verify it now.
    Now,
    /// Its code could not be read; retry it later.
    Later,
    /// Nothing more at this tip.
    Never,
}

/// Returns the action for a fact.
pub(crate) fn due(tx: &dyn ReadTx, fact: &Fact, tip: ObjectId, now: Timestamp) -> Result<Due> {
    let own = Principal::engine().name;
    let last = fact.detail.last_verified.as_ref();
    if last.is_some_and(|last| last.commit == tip && last.by == own) {
        return Ok(Due::Never);
    }
    let (kinds, since) = ([FactEventKind::VerificationSkipped], now.plus_millis(-2 * TRIED_MS));
    if tx.fact_events().newest(&fact.memory, &fact.record, &kinds, since, None)?.is_none() {
        return Ok(Due::Now); // As nearly always: without reading more.
    }
    let mut tries = tx.fact_events().of_record(&fact.memory, &fact.record, ROWS)?;
    tries.retain(|row| {
        kinds.contains(&row.kind) && row.commit == Some(tip) && row.principal == own && row.at >= since
    });
    let (Some(newest), Some(oldest)) = (tries.first(), tries.last()) else { return Ok(Due::Now) };
    let tried_ms = newest.at.millis() - oldest.at.millis();
    if fact.proposed || is_lasting(newest) || tried_ms >= TRIED_MS {
        return Ok(Due::Never);
    }
    // The pause equals the time since the first attempt, so every pause is twice the one before.
    Ok(if now.millis() - newest.at.millis() >= tried_ms { Due::Now } else { Due::Later })
}

/// Returns true if a fact needs no further verification at this commit: its code was read, the
/// obstacle is in the commit itself, or its citations are only proposed.
pub(crate) fn is_done(fact: &Fact, verification: &Verification) -> bool {
    fact.proposed
        || verification.verdict.is_conclusive()
        || events::why(verification).is_some_and(Unverifiable::is_lasting)
}

fn is_lasting(row: &FactEvent) -> bool {
    row.cause.as_deref().and_then(Unverifiable::parse).is_some_and(Unverifiable::is_lasting)
}
