//! The outbox: ends of jobs, giving up, retries, and repetition of a try that could not be
//! recorded.

use std::collections::BTreeSet;
use std::sync::Arc;

use loci_engine::EngineSettings;
use loci_engine::memories::NewMemory;
use loci_engine::settings::JobWebhook;
use loci_model::delivery::DeliveryState;
use loci_model::event::Role::User;
use loci_model::job::JobState;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::principal::Principal;
use loci_model::{DeliveryId, ErrorKind, limits};
use loci_testkit_ports::RecordingTargets;
use serde_json::json;

use crate::fixture::{Fault, World, strategy};

fn world(hooks: &[(&str, &[JobState], Option<&str>)]) -> (World, Arc<RecordingTargets>) {
    let targets = Arc::new(RecordingTargets::default());
    let parts = targets.clone();
    let hook = |(target, on, memory): &(&str, &[JobState], Option<&str>)| JobWebhook {
        target: (*target).to_owned(),
        on: on.to_vec(),
        memory: memory.map(str::to_owned),
    };
    let settings =
        EngineSettings { job_webhooks: hooks.iter().map(hook).collect(), ..EngineSettings::default() };
    let new = NewMemory { strategies: vec![strategy(StrategyBase::Semantic)], ..NewMemory::default() };
    (World::made(new, settings, |made| made.deliver = Some(parts)), targets)
}

fn serve_for(world: &World, millis: i64) {
    let until = world.clock.now().plus_millis(millis);
    let clock = world.clock.clone();
    assert!(world.serve_until(move || clock.now() >= until));
}

#[test]
fn ends_of_jobs_are_told_to_those_who_want_them() {
    let done: &[JobState] = &[JobState::Done];
    let (world, targets) = world(&[
        ("mine", done, Some("notes")),
        ("others", done, Some("other_memory")),
        ("failures", &[JobState::Failed], None),
    ]);
    world.say("s1", User, "I have a dog.");
    assert!(world.work().complete);
    serve_for(&world, 3_000);
    let notices = targets.notices();
    let whom: Vec<&str> = notices.iter().map(|notice| notice.target.as_str()).collect();
    assert_eq!(whom, ["mine"]);
    let job = world.jobs().into_iter().find(|job| job.actor.is_some()).unwrap();
    let body = notices[0].body.value().unwrap();
    assert_eq!(
        body["job"],
        json!({
            "id": job.id.as_str(), "memory": world.memory.id.as_str(), "kind": "extract",
            "strategy": world.memory.strategies[0].id.as_str(), "actor": "alice", "session": "s1", "state": "done",
            "attempts": 0, "failure_reason": null, "fallback": false,
        })
    );
    assert_eq!((&body["type"], &body["at"]), (&json!("job.done"), &json!(job.updated_at.to_rfc3339())));
}

#[test]
fn a_webhook_of_jobs_is_given_up_and_can_be_tried_again() {
    let (world, targets) = world(&[("hook", &[JobState::Done], None)]);
    targets.fail_next([Some(ErrorKind::Unavailable); 8]);
    world.say("s1", User, "I have a dog.");
    assert!(world.work().complete);
    serve_for(&world, 600_000);
    assert_eq!((targets.tries(), targets.notices().len()), (8, 0));
    let (caller, memory) = (&world.caller, &world.memory.id);
    let failed = Some(DeliveryState::Failed);
    let listed = world.drive(world.engine.delivery_list(caller, memory, failed, None, 10)).unwrap().items;
    let [dead] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!((dead.attempts, dead.last_error.as_deref()), (8, Some("failed as scripted")));
    world.drive(world.engine.delivery_retry(caller, memory, &dead.id)).unwrap();
    serve_for(&world, 2_000);
    assert_eq!(targets.notices().len(), 1);
    let again = world.drive(world.engine.delivery_retry(caller, memory, &dead.id)).unwrap_err();
    assert_eq!(again.kind, ErrorKind::NotFound);
}

#[test]
fn what_no_try_can_help_is_given_up_at_once() {
    let (world, targets) = world(&[("hook", &[JobState::Done], None)]);
    targets.fail_next([Some(ErrorKind::Invalid)]);
    world.say("s1", User, "I have a dog.");
    assert!(world.work().complete);
    serve_for(&world, 10_000);
    assert_eq!(targets.tries(), 1);
    let backlog = world.drive((&*world.store as &dyn Store).read(|tx| tx.deliveries().backlog())).unwrap();
    assert_eq!((backlog.pending, backlog.failed, backlog.oldest), (0, 1, None));
}

#[test]
fn what_nobody_comes_for_is_given_up_in_the_end() {
    let (world, targets) = world(&[("hook", &[JobState::Done], None)]);
    targets.unmap("hook");
    world.say("s1", User, "I have a dog.");
    assert!(world.work().complete);
    let backlog = || {
        let found = world.drive((&*world.store as &dyn Store).read(|tx| tx.deliveries().backlog())).unwrap();
        (found.pending, found.failed)
    };
    serve_for(&world, 10_000);
    assert_eq!(backlog(), (1, 0));
    world.clock.advance_ms(u64::try_from(limits::UNDELIVERED_KEPT_MS).unwrap() - 20_000);
    serve_for(&world, 1_000);
    assert_eq!(backlog(), (1, 0));
    serve_for(&world, 330_000);
    assert_eq!((backlog(), targets.tries()), ((0, 1), 0));
}

#[test]
fn only_administrators_see_the_outbox() {
    let (world, _) = world(&[]);
    let nobody = Principal { name: "nobody".into(), grants: Vec::new() };
    let memory = &world.memory.id;
    let id = DeliveryId::parse("x").unwrap();
    let denied = [
        world.drive(world.engine.delivery_list(&nobody, memory, None, None, 10)).unwrap_err().kind,
        world.drive(world.engine.delivery_retry(&nobody, memory, &id)).unwrap_err().kind,
        world.engine.targets(&nobody).unwrap_err().kind,
        world.drive(world.engine.target_test(&nobody, "hook")).unwrap_err().kind,
    ];
    assert_eq!(denied, [ErrorKind::Denied; 4]);
    let unknown = world.drive(world.engine.target_test(&world.caller, "hook")).unwrap_err();
    assert_eq!(unknown.kind, ErrorKind::NotFound);
}

/// Any write may fail in any way: everything is sent, and repetitions have the same id.
#[test]
fn any_write_may_fail() {
    let told = || {
        let (world, targets) = world(&[("one", &[JobState::Done], None), ("two", &[JobState::Done], None)]);
        world.say("s1", User, "I have a dog.");
        (world, targets)
    };
    let serve = |world: &World, targets: &Arc<RecordingTargets>| {
        let seen = targets.clone();
        world.serve_until(move || {
            let targets: BTreeSet<String> = seen.notices().into_iter().map(|notice| notice.target).collect();
            targets.len() == 2
        })
    };
    let (calm, targets) = told();
    let before = calm.store.writes();
    assert!(serve(&calm, &targets));
    assert_eq!(targets.notices().len(), 2);
    for number in 0..calm.store.writes() - before {
        for fault in [Fault::Before, Fault::Within, Fault::After] {
            let (world, targets) = told();
            world.store.fail_write(number, fault);
            assert!(serve(&world, &targets), "{number} {fault:?}");
            serve_for(&world, 60_000);
            let ids: BTreeSet<String> =
                targets.notices().iter().map(|notice| notice.id.to_string()).collect();
            assert_eq!(ids.len(), 2, "write {number} failed: {fault:?}");
        }
    }
}
