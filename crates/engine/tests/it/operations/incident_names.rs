//! Names of incidents and sessions created at the same time.

use std::collections::BTreeSet;

use loci_model::ports::clock::Clock;

use super::investigation_start::asked;
use super::{of_team, world};

/// Number of starts within one second; a unit test tries thousands of name endings.
const STARTS: usize = 200;

#[test]
fn all_that_begin_in_one_second_have_names_of_their_own() {
    let world = world();
    let alice = of_team("alice");
    let (mut incidents, mut sessions) = (BTreeSet::new(), BTreeSet::new());
    let began = world.clock.now().millis();
    for at in 0..STARTS {
        let mut one = asked(&world, "alice", "the api is down");
        (one.session, one.render) = ((at % 2 == 0).then(String::new), false);
        let started = world.drive(world.engine.operations.investigation_start(&alice, one, None)).unwrap();
        assert!(!started.joined);
        incidents.insert(started.incident);
        sessions.insert(started.session);
    }
    assert_eq!((incidents.len(), sessions.len()), (STARTS, STARTS));
    let took_ms = world.clock.now().millis() - began;
    assert!(took_ms < 1_000, "{took_ms} ms by the world's clock: they are not of one second");
}
