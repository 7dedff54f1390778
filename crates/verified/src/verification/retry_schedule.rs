//! When the background looks at a fact at a tip of the default branch: once where the code could be read; where it could not,
//! again after ever longer pauses, for a day. What was found and tried is told by the fact and by its rows: nothing more is kept.

use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::verdict::{Unverifiable, Verification};
use loci_model::ports::store::ReadTx;
use loci_model::principal::Principal;
use loci_model::time::DAY_MS;
use loci_model::{Result, Timestamp};

use crate::facts::events;

/// For so long it is tried at one tip; the next tip begins anew.
const TRIED_MS: i64 = DAY_MS;
/// Rows of a fact that are read for what was tried.
const ROWS: usize = 200;

/// What is to be done about a fact at a tip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// It is looked at.
    Now,
    /// It could not be read: it is looked at again, not yet.
    Later,
    /// Nothing more at this tip.
    Never,
}

/// What is to be done about a fact.
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
    // As long again as it was tried already: every pause is twice the one before.
    Ok(if now.millis() - newest.at.millis() >= tried_ms { Due::Now } else { Due::Later })
}

/// Whether nothing more is to be done at this commit about a fact that was found so: it was read, what hinders is in the commit
/// itself, or nobody vouches for its citations.
pub(crate) fn is_done(fact: &Fact, verification: &Verification) -> bool {
    fact.proposed
        || verification.verdict.is_conclusive()
        || events::why(verification).is_some_and(Unverifiable::is_lasting)
}

fn is_lasting(row: &FactEvent) -> bool {
    row.cause.as_deref().and_then(Unverifiable::parse).is_some_and(Unverifiable::is_lasting)
}
