//! Receipts: a verification may stand in for another for some minutes. A receipt is the row of the
//! verification itself: it names principal, record, commit, verdict and time.

use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::facts::verdict::{Method, Verdict};
use loci_model::ports::store::ReadTx;
use loci_model::principal::Principal;
use loci_model::{CodeReason, Error, MemoryId, RecordId, Result, Timestamp};

use crate::repositories::code_access::Tip;
use crate::serving::served_facts::receipts_since;
use loci_engine::calls::standing::Standing;

/// Rows that a verification leaves.
pub(crate) const VERIFICATIONS: &[FactEventKind] =
    &[FactEventKind::VerifiedValid, FactEventKind::VerifiedInvalid, FactEventKind::VerificationSkipped];

/// A receipt that the caller names.
///
/// # Errors
/// `NOT_VERIFIED` unless it is the caller's own, of this record, valid, and young enough.
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

/// The newest verification of a record by this caller, in this session where one is named.
pub(crate) fn newest(
    tx: &dyn ReadTx,
    caller: &Principal,
    standing: &Standing,
    memory: &MemoryId,
    record: &RecordId,
    since: Timestamp,
) -> Result<Option<FactEvent>> {
    let newest = tx.fact_events().newest(memory, record, VERIFICATIONS, since, None)?;
    Ok(newest.filter(|event| {
        event.principal == caller.name && (standing.session.is_none() || event.session == standing.session)
    }))
}

/// True for a receipt that says valid: of lines that were compared.
pub(crate) fn is_valid(event: &FactEvent) -> bool {
    event.kind == FactEventKind::VerifiedValid
        && event.verdict == Some(Verdict::Valid)
        && event.method != Some(Method::Unanchored)
}

/// True while the receipt's commit is still what its revision names.
pub(crate) fn is_current(event: &FactEvent, tip: &Tip) -> bool {
    event.commit.is_some() && event.commit == tip.clean_commit()
}

/// Receipts are as old as this at most.
pub(crate) fn since(now: Timestamp, minutes: u32) -> Timestamp {
    receipts_since(now, minutes)
}
