//! Jobs that fail, and their recovery.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use loci_engine::memories::{MemoryUpdate, NewMemory, NewStrategy, StrategyUpdate};
use loci_model::event::Role::User;
use loci_model::job::{JobKind, JobState};
use loci_model::memory::index_key::NamespaceKey;
use loci_model::memory::strategy::StrategyBase::Semantic;
use loci_model::ports::clock::Clock;

use crate::fixture::{World, said, strategy, template};

fn world_of_teams() -> World {
    let semantic = NewStrategy { template: Some(template("/teams/{team}/")), ..strategy(Semantic) };
    let key = NamespaceKey { key: "team".into(), validation: None };
    World::of(NewMemory { strategies: vec![semantic], namespace_keys: vec![key], ..NewMemory::default() })
}

/// Sets a template without the team variable.
fn without_teams(world: &World) {
    let change = MemoryUpdate {
        modify_strategies: vec![StrategyUpdate {
            id: world.memory.strategies[0].id.clone(),
            description: None,
            template: Some(template("/all/{actorId}/")),
            schema: None,
            expiry: None,
            extraction: None,
            consolidation: None,
            reflection: None,
            self_managed: None,
        }],
        ..MemoryUpdate::default()
    };
    world.drive(world.engine.memory_update(&world.caller, &world.memory.id, change, None)).unwrap();
}

#[test]
fn what_failed_is_read_beside_a_younger_job() {
    let world = world_of_teams();
    let many = |what: &str| (0..70).map(|at| said(User, &format!("{what} {at} about no team"))).collect();
    world.create(world.event("s1", many("talk")));
    world.create(world.event("s1", many("more")));
    assert_eq!(world.work().failed, 1);
    let failed = world.jobs().remove(0);
    assert_eq!(failed.messages.len(), 140);
    without_teams(&world);
    world.say("s1", User, "the ferry runs twice a day");
    world.drive(world.engine.job_start(&world.caller, &world.memory.id, &failed.id, None)).unwrap();
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert_eq!(world.texts().len(), 141);
}

#[test]
fn a_missing_variable_fails_at_once_and_holds_nothing_else_up() {
    let world = world_of_teams();
    world.say("s1", User, "nobody knows which team this is");
    let mut event = world.event("s1", vec![said(User, "the red team won again")]);
    event.namespace_variables = BTreeMap::from([("team".to_owned(), "red".to_owned())]);
    world.create(event);
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 1));
    assert_eq!(world.texts(), ["the red team won again"]);
    let job = world.jobs().remove(0);
    assert_eq!((job.state, job.attempts, job.messages.len()), (JobState::Failed, 1, 1));
    let reason = job.failure_reason.unwrap();
    assert!(reason.starts_with("NAMESPACE_VARIABLE_MISSING: ") && reason.contains("{team}"), "{reason}");

    // With a template without the team variable, the same job succeeds.
    without_teams(&world);
    let started =
        world.drive(world.engine.job_start(&world.caller, &world.memory.id, &job.id, None)).unwrap();
    assert_eq!(started, job.id);
    assert_eq!(world.work().failed, 0);
    assert_eq!(world.texts(), ["nobody knows which team this is", "the red team won again"]);
    assert_eq!(world.jobs()[0].state, JobState::Done);
}

#[test]
fn without_the_embedder_records_are_written_and_vectors_follow() {
    let world = World::with(&[Semantic]);
    world.embedder.is_out.store(true, Ordering::SeqCst);
    world.say("s1", User, "a quiet day at the lake");
    let memories = [world.memory.id.clone()];
    let outcome = world.drive(world.engine.run_due(&memories, 3_000)).unwrap();
    assert!(!outcome.complete, "{outcome:?}");
    assert_eq!(world.texts(), ["a quiet day at the lake"]);
    assert_eq!(world.missing_vectors(), 1);
    let waiting = world.jobs().into_iter().find(|job| job.kind == JobKind::EMBED).unwrap();
    assert!(waiting.failure_reason.unwrap().starts_with("STORE_UNAVAILABLE: "));
    world.embedder.is_out.store(false, Ordering::SeqCst);
    assert!(world.work().complete);
    assert_eq!(world.missing_vectors(), 0);
}

