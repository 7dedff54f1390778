//! Consolidation runs on trees: planned, applied in one write, reverted; and concurrent changes.

use loci_documents::upkeep::{
    CHANGELOG, ConsolidationAsk, ConsolidationListing, ConsolidationRun, PlannerChoice, RunLimits, RunScope,
};
use loci_documents::{MountAsk, Precondition, PutContent};
use loci_engine::consolidation::plan::Operation;
use loci_engine::document_text::DocumentContent;
use loci_engine::retrieval::SearchRequest;
use loci_model::principal::Capability::{Read, Write};
use loci_model::record::{Record, TrustTier};
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{ErrorKind, Result, Timestamp};
use loci_testkit_ports::block_on;
use std::collections::BTreeMap;

use super::fixture::{Shelf, text};

const ALL: [Operation; 4] =
    [Operation::ResolveContradictions, Operation::Deduplicate, Operation::Reorganize, Operation::Prune];

fn ask(shelf: &Shelf, operations: &[Operation]) -> ConsolidationAsk {
    ConsolidationAsk {
        operations: Some(operations.to_vec()),
        scope: RunScope::All,
        ..ConsolidationAsk::of(shelf.tree.clone())
    }
}

fn start(shelf: &Shelf, ask: &ConsolidationAsk) -> ConsolidationRun {
    shelf.world.clock().advance_ms(1_000);
    block_on(shelf.engine.documents.consolidation_start(&shelf.caller, ask)).unwrap()
}

fn planned(shelf: &Shelf, operations: &[Operation]) -> ConsolidationRun {
    start(shelf, &ask(shelf, operations))
}

fn apply(shelf: &Shelf, id: &str, actions: Option<&[&str]>) -> Result<ConsolidationRun> {
    shelf.world.clock().advance_ms(1_000);
    let actions = actions.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect());
    block_on(shelf.engine.documents.consolidation_apply(&shelf.caller, (&shelf.tree, id), actions, None))
}

fn revert(shelf: &Shelf, id: &str, force: bool) -> Result<(ConsolidationRun, Vec<String>)> {
    shelf.world.clock().advance_ms(1_000);
    let reverted =
        block_on(shelf.engine.documents.consolidation_revert(&shelf.caller, (&shelf.tree, id), force, None))?;
    Ok((reverted.run, reverted.left))
}

fn get(shelf: &Shelf, id: &str) -> ConsolidationRun {
    block_on(shelf.engine.documents.consolidation_get(&shelf.caller, &shelf.tree, id)).unwrap()
}

/// Returns the actions of a run in short form.
fn told(run: &ConsolidationRun) -> Vec<String> {
    run.actions
        .iter()
        .map(|one| {
            let mut paths: Vec<&str> = one.action.reads();
            paths.extend(one.action.writes().filter(|path| !one.action.reads().contains(path)));
            let short =
                |path: &&str| path.trim_start_matches("knowledge/facts/").trim_end_matches(".md").to_owned();
            let paths: Vec<String> = paths.iter().map(short).collect();
            format!("{} {} {}", one.status.as_str(), one.action.kind(), paths.join(" "))
        })
        .collect()
}

/// Returns every document of the tree with its whole file.
pub(super) fn files(shelf: &Shelf) -> BTreeMap<String, String> {
    shelf.paths(None, None).into_iter().map(|path| (path.clone(), shelf.get(&path).unwrap().file)).collect()
}

fn put(shelf: &Shelf, name: &str, body: &str) {
    shelf.put(&format!("knowledge/facts/{name}.md"), body);
}

/// Returns a tree with two pairs of documents of equal content.
fn twins() -> Shelf {
    let shelf = Shelf::new();
    put(&shelf, "a", "The build needs make.");
    put(&shelf, "b", "The build needs make.");
    put(&shelf, "c", "Tests run at night.");
    put(&shelf, "d", "Tests run at night.");
    put(&shelf, "e", "Something else.");
    shelf
}

