//! One property per rule: valid plans pass, and the same plans with one violation fail.

use std::collections::BTreeSet;

use loci_model::record::TrustTier;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::{Namespace, RecordId, Timestamp};
use proptest::prelude::*;

use super::super::plan::{Action, Operation, Plan, Words};
use super::super::snapshot::{PlanDocument, Snapshot};
use super::{Bounds, RuleCode, Violation, validate};

fn document(number: usize) -> PlanDocument {
    PlanDocument {
        reference: format!("knowledge/facts/d{number}.md"),
        id: RecordId::parse(format!("mem-{number:040}")).unwrap(),
        namespace: Namespace::parse("/repo/").unwrap(),
        strategy: None,
        scope: None,
        strict: Metadata::new(),
        text: format!("Document number {number} says `code{number}`."),
        title: None,
        description: Some(format!("about {number}")),
        key: None,
        tags: Vec::new(),
        tier: TrustTier::Agent,
        pinned: false,
        priority: 0,
        uses: 0,
        expires_at: None,
        valid_from: Timestamp::EPOCH.plus_millis(number as i64),
        observed_at: Timestamp::EPOCH.plus_millis(number as i64),
        sequence: number as u64,
        hash: [0; 32],
        is_new: false,
    }
}

fn snapshot(documents: usize) -> Snapshot {
    Snapshot { sequence: 99, documents: (0..documents).map(document).collect(), taken: Vec::new() }
}

fn path(number: usize) -> String {
    document(number).reference
}

fn bounds(operations: &[Operation]) -> Bounds {
    Bounds { operations: operations.iter().copied().collect(), ..Bounds::default() }
}

fn everything() -> Bounds {
    use Operation as O;
    bounds(&[O::ResolveContradictions, O::Deduplicate, O::DeriveInsights, O::Reorganize, O::Prune])
}

fn supersede(old: usize, new: usize) -> Action {
    Action::Supersede { path: path(old), by: path(new), reason: "newer".into() }
}

fn archive(number: usize) -> Action {
    Action::Archive { path: path(number), covered_by: None, reason: "covered".into() }
}

fn words(body: &str) -> Words {
    Words { description: Some("what it says".into()), body: Some(body.into()), ..Words::default() }
}

fn create(at: &str, from: Vec<String>) -> Action {
    Action::Create {
        path: at.into(),
        words: words("It says this."),
        derived_from: from,
        reason: "new".into(),
    }
}

fn merge(sources: &[usize], body: &str) -> Action {
    Action::Merge {
        sources: sources.iter().map(|at| path(*at)).collect(),
        target: path(sources[0]),
        words: words(body),
        reason: "twice".into(),
    }
}

fn found(actions: Vec<Action>, snapshot: &Snapshot, bounds: &Bounds) -> Vec<Violation> {
    validate(&Plan { actions, summary: String::new() }, snapshot, bounds)
}

fn codes(actions: Vec<Action>, snapshot: &Snapshot, bounds: &Bounds) -> BTreeSet<RuleCode> {
    found(actions, snapshot, bounds).into_iter().map(|violation| violation.code).collect()
}

fn none() -> BTreeSet<RuleCode> {
    BTreeSet::new()
}

fn only(code: RuleCode) -> BTreeSet<RuleCode> {
    BTreeSet::from([code])
}

