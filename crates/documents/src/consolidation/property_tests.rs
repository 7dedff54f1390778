//! Properties of every plan: it is reproducible, obeys the rules of plans, and loses no line.

use std::collections::BTreeSet;

use loci_engine::consolidation::plan::{Operation, Plan};
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot};
use loci_model::record::TrustTier;
use proptest::prelude::*;

use super::fixtures::{day, document};
use super::plan_preview::after;
use super::tests::{ALL, told};
use super::*;

fn any_body() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "The",
        "user",
        "project",
        "uses",
        "lives",
        "in",
        "Bern",
        "Zurich",
        "tabs",
        "spaces",
        "not",
        "no",
        "longer",
        "5",
        "6",
        "`make`",
        "tests",
        "for",
        "dark",
        "Theme:",
        "- one",
        "- two",
        "\n",
        "# T\n",
        ".",
        "ist",
        "nicht",
        "日本語",
    ]);
    prop::collection::vec(words, 1..9).prop_map(|words| words.join(" "))
}

fn any_document() -> impl Strategy<Value = PlanDocument> {
    let scope = prop::option::of(prop::sample::select(vec!["src/**", "src/v2/**", "work", "home"]));
    let directory = prop::sample::select(vec!["facts", "facts", "skills", "system"]);
    let key = prop::option::weighted(0.2, prop::sample::select(vec!["theme", "home"]));
    let tier = prop::sample::select(vec![
        TrustTier::Agent,
        TrustTier::Confirmed,
        TrustTier::External,
        TrustTier::Flagged,
    ]);
    (any_body(), scope, directory, key, tier, 0_i64..40, 0_i64..3, any::<bool>()).prop_map(
        |(body, scope, directory, key, tier, written, priority, pinned)| PlanDocument {
            scope: scope.map(str::to_owned),
            key: key.map(str::to_owned),
            tier,
            priority,
            pinned: pinned && priority > 1,
            ..document(&format!("knowledge/{directory}/x.md"), &body, written)
        },
    )
}

fn any_tree() -> impl Strategy<Value = Snapshot> {
    prop::collection::vec(any_document(), 0..14).prop_map(|mut documents| {
        for (number, document) in documents.iter_mut().enumerate() {
            document.reference = document.reference.replace("x.md", &format!("d{number:02}.md"));
            document.description = Some(format!("about {number}"));
            document.sequence = number as u64;
        }
        Snapshot { sequence: 99, documents, ..Snapshot::default() }
    })
}

proptest! {
    #[test]
    fn a_plan_keeps_the_rules_and_is_the_same_every_time(snapshot in any_tree(), pick in 0usize..32) {
        let picked = ALL.iter().enumerate().filter(|(at, _)| pick >> at & 1 == 1);
        let operations: Vec<Operation> = picked.map(|(_, operation)| *operation).collect();
        let asked = PlanRequest::of(&operations, day(40));
        let first = plan(&snapshot, &asked);
        prop_assert_eq!(&first.violations, &[], "{:?}", told(&first));
        let text = serde_json::to_string(&first.plan()).unwrap();
        prop_assert_eq!(Plan::read(&text), Ok(first.plan()));
        // The order in which a store returns documents makes no difference.
        let mut turned = snapshot.clone();
        turned.documents.reverse();
        prop_assert_eq!(serde_json::to_string(&plan(&turned, &asked).plan()).unwrap(), text);
        prop_assert_eq!(plan(&turned, &asked), first);
    }

    #[test]
    fn nothing_is_lost_that_nothing_covers(snapshot in any_tree()) {
        let asked = PlanRequest::of(&[Operation::Deduplicate], day(40));
        let found = plan(&snapshot, &asked);
        let then = after(&snapshot, &found.ready());
        let lines = |snapshot: &Snapshot| -> BTreeSet<String> {
            snapshot.documents.iter().flat_map(|one| one.text.lines().map(normal_form::line)).collect()
        };
        let kept = lines(&then);
        for document in &snapshot.documents {
            let own = normal_form::body(&document.text);
            let stands = then.documents.iter().any(|one| normal_form::body(&one.text) == own);
            let reference = document.reference.as_str();
            let near = found.actions.iter().any(|planned| planned.action.reads().contains(&reference));
            prop_assert!(stands || near, "{}", document.text);
        }
        prop_assert!(kept.is_subset(&lines(&snapshot)), "a line is new");
        // No work is left.
        let again = plan(&then, &asked);
        let left: Vec<String> = told(&again).into_iter().filter(|told| told.starts_with("merge")).collect();
        prop_assert_eq!(left, Vec::<String>::new());
    }
}
