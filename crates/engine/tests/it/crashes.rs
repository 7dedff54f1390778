//! Aborted jobs: any write may fail in any way, and the final records are those of an undisturbed
//! run.

use loci_model::Timestamp;
use loci_model::event::Role::{Assistant, User};
use loci_model::memory::strategy::StrategyBase::{Episodic, Semantic, Summary, UserPreference};
use loci_model::record::RecordState::{Active, Superseded};

use crate::fixture::{Fault, World, said};

fn told() -> World {
    let world = World::with(&[Semantic, UserPreference, Summary, Episodic]);
    let talk = [
        (User, "I prefer dark mode. My dog is called Pixel."),
        (Assistant, "Noted: Pixel is your dog."),
        (User, "I prefer light mode now."),
        (Assistant, "Noted, Pixel is your dog!"),
    ];
    for (minute, (role, text)) in (1..).zip(talk) {
        let mut event = world.event("s1", vec![said(role, text)]);
        // Ids and order of events are the same in every world.
        event.time = Some(Timestamp::clamped(minute * 60_000));
        world.create(event);
    }
    world
}

/// Returns the content of the records without ids and times.
fn outcome(world: &World) -> Vec<(String, String, u32, usize)> {
    let mut seen: Vec<_> = world
        .records(&[Active, Superseded])
        .into_iter()
        .map(|record| {
            (
                record.text.clone(),
                format!("{:?}", record.state),
                record.version,
                record.provenance.sources.len(),
            )
        })
        .collect();
    seen.sort();
    seen
}

#[test]
fn any_write_may_fail() {
    let calm = told();
    let before = calm.store.writes();
    assert!(calm.work().complete);
    let expect = outcome(&calm);
    assert!(expect.iter().any(|(_, state, ..)| state == "Superseded"), "{expect:?}");
    // The first write of a run makes jobs due; the caller gets its error.
    for number in 1..calm.store.writes() - before {
        for fault in [Fault::Before, Fault::Within, Fault::After] {
            let world = told();
            world.store.fail_write(number, fault);
            let done = world.work();
            assert!(done.complete && done.failed == 0, "{number} {fault:?} {done:?}");
            assert_eq!(outcome(&world), expect, "write {number} failed: {fault:?}");
            assert_eq!(world.missing_vectors(), 0);
        }
    }
}

#[test]
fn two_runners_write_once() {
    let world = told();
    let memories = [world.memory.id.clone()];
    let (one, other) = world.drive(futures::future::join(
        world.engine.run_due(&memories, 24 * 3_600_000),
        world.engine.run_due(&memories, 24 * 3_600_000),
    ));
    assert!(one.unwrap().complete && other.unwrap().complete);
    let calm = told();
    calm.work();
    assert_eq!(outcome(&world), outcome(&calm));
}
