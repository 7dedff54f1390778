//! Selects the actions of a plan that changed documents affect: actions on them, and actions that
//! share a document with such an action. The others stay. Pure.

use std::collections::BTreeSet;

use loci_engine::consolidation::snapshot::reference_key;

use crate::upkeep::run::RunAction;

/// A plan, split by the changed documents.
#[derive(Debug, Default)]
pub(super) struct Parted {
    /// The unaffected actions.
    pub(super) kept: Vec<RunAction>,
    /// The documents of the affected actions, by key.
    pub(super) touched: BTreeSet<String>,
}

/// Splits the pending actions.
pub(super) fn parted(actions: Vec<RunAction>, moved: &BTreeSet<String>) -> Parted {
    let keys = |one: &RunAction| one.paths().map(reference_key).collect::<BTreeSet<String>>();
    let mut touched: BTreeSet<String> = moved.clone();
    let mut kept = actions;
    loop {
        let before = kept.len();
        let (met, rest): (Vec<RunAction>, Vec<RunAction>) =
            kept.into_iter().partition(|one| !keys(one).is_disjoint(&touched));
        touched.extend(met.iter().flat_map(keys));
        kept = rest;
        if kept.len() == before {
            return Parted { kept, touched };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_engine::consolidation::plan::{Action, Operation};
    use loci_model::trees::consolidation_run::ActionStatus;

    fn merge(id: &str, sources: &[&str]) -> RunAction {
        let path = |name: &&str| format!("knowledge/facts/{name}.md");
        RunAction {
            id: id.to_owned(),
            operation: Operation::Deduplicate,
            action: Action::Merge {
                sources: sources.iter().map(path).collect(),
                target: path(&sources[0]),
                words: loci_engine::consolidation::plan::Words::default(),
                reason: "r".to_owned(),
            },
            status: ActionStatus::Planned,
            held: None,
            seen: Vec::new(),
            by_model: false,
        }
    }

    #[test]
    fn what_has_to_do_with_what_moved() {
        let plan = || vec![merge("a1", &["a", "b"]), merge("a2", &["b", "c"]), merge("a3", &["d", "e"])];
        let check = |moved: &str, expect: &str| {
            let moved = moved.split_whitespace().map(|name| format!("knowledge/facts/{name}.md")).collect();
            let parted = parted(plan(), &moved);
            let kept: Vec<&str> = parted.kept.iter().map(|one| one.id.as_str()).collect();
            assert_eq!(kept.join(" "), expect);
        };
        check("", "a1 a2 a3");
        check("x", "a1 a2 a3");
        check("a", "a3");
        check("e", "a1 a2");
        check("c d", "");
    }
}