proptest! {
    #[test]
    fn v01_operations_allow_actions(at in 0usize..5) {
        use Operation as O;
        let operations =
            [O::ResolveContradictions, O::Deduplicate, O::DeriveInsights, O::Reorganize, O::Prune];
        let operation = operations[at];
        let one = archive(0);
        let allowed = matches!(operation, O::Deduplicate | O::Prune);
        let seen = codes(vec![one], &snapshot(3), &bounds(&[operation]));
        prop_assert_eq!(seen, if allowed { none() } else { only(RuleCode::V01) });
    }

    #[test]
    fn v02_what_is_named_is_there(number in 0usize..6) {
        let seen = codes(vec![archive(number)], &snapshot(3), &everything());
        prop_assert_eq!(seen, if number < 3 { none() } else { only(RuleCode::V02) });
        let mut twice = snapshot(3);
        twice.documents.push(document(number % 3));
        prop_assert_eq!(codes(vec![archive(number % 3)], &twice, &everything()), only(RuleCode::V02));
    }

    #[test]
    fn v03_merges_stay_in_one_place(change in 0usize..5) {
        let body = "Document number 0 says `code0`. Document number 1 says `code1`.";
        let mut read = snapshot(2);
        let other = &mut read.documents[1];
        match change {
            0 => {}
            1 => other.namespace = Namespace::parse("/other/").unwrap(),
            2 => other.scope = Some("src/**".into()),
            3 => { other.strict.insert("team".into(), MetadataValue::String("a".into())); }
            _ => other.strategy = Some(loci_model::StrategyId::parse("facts").unwrap()),
        }
        let seen = codes(vec![merge(&[0, 1], body)], &read, &everything());
        prop_assert_eq!(seen, if change == 0 { none() } else { only(RuleCode::V03) });
        let alone = codes(vec![merge(&[0, 0], "Document number 0 says `code0`.")], &snapshot(2), &everything());
        prop_assert!(alone.contains(&RuleCode::V03));
    }

    #[test]
    fn v04_targets(name in "[a-z0-9-]{1,30}", bad in 0usize..7) {
        let good = create(&format!("knowledge/{name}/{name}.md"), vec![path(0), path(1)]);
        prop_assert_eq!(codes(vec![good], &snapshot(2), &everything()), none());
        let wrong = [
            format!("knowledge/{name}/x/{name}.md"),
            format!("knowledge/{name}/{name}.txt"),
            format!("knowledge/{name}/MEMORY.md"),
            format!("sessions/{name}.md"),
            format!("knowledge/Über/{name}.md"),
            format!("../{name}/x.md"),
            format!("knowledge/facts/{}.md", "x".repeat(81)),
        ][bad].clone();
        let seen = codes(vec![create(&wrong, vec![path(0), path(1)])], &snapshot(2), &everything());
        prop_assert!(seen.contains(&RuleCode::V04));
    }

    #[test]
    fn v05_descriptions(text in "[a-z ]{0,200}", taken in any::<bool>()) {
        let text = if taken { "About  1".to_owned() } else { text };
        let words = Words { description: Some(text.clone()), body: Some("It says this.".into()), ..Words::default() };
        let from = vec![path(0), path(1)];
        let action = Action::Create { path: "knowledge/facts/new.md".into(), words, derived_from: from, reason: "r".into() };
        let fine = !taken && !text.trim().is_empty() && text.chars().count() <= 160;
        prop_assert_eq!(
            codes(vec![action], &snapshot(2), &everything()), if fine { none() } else { only(RuleCode::V05) }
        );
    }

    #[test]
    fn v06_bodies_say_something(body in "[ \t\n]{0,5}[a-z]{0,3}") {
        let action = Action::Update { path: path(0), words: words(&body), reason: "r".into() };
        let seen = codes(vec![action], &snapshot(1), &everything());
        prop_assert_eq!(seen, if body.trim().is_empty() { only(RuleCode::V06) } else { none() });
        let nothing = Action::Update { path: path(0), words: Words::default(), reason: "r".into() };
        prop_assert_eq!(codes(vec![nothing], &snapshot(1), &everything()), only(RuleCode::V06));
    }

    #[test]
    fn v07_whole_files(body in "[a-z]{1,20}", quoted in any::<bool>(), open in any::<bool>()) {
        let description = if quoted { "\"about\"" } else { "about" };
        let start = if open { "---\n" } else { "" };
        let content = format!("{start}title: x\ndescription: {description}\n---\n\n{body}\n");
        let action = Action::Update { path: path(0), words: Words { content: Some(content), ..Words::default() }, reason: "r".into() };
        let seen = codes(vec![action], &snapshot(1), &everything());
        prop_assert_eq!(seen, if quoted && open { none() } else { only(RuleCode::V07) });
    }

    #[test]
    fn v08_one_write_per_path(times in 1usize..4) {
        let update = Action::Update { path: path(0), words: words("new"), reason: "r".into() };
        let seen = codes(vec![update; times], &snapshot(1), &everything());
        prop_assert_eq!(seen, if times == 1 { none() } else { only(RuleCode::V08) });
    }

    #[test]
    fn v09_written_or_vacated(number in 0usize..3) {
        let update = Action::Update { path: path(number), words: words("new"), reason: "r".into() };
        let seen = codes(vec![update, archive(0)], &snapshot(3), &everything());
        prop_assert_eq!(seen, if number == 0 { only(RuleCode::V09) } else { none() });
    }

    #[test]
    fn v10_nothing_unread_is_overwritten(number in 0usize..6) {
        let seen = codes(vec![create(&path(number), vec![path(0), path(1)])], &snapshot(3), &everything());
        prop_assert_eq!(seen.contains(&RuleCode::V10), number < 3);
    }

    #[test]
    fn v11_no_way_back(length in 1usize..5, closed in any::<bool>()) {
        // Each document is superseded by the next; if `closed`, the last one by the first.
        let mut read = snapshot(length + 1);
        for document in &mut read.documents {
            document.valid_from = Timestamp::EPOCH;
            document.observed_at = Timestamp::EPOCH;
            document.sequence = 0;
        }
        let mut actions: Vec<Action> = (0..length).map(|at| supersede(at, at + 1)).collect();
        if closed {
            actions.push(supersede(length, 0));
        }
        prop_assert_eq!(
            codes(actions, &read, &everything()), if closed { only(RuleCode::V11) } else { none() }
        );
        prop_assert!(
            codes(vec![archive(0), archive(0)], &snapshot(2), &everything()).contains(&RuleCode::V11)
        );
    }

    #[test]
    fn v12_nothing_invented_nothing_lost(number in 0usize..4) {
        let body = [
            "Document number 0 says `code0`. Document number 1 says `code1`.",
            "Document number 0 says `code0`. Document number 1 says `code1` and `code7`.",
            "Document number 0 says `code0` and `code1`.",
            "Document number 0 and number 1 say `code0`, `code1` and 17.",
        ][number];
        let seen = found(vec![merge(&[0, 1], body)], &snapshot(2), &everything());
        prop_assert_eq!(seen.iter().any(|one| one.code == RuleCode::V12 && one.held), number > 0);
        prop_assert!(seen.iter().all(|one| one.code == RuleCode::V12));
    }

    #[test]
    fn v13_system_and_pinned(pinned in any::<bool>(), number in 0usize..2) {
        let mut read = snapshot(2);
        read.documents[0].pinned = pinned;
        let seen = codes(vec![archive(number)], &read, &everything());
        prop_assert_eq!(seen, if pinned && number == 0 { only(RuleCode::V13) } else { none() });
        read.documents[1].reference = "system/rules.md".into();
        let away = Action::Archive { path: "system/rules.md".into(), covered_by: None, reason: "r".into() };
        prop_assert_eq!(codes(vec![away], &read, &everything()), only(RuleCode::V13));
        let moved = Action::Move { from: "system/rules.md".into(), to: "knowledge/rules.md".into(), reason: "r".into() };
        prop_assert_eq!(codes(vec![moved], &read, &bounds(&[Operation::Reorganize])), none());
    }

    #[test]
    fn v14_derived_documents_rest_on_others(sources in 0usize..6, said in 1usize..6) {
        let from: Vec<String> = (0..sources).map(path).collect();
        let body = Words { description: Some("how often".into()), body: Some(format!("It failed in {said} of {sources} cases.")), ..Words::default() };
        let action = Action::Create { path: "knowledge/facts/new.md".into(), words: body, derived_from: from, reason: "r".into() };
        let seen = codes(vec![action], &snapshot(6), &everything());
        prop_assert_eq!(seen, if sources >= 3 && said <= sources { none() } else { only(RuleCode::V14) });
        let few = create("knowledge/facts/other.md", vec![path(0)]);
        prop_assert_eq!(codes(vec![few], &snapshot(6), &everything()), only(RuleCode::V14));
    }

    #[test]
    fn v15_newer_same_scope_trusted(
        older in 0usize..4, newer in 0usize..4, scoped in any::<bool>(), low in any::<bool>()
    ) {
        prop_assume!(older != newer);
        let mut read = snapshot(4);
        read.documents[newer].scope = scoped.then(|| "src/**".to_owned());
        read.documents[newer].tier = if low { TrustTier::External } else { TrustTier::Agent };
        let seen = found(vec![supersede(older, newer)], &read, &everything());
        let refused = seen.iter().any(|one| one.code == RuleCode::V15 && !one.held);
        let held = seen.iter().any(|one| one.code == RuleCode::V15 && one.held);
        prop_assert_eq!((refused, held), (newer < older || scoped, low));
    }

    #[test]
    fn v16_a_models_words_are_looked_through(key in any::<bool>(), by_model in any::<bool>()) {
        let body = if key { ["the key is AKIA", "IOSFODNN7EXAMPLE"].concat() } else { "the key is in the vault".to_owned() };
        let action = Action::Update { path: path(0), words: words(&body), reason: "r".into() };
        let seen = found(vec![action], &snapshot(1), &Bounds { by_model, ..everything() });
        prop_assert_eq!(seen.iter().any(|one| one.code == RuleCode::V16 && one.held), key && by_model);
    }

    #[test]
    fn v17_reasons(reason in "[ a-z]{0,12}", many in any::<bool>(), control in any::<bool>()) {
        let mut said = if many { "because ".repeat(70) } else { reason };
        if control {
            said.push('\u{7}');
        }
        let fine = !said.trim().is_empty() && !many && !control;
        let action = Action::Archive { path: path(0), covered_by: None, reason: said };
        prop_assert_eq!(
            codes(vec![action], &snapshot(1), &everything()), if fine { none() } else { only(RuleCode::V17) }
        );
    }

    #[test]
    fn v18_not_too_much_at_once(documents in 8usize..60, retired in 1usize..30) {
        prop_assume!(retired <= documents);
        let seen = found((0..retired).map(archive).collect(), &snapshot(documents), &everything());
        let most = (documents / 4).max(8);
        prop_assert_eq!(seen.len(), retired.saturating_sub(most));
        prop_assert!(seen.iter().all(|one| one.code == RuleCode::V18 && one.held));
    }

    #[test]
    fn v02_names_are_compared_by_their_key(number in 0usize..3) {
        let seen = codes(vec![Action::Archive { path: path(number).to_uppercase(), covered_by: None, reason: "r".into() }], &snapshot(3), &everything());
        prop_assert_eq!(seen, none());
        let aliases = merge(&[0, 0], "Document number 0 says `code0`.");
        let Action::Merge { mut sources, target, words, reason } = aliases else { unreachable!() };
        sources[1] = sources[1].to_uppercase();
        let merge = Action::Merge { sources, target, words, reason };
        prop_assert!(codes(vec![merge], &snapshot(2), &everything()).contains(&RuleCode::V03));
        let mut upper = document(number);
        upper.reference = upper.reference.to_uppercase();
        let mut twice = snapshot(3);
        twice.documents.push(upper);
        prop_assert_eq!(codes(vec![archive(number)], &twice, &everything()), only(RuleCode::V02));
    }

    #[test]
    fn v01_an_update_goes_as_far_as_its_operation(change in 0usize..4, at in 0usize..3) {
        use Operation as O;
        let mut read = snapshot(1);
        read.documents[0].text = "- one two three\n- four\n- four\n".into();
        let new = [
            Words { title: Some("t".into()), ..Words::default() },
            Words { body: Some("- one two three\n- four\n".into()), ..Words::default() },
            Words { body: Some("- one two three\n".into()), ..Words::default() },
            Words { content: Some("---\ndescription: \"d\"\n---\nfour".into()), ..Words::default() },
        ][change].clone();
        let action = Action::Update { path: path(0), words: new, reason: "r".into() };
        let operation = [O::ResolveContradictions, O::Deduplicate, O::Reorganize][at];
        let allowed = at == 0 || (at == 1 && change == 1) || (at == 2 && change == 0);
        let seen = codes(vec![action], &read, &bounds(&[operation]));
        prop_assert_eq!(!seen.contains(&RuleCode::V01), allowed, "{:?}", seen);
    }

    #[test]
    fn v13_what_is_always_loaded_stays_within_its_budget(words in 1usize..40) {
        let mut read = snapshot(2);
        read.documents[0].reference = "knowledge/system/a.md".into();
        read.documents[1].text = "word ".repeat(words);
        let into = Action::Move { from: path(1), to: "knowledge/system/b.md".into(), reason: "r".into() };
        let tokens = |at: usize| loci_text::tokens::estimate_tokens(&read.documents[at].text);
        let most = Bounds { system_tokens_max: Some(30), ..bounds(&[Operation::Reorganize]) };
        let fits = tokens(0) + tokens(1) <= 30;
        let refused: Vec<_> = found(vec![into], &read, &most).into_iter().filter(|one| !one.held).collect();
        prop_assert_eq!(refused.is_empty(), fits, "{:?}", refused);
    }

    #[test]
    fn v05_another_body_has_another_description(kept in 0usize..12) {
        let mut read = snapshot(1);
        let names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "kappa", "lambda", "sigma", "omega", "omicron"];
        read.documents[0].text = names.join(" ");
        let body = Words { body: Some(names[..=kept].join(" ")), ..Words::default() };
        let action = Action::Update { path: path(0), words: body, reason: "r".into() };
        let like = (kept + 1) as f32 / 12.0 >= 0.8;
        prop_assert_eq!(
            codes(vec![action], &read, &everything()), if like { none() } else { only(RuleCode::V05) }
        );
    }

    #[test]
    fn the_same_plan_is_judged_the_same(at in 0usize..4, other in 0usize..4) {
        let actions = vec![supersede(at, other), archive(at), create("nowhere", Vec::new())];
        let plan = Plan { actions, summary: String::new() };
        prop_assert_eq!(
            validate(&plan, &snapshot(3), &everything()), validate(&plan, &snapshot(3), &everything())
        );
    }
}

