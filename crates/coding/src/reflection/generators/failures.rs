//! Repeated failures of the same kind, in a module or in the whole repository. Tasks that only the
//! orchestrator reported count here, too.

use std::collections::BTreeSet;

use super::super::evidence::{EndedTask, TaskEvidence, TaskPattern};

pub(super) fn found(ground: &TaskEvidence) -> Vec<TaskPattern> {
    let categories: BTreeSet<&str> = ground.works.iter().filter_map(EndedTask::failed_by).collect();
    let mut all = Vec::new();
    for category in categories {
        let words = category.replace('_', " ");
        let fails = |work: &EndedTask| work.failed_by() == Some(category);
        let of_modules = ground.modules().into_iter().map(|module| {
            let said = (
                format!("failure/{category}/{module}"),
                format!("Tasks that touch {module} end in {words}."),
                format!("ended in {words} after touching {module}"),
            );
            TaskPattern::counted(
                said,
                ground.works.iter().filter(|work| work.modules().contains(&module)),
                fails,
            )
        });
        let mut of_modules: Vec<TaskPattern> = of_modules.filter(|found| !found.hits.is_empty()).collect();
        let said =
            (format!("failure/{category}"), format!("Tasks end in {words}."), format!("ended in {words}"));
        all.append(&mut of_modules);
        all.push(TaskPattern::counted(said, ground.works.iter(), fails));
    }
    all
}

#[cfg(test)]
mod tests {
    use loci_model::tasks::task::TaskStatus;

    use super::super::tests::{counts, work};
    use super::*;

    #[test]
    fn failures_by_module_and_kind() {
        let failed = |number, files: &[&str], status, category: Option<&str>| EndedTask {
            status: Some(status),
            failure: category.map(str::to_owned),
            ..work(number, files)
        };
        let api = &["src/api/a.rs"][..];
        let works = vec![
            failed(1, api, TaskStatus::Failed, Some("missing_verification")),
            failed(2, api, TaskStatus::Failed, Some("missing_verification")),
            work(3, api),
            EndedTask { is_minimal: true, ..failed(4, &[], TaskStatus::TimedOut, None) },
            failed(5, &["docs/a/b.md"], TaskStatus::Failed, None),
        ];
        let found = found(&TaskEvidence { works, ..TaskEvidence::default() });
        assert_eq!(
            counts(&found),
            [
                ("failure/missing_verification/src/api", 2, 3),
                ("failure/missing_verification", 2, 5),
                ("failure/timeout", 1, 5)
            ]
        );
        assert_eq!(found[0].predicate, "ended in missing verification after touching src/api");
    }
}
