//! Modules in which changes are reverted, or fail their first checks.

use super::super::evidence::{EndedTask, TaskEvidence, TaskPattern};

/// The minimum number of such changes in a fragile module. The common rule decides about their
/// share.
const BROKEN_MIN: usize = 2;

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    let broke =
        |work: &EndedTask| work.outcome.as_deref() == Some("reverted") || work.ci_passed == Some(false);
    let is_known = |work: &&EndedTask| work.outcome.is_some() || work.ci_passed.is_some();
    let counted = |module: String| {
        let said = (
            format!("fragile/{module}"),
            format!("{module} is fragile: changes there are reverted, or fail the first checks."),
            format!("was reverted, or failed the first checks, in {module}"),
        );
        let of = ground.told().filter(is_known).filter(|work| work.modules().contains(&module));
        TaskPattern::counted(said, of, broke)
    };
    ground.modules().into_iter().map(counted).filter(|found| found.hits.len() >= BROKEN_MIN).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn reverts_and_checks() {
        let api = &["src/api/a.rs"][..];
        let works = vec![
            EndedTask { outcome: Some("reverted".to_owned()), ..work(1, api) },
            EndedTask { ci_passed: Some(false), ..work(2, api) },
            EndedTask { outcome: Some("merged_as_is".to_owned()), ..work(3, api) },
            work(4, api),
            EndedTask { ci_passed: Some(false), ..work(5, &["src/web/a.ts"]) },
        ];
        assert_eq!(
            counts(&found(&TaskEvidence { works, ..TaskEvidence::default() })),
            [("fragile/src/api", 2, 3)]
        );
    }
}