/// Checks a model's action on documents of these trust tiers. The expected results have a short
/// form, such as `held V15` or `refused V13`.
#[track_caller]
fn judged(action: Action, tiers: [TrustTier; 2], references: [&str; 2], expect: &[&str]) {
    let mut read = snapshot(2);
    for ((document, tier), reference) in read.documents.iter_mut().zip(tiers).zip(references) {
        document.tier = tier;
        document.reference = reference.into();
        document.text = "The build needs make.".into();
    }
    let seen = found(vec![action], &read, &Bounds { by_model: true, ..everything() });
    let told = |one: &Violation| format!("{} {:?}", if one.held { "held" } else { "refused" }, one.code);
    assert_eq!(seen.iter().map(told).collect::<Vec<_>>(), expect, "{tiers:?} {references:?} {seen:?}");
}

#[test]
fn v13_what_is_always_loaded_is_a_persons_matter() {
    use TrustTier::{Agent, Confirmed, External, Flagged};
    let (fact, rule) = ("knowledge/facts/a.md", "knowledge/system/b.md");
    let moved = |from: &str, to: &str| Action::Move { from: from.into(), to: to.into(), reason: "r".into() };
    let check = |action: Action, tier, expect: &[&str]| judged(action, [tier, Agent], [fact, rule], expect);
    let into = || moved(fact, "knowledge/system/a.md");
    for (tier, expect) in [
        (Agent, ["held V13"].as_slice()),
        (Confirmed, &["held V13"]),
        (External, &["refused V13", "held V13"]),
        (Flagged, &["refused V13", "held V13"]),
    ] {
        check(into(), tier, expect);
    }
    check(moved(rule, "knowledge/facts/b.md"), Agent, &[]);
    check(moved(rule, "knowledge/system/c.md"), Agent, &[]);
    let update = |words: Words| Action::Update { path: rule.into(), words, reason: "r".into() };
    check(update(words("The build needs make now.")), Agent, &["refused V13"]);
    check(update(Words { description: Some("how to build".into()), ..Words::default() }), Agent, &[]);
}