#[test]
fn vectors_that_are_completed_cost_no_second_look() {
    let searches = |was_out: bool| {
        let world = World::with(&[Semantic]);
        world.embedder.is_out.store(was_out, Ordering::SeqCst);
        world.say("s1", User, "a quiet day at the lake");
        world.drive(world.engine.run_due(std::slice::from_ref(&world.memory.id), 3_000)).unwrap();
        assert_eq!(world.missing_vectors(), u64::from(was_out));
        world.embedder.is_out.store(false, Ordering::SeqCst);
        let count = Arc::new(AtomicI64::new(0));
        let counted = count.clone();
        *world.store.searching.lock().unwrap() = Some(Box::new(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        }));
        world.say("s1", User, "a storm came up at the lake");
        assert!(world.work().complete);
        *world.store.searching.lock().unwrap() = None;
        assert_eq!((world.texts().len(), world.missing_vectors()), (2, 0));
        count.load(Ordering::SeqCst)
    };
    let usual = searches(false);
    assert!(usual > 0);
    // The job that embeds runs at the same time: a plan that it makes outdated is repeated. The
    // minimum of four tries contains no such plan.
    let completed = (0..4).map(|_| searches(true)).min();
    assert_eq!(completed, Some(usual), "a plan that would be refused is not decided");
}

#[test]
fn a_passage_that_the_embedder_refuses_holds_up_no_other() {
    let world = World::with(&[Semantic]);
    for place in ["lake", "river", "stone", "shore", "hill"] {
        world.say("s1", User, &format!("a quiet day at the {place}"));
    }
    let memories = [world.memory.id.clone()];
    // The embedder rejects everything: that is no fault of the passages, and is retried.
    *world.embedder.refuses.lock().unwrap() = Some("");
    assert!(!world.drive(world.engine.run_due(&memories, 3_000)).unwrap().complete);
    assert_eq!(world.missing_vectors(), 5);
    let waiting = world.jobs().into_iter().find(|job| job.kind == JobKind::EMBED).unwrap();
    assert_eq!(waiting.failure_reason.unwrap(), "MODEL_UNAVAILABLE: a text is refused");
    *world.embedder.refuses.lock().unwrap() = Some("stone");
    assert!(world.work().complete);
    assert_eq!(world.missing_vectors(), 1);
    let done = world.jobs().into_iter().find(|job| job.kind == JobKind::EMBED).unwrap();
    assert_eq!(done.state, JobState::Done);
}

#[test]
fn a_job_of_a_dead_runner_is_taken_over_at_once() {
    use loci_model::ports::store::{Store, StoreExt};
    let world = World::with(&[Semantic]).of_one();
    world.say("s1", User, "the ferry runs twice a day");
    let now = world.clock.now().plus_millis(1_000);
    let store: &dyn Store = &*world.store;
    let lost = world.drive(store.write(move |tx| tx.jobs_mut().claim("dead", &[], now, 30_000))).unwrap();
    assert!(lost.is_some());
    assert!(world.work().complete);
    assert_eq!(world.texts(), ["the ferry runs twice a day"]);
    // The new host knows that the old one no longer exists: it does not wait for the lease of 30 s.
    assert!(world.clock.now() < now.plus_millis(30_000));
}

#[test]
fn what_is_gone_is_no_failure() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "this will be deleted soon");
    let events = world
        .drive(world.engine.event_list(
            &world.caller,
            loci_engine::events::EventListing {
                memory: world.memory.id.clone(),
                actor: loci_model::ActorId::parse("alice").unwrap(),
                session: loci_model::SessionId::parse("s1").unwrap(),
                branch: None,
                metadata: Vec::new(),
                before: None,
                limit: 10,
                with_payload: false,
            },
        ))
        .unwrap();
    let event = &events.items[0];
    world
        .drive(world.engine.event_delete(
            &world.caller,
            &world.memory.id,
            &event.actor,
            &event.session,
            &event.id,
        ))
        .unwrap();
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.failed), (true, 0));
    assert!(world.active().is_empty());
}
