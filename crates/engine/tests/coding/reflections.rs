//! Reflections on several tasks of a repository: detected by rules, phrased by a model, counted by
//! the engine; and their schedule.

use loci_api::coding::reflection::{RepositoryReflect, RepositoryReflectAsked};
use loci_api::coding::task::end::TaskFinalize;
use loci_coding::hydration::Hydration;
use loci_coding::{Completion, RepositoryChange};
use loci_model::ErrorKind;
use loci_model::ports::store::{RecordChange, StoreExt};
use loci_model::principal::{Capability, Grant};
use loci_model::record::{Record, RecordState};
use loci_model::tasks::task::TaskStatus;
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task_id};

fn failed(shop: &Workshop, id: &str, category: &str) {
    shop.begun(id);
    let said = Completion {
        status: Some(TaskStatus::Failed),
        failure_category: Some(category.to_owned()),
        files_changed: vec!["src/api/orders.ts".to_owned()],
        ..Completion::default()
    };
    shop.complete(id, said).unwrap();
}

fn ended(shop: &Workshop, id: &str) {
    shop.begun(id);
    let said = Completion {
        status: Some(TaskStatus::Completed),
        files_changed: vec!["src/web/page.ts".to_owned()],
        ..Completion::default()
    };
    shop.complete(id, said).unwrap();
}

fn reflect(shop: &Workshop, dry_run: bool) -> RepositoryReflectAsked {
    let ask = RepositoryReflect { window: None, dry_run };
    let asked =
        block_on(shop.engine.coding.repository_reflect(&shop.caller, &shop.standing, REPO, ask)).unwrap();
    shop.work();
    asked
}

/// Returns the active reflections by subject.
fn reflections(shop: &Workshop) -> Vec<Record> {
    let mut all: Vec<Record> = shop.episodes().iter().map(|id| shop.record(id)).collect();
    all.retain(|record| record.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("repository/")));
    all.sort_by(|a, b| a.subtype.cmp(&b.subtype));
    all
}

fn counts(shop: &Workshop) -> Vec<(String, u32, u32, u32)> {
    let count = |record: Record| {
        let evidence = record.making.unwrap().evidence.unwrap();
        (record.subtype.unwrap(), evidence.hits, evidence.of, record.version)
    };
    reflections(shop).into_iter().map(count).collect()
}

fn named(subject: &str, hits: u32, of: u32, version: u32) -> (String, u32, u32, u32) {
    (format!("repository/{subject}"), hits, of, version)
}

#[test]
fn a72_two_tasks_are_no_pattern_and_three_are() {
    let shop = Workshop::new();
    for number in 1..=2 {
        failed(&shop, &format!("t-{number:03}"), "missing_verification");
    }
    reflect(&shop, false);
    assert!(reflections(&shop).is_empty());
    failed(&shop, "t-003", "missing_verification");
    let tried = reflect(&shop, true);
    assert!(tried.job.is_none() && tried.reflections.len() == 2, "{tried:?}");
    assert!(reflections(&shop).is_empty(), "a trial writes nothing");
    reflect(&shop, false);
    let both = [
        named("failure/missing_verification", 3, 3, 1),
        named("failure/missing_verification/src/api", 3, 3, 1),
    ];
    assert_eq!(counts(&shop), both);
    reflect(&shop, false);
    assert_eq!(counts(&shop), both, "the same tasks change nothing");
    let one = reflections(&shop).remove(1);
    assert_eq!(one.derived_from.len(), 3);
    assert!(one.text.contains("3 of the last 3 tasks"), "{}", one.text);
    shop.begun("t-050");
    let found = block_on(shop.engine.coding.task_hydrate(
        &shop.caller,
        &shop.standing,
        &task_id("t-050"),
        Hydration::default(),
    ))
    .unwrap();
    assert!(
        found.plan.block.contains("Tasks that touch src/api end in missing verification."),
        "{}",
        found.plan.block
    );
}

