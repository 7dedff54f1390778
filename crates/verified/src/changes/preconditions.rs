//! Preconditions of a change to a fact: its code was found, and its state allows the change.

use loci_model::facts::verdict::Verdict;
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, Result};

use crate::facts::events::is_unanchored;
use crate::reads::verify::VerifyAnswer;

/// Requires a verification that found all citations.
///
/// # Errors
/// `UNVERIFIABLE` if the code could not be read; `NOT_VERIFIED` if the code differs, or if nothing
/// was compared.
pub(super) fn require(verified: &VerifyAnswer) -> Result<()> {
    let verification = &verified.verification;
    let whole = verified.remembered.as_ref().is_none_or(|remembered| remembered.is_whole());
    match verification.verdict {
        Verdict::Valid if whole && !is_unanchored(verification) => Ok(()),
        Verdict::Valid => {
            let rule = "the text was changed after its citations were stored, or nothing was compared: store it again";
            Err(Error::code(CodeReason::NotVerified, rule))
        }
        Verdict::Unverifiable => {
            let why = crate::facts::events::why(verification).map_or("unreadable", |why| why.as_str());
            let after = verification.citations.iter().find_map(|citation| citation.retry_after_ms);
            let message =
                format!("the cited code cannot be read now ({why}); that is no evidence against the fact");
            Err(Error::code(CodeReason::Unverifiable, message).retry_after(after))
        }
        Verdict::Drifted | Verdict::Gone | Verdict::Contradicted => {
            let word = verification.verdict.as_str();
            let rule = "supersede it with new citations, or invalidate it";
            Err(Error::code(CodeReason::NotVerified, format!("the fact is {word} at this revision: {rule}")))
        }
    }
}

/// Returns the error for a fact that is not active.
pub(super) fn not_active(status: RecordState) -> Error {
    Error::code(CodeReason::NotActive, format!("the fact is {}", status.as_str())).on("memory_id")
}