#[test]
fn a_plan_writes_nothing_and_is_applied_at_once() {
    let shelf = twins();
    let before = files(&shelf);
    let run = planned(&shelf, &Operation::DEFAULT);
    assert_eq!(run.status, RunStatus::Planned);
    assert_eq!(told(&run), ["planned merge a b", "planned merge c d"]);
    assert_eq!(files(&shelf), before);
    let done = apply(&shelf, &run.id, None).unwrap();
    assert_eq!((done.status, told(&done)[0].as_str()), (RunStatus::Applied, "applied merge a b"));
    let paths = ["knowledge/facts/a.md", "knowledge/facts/c.md", "knowledge/facts/e.md"];
    assert_eq!(shelf.paths(None, None), paths);
    // A superseded document names its replacement.
    let gone = done.actions[0].seen.iter().find(|seen| seen.path.ends_with("b.md")).unwrap();
    let last = shelf.history(&gone.record).pop().unwrap();
    assert_eq!(last.superseded_by, Some(done.actions[0].seen[0].record.clone()));
    assert_eq!(apply(&shelf, &run.id, None).unwrap_err().kind, ErrorKind::Conflict);
    // No work is left, and an empty plan is valid.
    assert!(told(&planned(&shelf, &Operation::DEFAULT)).is_empty());
}

#[test]
fn without_a_dry_run_it_is_done() {
    let shelf = twins();
    let run = start(&shelf, &ConsolidationAsk { dry_run: false, ..ask(&shelf, &Operation::DEFAULT) });
    assert_eq!(run.status, RunStatus::Applied);
    assert_eq!(shelf.paths(None, None).len(), 3);
}

#[test]
fn some_actions_are_applied_and_others_later() {
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    let done = apply(&shelf, &run.id, Some(&["a2"])).unwrap();
    assert_eq!(told(&done), ["planned merge a b", "applied merge c d"]);
    assert_eq!(shelf.paths(None, None).len(), 4);
    for (ids, kind) in
        [(vec!["a2"], ErrorKind::Conflict), (vec!["a9"], ErrorKind::Invalid), (vec![], ErrorKind::Invalid)]
    {
        assert_eq!(apply(&shelf, &run.id, Some(&ids)).unwrap_err().kind, kind, "{ids:?}");
    }
    apply(&shelf, &run.id, Some(&["a1"])).unwrap();
    assert_eq!(shelf.paths(None, None).len(), 3);
    assert_eq!(shelf.body(CHANGELOG).matches("\n## ").count(), 2);
}

/// Documents added during planning stay; changed ones are planned again, and nothing else.
#[test]
fn what_moves_meanwhile() {
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    put(&shelf, "new", "The build needs make.");
    put(&shelf, "b", "The build needs ninja.");
    let refused = apply(&shelf, &run.id, None).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Conflict);
    assert_eq!(refused.details, ["knowledge/facts/b.md"]);
    assert_eq!(shelf.paths(None, None).len(), 6);
    let anew = get(&shelf, &run.id);
    assert_eq!((anew.status, anew.replans), (RunStatus::Planned, 1));
    // The other pair keeps its action under its id; the touched documents were examined again.
    assert_eq!(told(&anew), ["planned merge a new", "planned merge c d"]);
    assert_eq!(anew.actions.iter().find(|one| one.seen[0].path.ends_with("c.md")).unwrap().id, "a2");
    apply(&shelf, &run.id, None).unwrap();
    assert_eq!(shelf.body("knowledge/facts/b.md"), "The build needs ninja.");
    assert_eq!(shelf.paths(None, None).len(), 4);
}

#[test]
fn a_tree_that_never_rests_is_a_conflict() {
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    for number in 0..3 {
        put(&shelf, "a", "The build needs make.");
        put(&shelf, "b", &"The build needs make. ".repeat(number + 2));
        let unlike = get(&shelf, &run.id).status;
        assert_eq!(unlike, RunStatus::Planned, "{number}");
        put(&shelf, "c", &format!("Tests run at night. {}", "!".repeat(number + 1)));
        assert_eq!(apply(&shelf, &run.id, None).unwrap_err().kind, ErrorKind::Conflict);
    }
    assert_eq!(get(&shelf, &run.id).status, RunStatus::Conflict);
    let again =
        block_on(shelf.engine.documents.consolidation_replan(&shelf.caller, &shelf.tree, &run.id)).unwrap();
    assert_eq!(again.status, RunStatus::Planned);
}

