//! Receipts: a verification can replace another for some minutes. A receipt is the event of the
//! verification itself, with principal, record, commit, verdict and time.

use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::ports::store::ReadTx;
use loci_model::principal::Principal;
use loci_model::{CodeReason, Error, MemoryId, RecordId, Result, Timestamp};

use crate::repositories::code_access::Tip;
use crate::serving_policy::served_facts::receipts_since;
use loci_engine::calls::call_context::CallContext;

/// The kinds of events of a verification.
pub(crate) const VERIFICATIONS: &[FactEventKind] =
    &[FactEventKind::VerifiedValid, FactEventKind::VerifiedInvalid, FactEventKind::VerificationSkipped];

/// Returns a receipt that the caller names.
///
/// # Errors
/// `NOT_VERIFIED` unless the receipt is valid, recent, of this record and of this caller.
pub(crate) fn named(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    record: &RecordId,
    receipt: &str,
    since: Timestamp,
) -> Result<FactEvent> {
    let found = tx.fact_events().get(memory, receipt)?;
    let counts = |event: &FactEvent| {
        event.record.as_ref() == Some(record)
            && event.principal == caller.name
            && event.at >= since
            && is_valid(event)
    };
    found.filter(counts).ok_or_else(|| {
        let rule = "verification_id must be a valid verification of this fact by the same caller, not older than the \
                    receipt time";
        Error::code(CodeReason::NotVerified, rule).on("verification_id")
    })
}

/// Returns the newest verification of a record if this caller made it, in this session if one is
/// named.
pub(crate) fn newest(
    tx: &dyn ReadTx,
    caller: &Principal,
    standing: &CallContext,
    memory: &MemoryId,
    record: &RecordId,
    since: Timestamp,
) -> Result<Option<FactEvent>> {
    let newest = tx.fact_events().newest(memory, record, VERIFICATIONS, since, None)?;
    Ok(newest.filter(|event| {
        event.principal == caller.name && (standing.session.is_none() || event.session == standing.session)
    }))
}

/// Returns true for a receipt with the verdict valid whose lines were compared.
pub(crate) fn is_valid(event: &FactEvent) -> bool {
    event.kind == FactEventKind::VerifiedValid
        && event.verdict == Some(Verdict::Valid)
        && event.method != Some(Method::Unanchored)
}

/// Returns true while the receipt's revision still names its commit.
pub(crate) fn is_current(event: &FactEvent, tip: &Tip) -> bool {
    event.commit.is_some() && event.commit == tip.clean_commit()
}

/// Returns the time of the oldest receipt that still counts.
pub(crate) fn since(now: Timestamp, minutes: u32) -> Timestamp {
    receipts_since(now, minutes)
}