#[test]
fn a72_what_fewer_bear_out_by_now_expires() {
    let shop = Workshop::new();
    for number in 1..=3 {
        failed(&shop, &format!("t-{number:03}"), "missing_verification");
    }
    reflect(&shop, false);
    let of_all = reflections(&shop).remove(0);
    ended(&shop, "t-004");
    reflect(&shop, false);
    assert_eq!(counts(&shop)[0], named("failure/missing_verification", 3, 4, 2), "the next version");
    for number in 5..=8 {
        ended(&shop, &format!("t-{number:03}"));
    }
    reflect(&shop, false);
    assert_eq!(counts(&shop), [named("failure/missing_verification/src/api", 3, 3, 1)]);
    let gone = shop.record(&of_all.id);
    assert_eq!(gone.state, RecordState::Expired);
    assert_eq!(gone.state_reason.as_deref(), Some("borne out by 3 of 8 tasks by now"));
}

#[test]
fn what_was_set_aside_does_not_come_back() {
    use RecordState as S;
    for state in [S::Quarantined, S::Candidate, S::Invalid, S::RolledBack] {
        let shop = Workshop::new();
        for number in 1..=3 {
            failed(&shop, &format!("t-{number:03}"), "missing_verification");
        }
        reflect(&shop, false);
        let aside = reflections(&shop).remove(0);
        let (memory, id) = (shop.memory(), aside.id.clone());
        let change = RecordChange { state, reason: "a person decided".to_owned(), at: shop.engine.now() };
        let write = shop.world.store();
        assert!(block_on(write.write(move |tx| tx.records_mut().set_state(&memory, &id, &change))).unwrap());
        failed(&shop, "t-004", "missing_verification");
        reflect(&shop, false);
        let other = named("failure/missing_verification/src/api", 4, 4, 2);
        assert_eq!(counts(&shop), [other], "{state:?}: of its subject nothing is written");
        assert_eq!(shop.record(&aside.id).state, state);
    }
}

#[test]
fn a72_what_no_agent_told_counts_for_failures_alone() {
    let shop = Workshop::new();
    for number in 1..=3 {
        let id = format!("t-{number:03}");
        shop.begun(&id);
        shop.finalize(
            &id,
            TaskFinalize { status: TaskStatus::TimedOut.as_str().to_owned(), ..TaskFinalize::default() },
        )
        .unwrap();
    }
    reflect(&shop, false);
    assert_eq!(counts(&shop), [named("failure/timeout", 3, 3, 1)]);
}

#[test]
fn after_so_many_tasks_it_is_done_by_itself() {
    let shop = Workshop::new();
    let settings = vec![("reflection.every_tasks".to_owned(), serde_json::Value::from(3))];
    let change = RepositoryChange { replaces: false, settings };
    block_on(shop.engine.coding.repository_configure(&shop.caller, &shop.standing, REPO, change)).unwrap();
    for number in 1..=2 {
        failed(&shop, &format!("t-{number:03}"), "environment_failure");
        // The agents' operator confirms it.
        let end = TaskFinalize { status: TaskStatus::Failed.as_str().to_owned(), ..TaskFinalize::default() };
        shop.finalize(&format!("t-{number:03}"), end).unwrap();
    }
    shop.work();
    assert!(reflections(&shop).is_empty());
    failed(&shop, "t-003", "environment_failure");
    shop.work();
    assert_eq!(reflections(&shop).len(), 2);
}

#[test]
fn who_may_ask() {
    let shop = Workshop::new();
    let reader = shop.with_grant(&[Capability::Read], Grant::everything());
    let ask = || RepositoryReflect::default();
    let denied =
        block_on(shop.engine.coding.repository_reflect(&reader, &shop.standing, REPO, ask())).unwrap_err();
    assert_eq!(denied.kind, ErrorKind::Denied);
    let odd = RepositoryReflect { window: Some(201), ..ask() };
    let refused =
        block_on(shop.engine.coding.repository_reflect(&shop.caller, &shop.standing, REPO, odd)).unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("window"));
    let memory = shop.memory();
    let jobs = block_on(shop.world.store().read(move |tx| {
        tx.jobs().list(&memory, &loci_model::ports::store::JobQuery { limit: 10, ..Default::default() })
    }));
    assert!(jobs.unwrap().iter().all(|job| job.kind != loci_model::job::JobKind::REFLECT));
}
