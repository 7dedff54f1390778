//! The runner of a host, waits for it, and its sweeps.

use loci_engine::memories::{NewMemory, NewStrategy};
use loci_engine::records::RecordDelete;
use loci_model::event::Role::User;
use loci_model::memory::strategy::StrategyBase::{Semantic, Summary};
use loci_model::record::RecordState;

use crate::fixture::{Fault, World, strategy};

#[test]
fn waiting_makes_jobs_due_and_the_host_does_them() {
    let world = World::with(&[Semantic, Summary]);
    world.say("s1", User, "the lighthouse was painted white");
    let (stop, stopped) = futures::channel::oneshot::channel::<()>();
    let host = world.engine.run_jobs(Box::pin(async {
        stopped.await.ok();
    }));
    let actor = loci_model::ActorId::parse("alice").unwrap();
    let waits = async {
        let (caller, memory) = (&world.caller, &world.memory.id);
        let outcome = world.engine.extraction_wait(caller, memory, Some(&actor), None, 60_000).await;
        stop.send(()).ok();
        outcome.unwrap()
    };
    let (outcome, ()) = world.drive(futures::future::join(waits, host));
    assert_eq!((outcome.complete, outcome.pending, outcome.failed), (true, 0, 0));
    assert_eq!(world.active().len(), 3);
}

#[test]
fn waiting_ends_with_its_time() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "nobody extracts this for now");
    let outcome =
        world.drive(world.engine.extraction_wait(&world.caller, &world.memory.id, None, None, 500)).unwrap();
    assert_eq!((outcome.complete, outcome.pending), (false, 1));
    let long =
        world.drive(world.engine.extraction_wait(&world.caller, &world.memory.id, None, None, 300_001));
    assert_eq!(long.unwrap_err().field.as_deref(), Some("timeout_ms"));
}

#[test]
fn sweeps_expire_and_erase() {
    let semantic = NewStrategy { record_expiry_days: Some(31), ..strategy(Semantic) };
    let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
    world.say("s1", User, "the first of two stories");
    world.say("s1", User, "another tale entirely, about trains");
    world.work();
    let gone = world.active()[0].id.clone();
    let delete = RecordDelete { id: gone.clone(), namespace: None };
    world.drive(world.engine.record_delete(&world.caller, &world.memory.id, delete)).unwrap();
    world.clock.advance_ms(32 * 24 * 3_600_000);
    world.drive(world.engine.sweep()).unwrap();
    world.drive(world.engine.sweep()).unwrap();
    let expired = world.records(&[RecordState::Expired]);
    assert_eq!(expired.len(), 1);
    let changes =
        world.drive(world.engine.record_changes(&world.caller, &world.memory.id, &expired[0].id)).unwrap();
    assert_eq!(changes.last().map(|change| change.to), Some(RecordState::Expired));
    assert_eq!(world.log_bytes().unwrap_or(0), 0, "the log still has what was erased");
    let erased = world.records(&[RecordState::Erased]);
    assert!(erased.iter().all(|record| record.text.is_empty()), "{erased:?}");
}

#[test]
fn a_damaged_row_ends_no_sweep() {
    let mut number = 0;
    loop {
        let semantic = NewStrategy { record_expiry_days: Some(31), ..strategy(Semantic) };
        let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
        for text in ["the first of two stories", "another tale entirely, about trains", "lemons are yellow"] {
            world.say("s1", User, text);
        }
        world.work();
        let delete = RecordDelete { id: world.active()[0].id.clone(), namespace: None };
        world.drive(world.engine.record_delete(&world.caller, &world.memory.id, delete)).unwrap();
        world.clock.advance_ms(32 * 24 * 3_600_000);
        let before = world.store.writes();
        world.store.fail_write(number, Fault::Damaged);
        world.drive(world.engine.sweep()).unwrap();
        assert_eq!(world.log_bytes().unwrap_or(0), 0, "{number}: it went on to its end");
        let writes = world.store.writes() - before;
        world.drive(world.engine.sweep()).unwrap();
        // Each record was also tried separately.
        assert_eq!(world.records(&[RecordState::Expired]).len(), 2, "{number}");
        let erased = world.records(&[RecordState::Erased]);
        assert!(erased.iter().all(|record| record.text.is_empty()), "{number}: {erased:?}");
        number += 1;
        if number >= writes {
            return;
        }
    }
}

#[test]
fn an_actor_who_is_forgotten_during_extraction_stays_so() {
    let world = World::with(&[Semantic]);
    world.say("s1", User, "my cello lesson is in Denver");
    let (engine, caller, memory) = (world.engine.clone(), world.caller.clone(), world.memory.id.clone());
    *world.embedder.meanwhile.lock().unwrap() = Some(Box::new(move || {
        let actor = loci_model::ActorId::parse("alice").unwrap();
        let receipt = loci_testkit_ports::block_on(engine.forget_actor(&caller, &memory, &actor)).unwrap();
        assert_eq!((receipt.events, receipt.records, receipt.jobs), (1, 0, 1));
    }));
    let outcome = world.work();
    assert!(outcome.complete && world.embedder.meanwhile.lock().unwrap().is_none());
    assert_eq!(world.texts(), Vec::<String>::new());
}