/// The hashes equal the earlier ones, after a revert and after its revert.
#[test]
fn a_run_is_undone_and_redone() {
    let shelf = twins();
    put(&shelf, "theme", "Theme: dark");
    put(&shelf, "theme2", "Theme: light");
    shelf.put("knowledge/skills/long.md", "# L\n- x\n- x\n");
    let before = files(&shelf);
    let run = planned(&shelf, &ALL);
    apply(&shelf, &run.id, None).unwrap();
    let after = files(&shelf);
    assert_ne!(before, after);
    let (undone, left) = revert(&shelf, &run.id, false).unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(files(&shelf), before);
    let reverted = get(&shelf, &run.id);
    assert_eq!((reverted.status, reverted.reverted_by.as_deref()), (RunStatus::Reverted, Some(&*undone.id)));
    assert_eq!(revert(&shelf, &run.id, false).unwrap_err().kind, ErrorKind::Conflict);
    let (redone, _) = revert(&shelf, &undone.id, false).unwrap();
    assert_eq!(files(&shelf), after);
    assert_eq!(get(&shelf, &run.id).status, RunStatus::Applied);
    revert(&shelf, &redone.id, false).unwrap();
    assert_eq!(files(&shelf), before);
    assert_eq!(shelf.body(CHANGELOG).matches("\n## ").count(), 4);
}

#[test]
fn what_others_changed_since_is_left_alone() {
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    apply(&shelf, &run.id, None).unwrap();
    put(&shelf, "a", "Edited since.");
    // A merge with an unchanged target only restores the other document.
    let (_, left) = revert(&shelf, &run.id, false).unwrap();
    assert!(left.iter().all(|one| one.contains("a.md")), "{left:?}");
    assert_eq!(shelf.body("knowledge/facts/a.md"), "Edited since.");
    assert_eq!(shelf.body("knowledge/facts/b.md"), "The build needs make.");
    assert_eq!(shelf.body("knowledge/facts/d.md"), "Tests run at night.");

    let shelf = Shelf::new();
    put(&shelf, "l", "# L\n- x\n- x\n");
    let run = planned(&shelf, &Operation::DEFAULT);
    apply(&shelf, &run.id, None).unwrap();
    put(&shelf, "l", "# L\n- y\n");
    let refused = revert(&shelf, &run.id, false).unwrap_err();
    assert_eq!((refused.kind, refused.details.len()), (ErrorKind::Conflict, 1));
    revert(&shelf, &run.id, true).unwrap();
    assert_eq!(shelf.body("knowledge/facts/l.md"), "# L\n- x\n- x\n");
}

/// The fixtures of the design review, through the store.
#[test]
fn contradictions_in_a_tree() {
    let check = |bodies: [(&str, &str); 2], expect: &[&str]| {
        let shelf = Shelf::new();
        for (name, (scope, body)) in ["a", "b"].into_iter().zip(bodies) {
            let scope = (!scope.is_empty()).then(|| scope.to_owned());
            let content = DocumentContent { body: body.to_owned(), scope, ..DocumentContent::default() };
            let path = format!("knowledge/facts/{name}.md");
            let put = PutContent::Parts(content);
            shelf.put_as(&shelf.caller, Some(&path), put, Some(Precondition::Any)).unwrap();
        }
        let run = planned(&shelf, &[Operation::ResolveContradictions]);
        assert_eq!(told(&run), expect, "{bodies:?}");
        let left = if expect.is_empty() { 2 } else { 1 };
        apply(&shelf, &run.id, None).unwrap();
        assert_eq!(shelf.paths(None, None).len(), left);
    };
    let newer = ["planned supersede a b"];
    check(
        [("", "The project uses tabs for indentation."), ("", "The project uses spaces for indentation.")],
        &newer,
    );
    check(
        [("", "The user lives at 14 Mill Lane, Oxford."), ("", "The user lives at 3 Station Road, Oxford.")],
        &newer,
    );
    check(
        [
            ("", "The staging endpoint is https://staging.example.com."),
            ("", "Until Friday the staging endpoint is temporarily https://tmp.example.com."),
        ],
        &[],
    );
    check([("", "The user is vegetarian."), ("", "The user is no longer vegetarian.")], &newer);
    check([("work", "The user's editor is Vim."), ("home", "The user's editor is Zed.")], &[]);
    check(
        [
            ("packages/core", "The project uses Jest for tests."),
            ("packages/core/", "The project uses Vitest for tests."),
        ],
        &newer,
    );
    check(
        [("legacy/", "The frontend uses Redux for state."), ("v2/", "The frontend uses Context for state.")],
        &[],
    );
}

