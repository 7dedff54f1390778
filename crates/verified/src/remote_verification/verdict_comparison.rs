//! Compares reported verdicts with cached ones. A caller that has the code elsewhere reports a
//! verdict at a commit for which this server has its own verdict; the worse one counts. The module
//! reads no code.

use loci_engine::access;
use loci_model::Result;
use loci_model::facts::repository::Repository;
use loci_model::facts::support::Support;
use loci_model::facts::verdict::{Verdict, Verification};
use loci_model::principal::Principal;

use super::reported_verdicts::ReportedVerdicts;
use crate::Verified;
use crate::facts::fact_record::Remembered;
use crate::verification::verdicts::CodeVerdicts;
use loci_engine::calls::call_context::CallContext;

impl Verified {
    /// Returns the verdicts that a caller reports on some facts. A worse cached verdict on the same
    /// commit and content takes precedence. A caller without the right to read unverified facts can
    /// therefore not lift a withholding by its own report.
    ///
    /// # Errors
    /// `Invalid` for a verdict that does not follow from those of its citations and claims.
    pub(crate) async fn look_posted(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        told: &ReportedVerdicts,
        facts: &[Remembered],
    ) -> Result<CodeVerdicts> {
        let mut looked = told.looked(repository, facts)?;
        let memory = &repository.memory;
        if access::require_unverified(caller, memory, standing.by_person).is_ok() {
            return Ok(looked);
        }
        let Some(tip) = &looked.tip else { return Ok(looked) };
        let digests: Vec<String> = looked.checked.iter().map(|one| one.digest.clone()).collect();
        let kept = self.kept(memory, &digests, tip).await?;
        for one in &mut looked.checked {
            let own = kept.get(&one.digest);
            if let Some(own) = own.filter(|own| doubt(own) > doubt(&one.verification)) {
                one.verification = own.clone();
                one.is_new = false;
            }
        }
        Ok(looked)
    }
}

/// Returns a rank of doubt from verdict and support: the higher, the less of the fact may be shown.
/// Code that contradicts a fact is not better if it is unchanged.
fn doubt(verification: &Verification) -> (u8, u8) {
    let severity = verification.verdict.severity();
    match verification.support.as_ref().map(|report| report.support) {
        Some(Support::Supported) => (severity, 0),
        Some(Support::NotChecked) | None => (severity, 1),
        Some(Support::Contradicted) => (severity.max(Verdict::Contradicted.severity()), 2),
    }
}

#[cfg(test)]
mod tests {
    use loci_model::facts::support::{SupportReason, SupportReport};

    use super::*;

    #[test]
    fn what_is_withheld_is_in_more_doubt_than_what_is_stated() {
        use Support::{Contradicted, NotChecked, Supported};
        let of = |verdict: Verdict, support: Option<Support>| Verification {
            verdict,
            citations: Vec::new(),
            claims: Vec::new(),
            support: support.map(|support| SupportReport::new(support, SupportReason::NothingToFind)),
        };
        let in_order = [
            (Verdict::Valid, Some(Supported)),
            (Verdict::Valid, Some(NotChecked)),
            (Verdict::Unverifiable, None),
            (Verdict::Drifted, Some(Supported)),
            (Verdict::Drifted, None),
            (Verdict::Gone, None),
            (Verdict::Contradicted, Some(NotChecked)),
            (Verdict::Valid, Some(Contradicted)),
        ];
        for (at, less) in in_order.iter().enumerate() {
            for more in in_order.iter().skip(at + 1) {
                assert!(doubt(&of(less.0, less.1)) < doubt(&of(more.0, more.1)), "{less:?} {more:?}");
            }
        }
    }
}
