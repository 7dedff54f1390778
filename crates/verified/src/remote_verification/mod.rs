//! Verification elsewhere: evidence for a verifier that has the code, and the verdicts that it
//! reports.

pub(super) mod evidence;
pub(super) mod report_verdicts;
pub(super) mod reported_verdicts;
mod verdict_comparison;