/// A caller without write access is rejected before planning.
#[test]
fn who_may_do_what() {
    let shelf = twins();
    let reader = shelf.writer(&[Read]);
    let ask_all = ask(&shelf, &ALL);
    let denied = |result: Result<ConsolidationRun>| assert_eq!(result.unwrap_err().kind, ErrorKind::Denied);
    denied(block_on(shelf.engine.documents.consolidation_start(&reader, &ask_all)));
    let listing =
        ConsolidationListing { tree: shelf.tree.clone(), status: None, held: false, after: None, limit: 10 };
    let runs = block_on(shelf.engine.documents.consolidations_list(&reader, &listing)).unwrap();
    assert!(runs.items.is_empty());
    let run = planned(&shelf, &Operation::DEFAULT);
    let of = (&shelf.tree, run.id.as_str());
    denied(block_on(shelf.engine.documents.consolidation_apply(&reader, of, None, None)));
    denied(block_on(shelf.engine.documents.consolidation_cancel(&reader, of.0, of.1)));
    denied(block_on(shelf.engine.documents.consolidation_replan(&reader, of.0, of.1)));
    // The responses of all three contain the plan and its documents.
    let blind = shelf.writer(&[Write]);
    denied(block_on(shelf.engine.documents.consolidation_apply(&blind, of, None, None)));
    denied(block_on(shelf.engine.documents.consolidation_cancel(&blind, of.0, of.1)));
    let undone = block_on(shelf.engine.documents.consolidation_revert(&blind, of, false, None));
    denied(undone.map(|undone| undone.run));
    assert_eq!(block_on(shelf.engine.documents.consolidation_get(&reader, of.0, of.1)).unwrap().id, run.id);
    // Documents that every prompt loads wait for an administrator.
    let writer = shelf.writer(&[Read, Write]);
    for name in ["s", "t"] {
        shelf.put(&format!("knowledge/system/{name}.md"), &format!("{name} {}", "word ".repeat(700)));
    }
    let asked = ask(&shelf, &[Operation::Reorganize]);
    let run = block_on(shelf.engine.documents.consolidation_start(&writer, &asked)).unwrap();
    assert_eq!(told(&run).len(), 1);
    assert_eq!(run.actions[0].status, ActionStatus::Held);
    let one = Some(vec!["a1".to_owned()]);
    let of = (&shelf.tree, run.id.as_str());
    denied(block_on(shelf.engine.documents.consolidation_apply(&writer, of, one, None)));
    let done = apply(&shelf, &run.id, Some(&["a1"])).unwrap();
    assert_eq!(done.actions[0].status, ActionStatus::Applied);
}