#[test]
fn v15_trust_is_compared_whatever_is_done() {
    use TrustTier::{Agent, Confirmed, External};
    let (a, b) = (path(0), path(1));
    let check =
        |action: Action, tiers: [TrustTier; 2], expect: &[&str]| judged(action, tiers, [&a, &b], expect);
    let held: &[&str] = &["held V15"];
    let same = "The build needs make.";
    check(merge(&[0, 1], same), [Confirmed, External], &[]);
    check(merge(&[0, 1], "The build needs make, always."), [Confirmed, External], held);
    check(merge(&[0, 1], "The build needs make, always."), [Agent, Agent], &[]);
    let update = |words: Words| Action::Update { path: path(0), words, reason: "r".into() };
    check(update(words("The build needs make now.")), [Confirmed, Agent], held);
    check(update(words("The build needs make now.")), [Agent, Agent], &[]);
    check(update(Words { title: Some("Build".into()), ..Words::default() }), [Confirmed, Agent], &[]);
    let away = |covered_by: Option<usize>| Action::Archive {
        path: path(0),
        covered_by: covered_by.map(path),
        reason: "r".into(),
    };
    check(away(None), [Agent, Agent], held);
    check(away(Some(1)), [Confirmed, Agent], held);
    check(away(Some(1)), [Agent, Confirmed], &[]);
    check(away(Some(1)), [Agent, Agent], &[]);
}

#[test]
fn v05_titles_are_one_line() {
    let check = |title: &str, expect: BTreeSet<RuleCode>| {
        let titled = Words { title: Some(title.to_owned()), ..Words::default() };
        let action = Action::Update { path: path(0), words: titled, reason: "r".into() };
        assert_eq!(codes(vec![action], &snapshot(1), &everything()), expect, "{title:?}");
    };
    check("How to build", none());
    check(&"x".repeat(200), none());
    for bad in ["", " ", "a\nb", "a\rb", &"x".repeat(201)] {
        check(bad, only(RuleCode::V05));
    }
}

#[test]
fn all_violations_at_once() {
    let actions = vec![
        Action::Archive { path: path(9), covered_by: None, reason: String::new() },
        create("knowledge/a/b/c.txt", vec![path(0)]),
        supersede(1, 0),
    ];
    let seen = codes(actions, &snapshot(3), &bounds(&[Operation::Deduplicate]));
    use RuleCode::{V01, V02, V04, V15, V17};
    assert_eq!(seen, BTreeSet::from([V01, V02, V04, V15, V17]));
}

#[test]
fn bounds_at_the_limit_and_one_over() {
    let at = |files_max, input_bytes_max, actions_max| Bounds {
        files_max,
        input_bytes_max,
        actions_max,
        ..everything()
    };
    let read = snapshot(2);
    let bytes: usize = read.documents.iter().map(|document| document.text.len()).sum();
    assert_eq!(codes(vec![archive(0)], &read, &at(2, bytes, 1)), none());
    for over in [at(1, bytes, 1), at(2, bytes - 1, 1)] {
        assert_eq!(codes(vec![archive(0)], &read, &over), only(RuleCode::Bounds));
    }
    assert_eq!(codes(vec![archive(0), archive(1)], &read, &at(2, bytes, 1)), only(RuleCode::Bounds));
    assert!(Bounds::default().check().is_ok());
    for nought in [at(0, 1, 1), at(1, 0, 1), at(1, 1, 0), Bounds { directories_max: 0, ..everything() }] {
        assert!(nought.check().is_err());
    }
}