#[test]
fn one_run_at_a_time_and_what_is_no_question() {
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    let cancel =
        |id: &str| block_on(shelf.engine.documents.consolidation_cancel(&shelf.caller, &shelf.tree, id));
    let off = cancel(&run.id).unwrap();
    assert_eq!(off.status, RunStatus::Cancelled);
    assert_eq!(cancel(&run.id).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(apply(&shelf, &run.id, None).unwrap_err().kind, ErrorKind::Conflict);
    let bad = |change: fn(&mut ConsolidationAsk), field: &str| {
        let mut asked = ask(&shelf, &Operation::DEFAULT);
        change(&mut asked);
        let refused =
            block_on(shelf.engine.documents.consolidation_start(&shelf.caller, &asked)).unwrap_err();
        assert_eq!(refused.field.as_deref(), Some(field));
    };
    bad(|asked| asked.operations = Some(Vec::new()), "operations");
    bad(|asked| asked.limits = RunLimits { max_actions: 0, ..RunLimits::default() }, "limits.max_actions");
    bad(|asked| asked.instructions = Some("x".repeat(4_097)), "instructions");
    bad(|asked| asked.scope = RunScope::Paths(Vec::new()), "scope.paths");
    bad(|asked| asked.scope = RunScope::Paths(vec!["../x".to_owned()]), "scope.paths");
    bad(|asked| asked.planner = PlannerChoice::Llm, "planner");
    // A plan that is too large fails before any change.
    let limits = RunLimits { max_actions: 1, ..RunLimits::default() };
    let failed =
        start(&shelf, &ConsolidationAsk { limits, dry_run: false, ..ask(&shelf, &Operation::DEFAULT) });
    assert_eq!((failed.status, failed.violations[0].code.as_str()), (RunStatus::Failed, "Bounds"));
    assert_eq!(shelf.paths(None, None).len(), 5);
}

#[test]
fn since_the_last_run_and_in_part_of_a_tree() {
    let shelf = twins();
    let since = ConsolidationAsk { scope: RunScope::SinceLast, ..ask(&shelf, &Operation::DEFAULT) };
    let first = start(&shelf, &since);
    assert_eq!(told(&first).len(), 2);
    // A plan that was not applied does not advance the starting point.
    assert_eq!(told(&start(&shelf, &since)).len(), 2);
    apply(&shelf, &first.id, Some(&["a1"])).unwrap();
    assert_eq!(told(&start(&shelf, &since)), ["planned merge c d"]);
    apply(&shelf, &first.id, Some(&["a2"])).unwrap();
    put(&shelf, "f", "Something else.");
    assert_eq!(told(&start(&shelf, &since)), ["planned merge e f"]);
    let part = |paths: &[&str]| ConsolidationAsk {
        scope: RunScope::Paths(paths.iter().map(|path| (*path).to_owned()).collect()),
        ..ask(&shelf, &Operation::DEFAULT)
    };
    assert!(told(&start(&shelf, &part(&["knowledge/facts/e.md"]))).is_empty());
    assert_eq!(told(&start(&shelf, &part(&["Knowledge/facts"]))), ["planned merge e f"]);
}

/// The next run examines documents that a run did not examine.
#[test]
fn nothing_is_passed_over() {
    let check = |before: fn(&Shelf, &ConsolidationAsk), expect: &[&str]| {
        let shelf = twins();
        let since = ConsolidationAsk { scope: RunScope::SinceLast, ..ask(&shelf, &Operation::DEFAULT) };
        before(&shelf, &since);
        assert_eq!(told(&start(&shelf, &since)), expect);
    };
    // Documents added before a run was planned again.
    check(
        |shelf, since| {
            let run = start(shelf, since);
            put(shelf, "g", "The lamp is green.");
            put(shelf, "h", "The lamp is green.");
            put(shelf, "b", "The build needs ninja.");
            assert_eq!(apply(shelf, &run.id, None).unwrap_err().kind, ErrorKind::Conflict);
            apply(shelf, &run.id, None).unwrap();
        },
        &["planned merge g h"],
    );
    let all = ["planned merge a b", "planned merge c d"];
    // Documents outside the paths of a run.
    check(
        |shelf, since| {
            let scope = RunScope::Paths(vec!["knowledge/facts/e.md".to_owned()]);
            let run = start(shelf, &ConsolidationAsk { scope, dry_run: false, ..since.clone() });
            assert_eq!(run.status, RunStatus::Applied);
        },
        &all,
    );
    // Documents that another operation would have found.
    check(
        |shelf, since| {
            let operations = Some(vec![Operation::Prune]);
            start(shelf, &ConsolidationAsk { operations, dry_run: false, ..since.clone() });
        },
        &all,
    );
}

#[test]
fn planned_anew_a_run_stays_within_its_paths() {
    let shelf = twins();
    let paths = ["knowledge/facts/a.md", "knowledge/facts/b.md"].map(str::to_owned).to_vec();
    let scope = RunScope::Paths(paths);
    let run = start(&shelf, &ConsolidationAsk { scope, ..ask(&shelf, &Operation::DEFAULT) });
    assert_eq!(told(&run), ["planned merge a b"]);
    put(&shelf, "new", "The build needs make.");
    put(&shelf, "b", "The build needs ninja.");
    assert_eq!(apply(&shelf, &run.id, None).unwrap_err().kind, ErrorKind::Conflict);
    assert!(told(&get(&shelf, &run.id)).is_empty());
}

/// Stores a whole file.
fn put_file(shelf: &Shelf, name: &str, file: &str) {
    let path = format!("knowledge/facts/{name}.md");
    let put = PutContent::File(file.to_owned());
    shelf.put_as(&shelf.caller, Some(&path), put, Some(Precondition::Any)).unwrap();
}

/// Returns the current record of a document.
fn record(shelf: &Shelf, name: &str) -> Record {
    let id = shelf.get(&format!("knowledge/facts/{name}.md")).unwrap().record;
    shelf.history(&id).pop().unwrap()
}

#[test]
fn what_is_put_in_order_is_no_newer_and_trusted_as_before() {
    let shelf = Shelf::new();
    put_file(&shelf, "l", "---\ntrust: external\n---\n# L\n- x\n- x\n");
    let before = record(&shelf, "l");
    let run = planned(&shelf, &Operation::DEFAULT);
    apply(&shelf, &run.id, None).unwrap();
    let after = record(&shelf, "l");
    assert_eq!((after.text.as_str(), before.tier), ("# L\n- x\n", TrustTier::External));
    assert_eq!(
        (after.tier, after.trust, after.timestamp, after.valid_from),
        (before.tier, before.trust, before.timestamp, before.valid_from)
    );
}

/// A merged document expires when the last of its sources would.
#[test]
fn a_merge_holds_as_long_as_its_sources() {
    let until = |day: u32| format!("---\nexpires_at: 2999-01-0{day}\n---\nSay it.");
    let check = |first: &str, second: &str, expect: Option<&str>| {
        let shelf = Shelf::new();
        put_file(&shelf, "a", first);
        put_file(&shelf, "b", second);
        let run = planned(&shelf, &Operation::DEFAULT);
        apply(&shelf, &run.id, None).unwrap();
        let expires_at = record(&shelf, "a").expires_at;
        assert_eq!(expires_at, expect.map(|at| Timestamp::parse(at).unwrap()), "{first:?} {second:?}");
        let file = shelf.get("knowledge/facts/a.md").unwrap().file;
        assert!(!file.contains("2999-01-01"), "{file}");
    };
    check(&until(1), "Say it.", None);
    check("Say it.", &until(1), None);
    check(&until(1), &until(2), Some("2999-01-02"));
    check(&until(2), &until(1), Some("2999-01-02"));
}

/// A permitted person repeats a person's decision; actions that were left open then are not
/// applied.
#[test]
fn what_a_revert_of_a_revert_does() {
    let shelf = Shelf::new();
    let long = "The team writes its release notes by hand before each release and asks a colleague to read them once more";
    put(&shelf, "a", &format!("{long}."));
    put_file(&shelf, "b", &format!("---\ntrust: external\n---\n{long}, as it always did in former years."));
    let run = planned(&shelf, &Operation::DEFAULT);
    assert_eq!(told(&run), ["held merge a b"]);
    apply(&shelf, &run.id, Some(&["a1"])).unwrap();
    // The text comes from the external document, and so does its trust.
    assert_eq!(record(&shelf, "a").tier, TrustTier::External);
    let writer = shelf.writer(&[Read, Write]);
    let revert_as = |caller, id: &str| {
        shelf.world.clock().advance_ms(1_000);
        block_on(shelf.engine.documents.consolidation_revert(caller, (&shelf.tree, id), false, None))
    };
    let undone = revert_as(&writer, &run.id).unwrap().run;
    assert_eq!(revert_as(&writer, &undone.id).unwrap_err().kind, ErrorKind::Denied);
    let redone = revert_as(&shelf.caller, &undone.id).unwrap().run;
    let again = revert_as(&writer, &redone.id).unwrap().run;
    assert_eq!(revert_as(&writer, &again.id).unwrap_err().kind, ErrorKind::Denied);

    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    apply(&shelf, &run.id, Some(&["a1"])).unwrap();
    let (undone, _) = revert(&shelf, &run.id, false).unwrap();
    revert(&shelf, &undone.id, false).unwrap();
    assert_eq!(told(&get(&shelf, &run.id)), ["applied merge a b", "skipped merge c d"]);
    assert_eq!(apply(&shelf, &run.id, Some(&["a2"])).unwrap_err().kind, ErrorKind::Conflict);
    assert_eq!(shelf.body("knowledge/facts/c.md"), "Tests run at night.");
}

/// Of two equal documents, one is redacted: neither a revert nor a restore brings it back through
/// the other.
#[test]
fn what_was_taken_out_does_not_come_back() {
    use loci_documents::{Point, RecordRedact, RedactWhich, TreeRestore};
    let shelf = twins();
    let before = files(&shelf);
    let run = planned(&shelf, &Operation::DEFAULT);
    let sequence = run.snapshot_sequence;
    let done = apply(&shelf, &run.id, None).unwrap();
    let redact = RecordRedact {
        memory: shelf.memory(),
        record: done.actions[0].seen[0].record.clone(),
        which: RedactWhich::Match("needs make".to_owned()),
        reason: "private".to_owned(),
    };
    block_on(shelf.engine.documents.record_redact(&shelf.caller, redact)).unwrap();
    let restore = TreeRestore {
        tree: shelf.tree.clone(),
        to: Point::Sequence(sequence),
        paths: ["knowledge/facts/a.md", "knowledge/facts/b.md"].map(str::to_owned).to_vec(),
        dry_run: false,
        reason: None,
    };
    let restored = block_on(shelf.engine.documents.tree_restore(&shelf.caller, restore, None)).unwrap();
    let gaps = restored.documents.iter().filter(|one| one.gap.is_some());
    let gaps: Vec<&str> = gaps.filter_map(|one| one.path.as_deref()).collect();
    assert_eq!(gaps, ["knowledge/facts/a.md", "knowledge/facts/b.md"]);
    let (_, left) = revert(&shelf, &run.id, true).unwrap();
    assert!(left.len() == 2 && left.iter().all(|one| one.contains("taken out")), "{left:?}");
    let now = files(&shelf);
    assert!(!now.values().any(|file| file.contains("needs make")), "{now:?}");
    assert_eq!(now["knowledge/facts/d.md"], before["knowledge/facts/d.md"]);
}

#[test]
fn the_changelog_is_nobodys_document() {
    let shelf = twins();
    assert_eq!(shelf.get(CHANGELOG).unwrap_err().kind, ErrorKind::NotFound);
    let run = planned(&shelf, &Operation::DEFAULT);
    assert_eq!(shelf.get(CHANGELOG).unwrap_err().kind, ErrorKind::NotFound);
    apply(&shelf, &run.id, None).unwrap();
    let log = shelf.body(CHANGELOG);
    assert!(log.contains(&format!("Run: {}   Planner: deterministic@2", run.id)), "{log}");
    assert!(log.contains("- merge facts/a.md, facts/b.md -> facts/a.md: they say the same"), "{log}");
    assert!(!shelf.paths(None, None).iter().any(|path| path.contains("changelog")));
    let taken = shelf.put_as(&shelf.caller, Some(CHANGELOG), text("x"), Some(Precondition::Any));
    assert_eq!(taken.unwrap_err().kind, ErrorKind::Denied);
}

#[test]
fn what_a_run_changes_is_shown() {
    let shelf = twins();
    put(&shelf, "l", "# L\n- x\n- x\n");
    let run = planned(&shelf, &Operation::DEFAULT);
    let shown = |run: &ConsolidationRun| {
        block_on(shelf.engine.documents.consolidation_differences(&shelf.caller, &shelf.tree, run)).unwrap()
    };
    let before = shown(&run);
    let lines = before.iter().filter_map(|one| one.unified.as_deref()).collect::<String>();
    assert!(lines.contains("--- a/knowledge/facts/b.md\n+++ /dev/null"), "{lines}");
    assert!(lines.contains("-- x\n"), "{lines}");
    apply(&shelf, &run.id, None).unwrap();
    let after = shown(&get(&shelf, &run.id));
    assert!(after.iter().all(|one| one.action.is_none()));
    let lines = after.iter().filter_map(|one| one.unified.as_deref()).collect::<String>();
    assert!(lines.contains("--- a/knowledge/facts/b.md\n+++ /dev/null"), "{lines}");
}

#[test]
fn what_is_kept_of_documents_goes_with_them() {
    use loci_documents::{RecordRedact, RedactWhich};
    let shelf = twins();
    let run = planned(&shelf, &Operation::DEFAULT);
    let record = run.actions[0].seen[1].record.clone();
    let redact = RecordRedact {
        memory: shelf.memory(),
        record,
        which: RedactWhich::Match("needs make".to_owned()),
        reason: "private".to_owned(),
    };
    block_on(shelf.engine.documents.record_redact(&shelf.caller, redact)).unwrap();
    let kept = get(&shelf, &run.id);
    assert_eq!(told(&kept), ["conflict merge a b", "planned merge c d"]);
    assert!(!serde_json::to_string(&kept).unwrap().contains("needs make"));
    apply(&shelf, &run.id, None).unwrap();
}

#[test]
fn what_others_keep_is_not_planned_on() {
    use loci_engine::records::NewRecord;
    use loci_model::record::RecordKind;
    let shelf = Shelf::new();
    let of = |kind, body: &str| NewRecord { kind, ..shelf.fact(body) };
    let same = "The same words in each of these.";
    shelf.records(
        "team",
        vec![
            of(RecordKind::Episode, same),
            of(RecordKind::Episode, same),
            of(RecordKind::Summary, same),
            of(RecordKind::Summary, same),
        ],
    );
    assert!(told(&planned(&shelf, &ALL)).is_empty());
    shelf.records("team", vec![of(RecordKind::Fact, same), of(RecordKind::Fact, same)]);
    assert_eq!(told(&planned(&shelf, &ALL)).len(), 1);
    let refused = shelf.engine.documents.consolidation_get(&shelf.caller, &shelf.tree, "cr_nothing");
    assert_eq!(block_on(refused).unwrap_err().kind, ErrorKind::NotFound);
}

fn question(shelf: &Shelf, query: &str) -> SearchRequest {
    SearchRequest {
        memory: shelf.memory(),
        query: query.to_owned(),
        namespaces: Vec::new(),
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        citing: None,
        as_of: None,
        top_k: 1,
        fold: false,
        budget_tokens: None,
        relevance_min: None,
        explain: false,
        lists: None,
        include_system: false,
    }
}

#[test]
fn what_prompts_begin_with_is_not_found_by_default() {
    let shelf = Shelf::new();
    put(&shelf, "harbour", "The harbour of Largs has twelve berths.");
    shelf.put("knowledge/system/berths.md", "Berths of the harbour are named by number.");
    shelf.put("knowledge/systems.md", "Systems of the harbour: radio, radar.");
    let found = |include_system| {
        let asked = SearchRequest { top_k: 10, include_system, ..question(&shelf, "the harbour") };
        let answer = block_on(shelf.engine.search(&shelf.caller, asked)).unwrap();
        let mut paths: Vec<String> = answer.hits.into_iter().filter_map(|hit| hit.record.path).collect();
        paths.sort();
        paths
    };
    let others = ["knowledge/facts/harbour.md", "knowledge/systems.md"];
    assert_eq!(found(false), others);
    assert_eq!(
        found(true),
        ["knowledge/facts/harbour.md", "knowledge/system/berths.md", "knowledge/systems.md"]
    );
    // A document that is moved out of it is found again.
    shelf.move_to("knowledge/system/berths.md", "knowledge/facts/berths.md").unwrap();
    assert_eq!(found(false).len(), 3);
}

#[test]
fn what_nobody_reads_goes_once_reads_were_counted_for_long() {
    let shelf = Shelf::new();
    for (name, body) in [
        ("got", "The build needs make."),
        ("viewed", "Tests run at night."),
        ("found", "Zanzibar is where the backups are."),
        ("once", "Release notes are written by hand."),
        ("never", "The canteen opens at noon."),
    ] {
        put(&shelf, name, body);
    }
    let old = || shelf.world.clock().advance_ms(91 * 86_400_000);
    old();
    assert!(told(&planned(&shelf, &[Operation::Prune])).is_empty(), "nobody counted");
    for _ in 0..2 {
        shelf.get("knowledge/facts/got.md").unwrap();
        let view = serde_json::json!({"command": "view", "path": "/memories/facts/viewed.md"});
        block_on(shelf.engine.documents.memory_tool(
            &shelf.caller,
            &MountAsk::Tree(shelf.tree.clone()),
            view,
            None,
        ))
        .unwrap();
        let request = question(&shelf, "Zanzibar backups");
        assert_eq!(block_on(shelf.engine.search(&shelf.caller, request)).unwrap().hits.len(), 1);
        // A listing returns all of them without counting as a read.
        shelf.paths(None, None);
    }
    shelf.get("knowledge/facts/once.md").unwrap();
    assert_eq!(block_on(shelf.engine.documents.reads_kept()).unwrap(), 4);
    assert_eq!(block_on(shelf.engine.documents.reads_kept()).unwrap(), 0);
    assert!(told(&planned(&shelf, &[Operation::Prune])).is_empty(), "counted for an hour");
    old();
    let run = planned(&shelf, &[Operation::Prune]);
    assert_eq!(told(&run), ["planned archive never", "planned archive once"]);
}
