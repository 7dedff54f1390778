//! Runs the simulator on this store and on the embedded one: equal seeds give equal transcripts.
#![expect(clippy::panic, reason = "what breaks in the run breaks the test")]
#![expect(clippy::disallowed_methods, reason = "the seed of a further run comes from outside")]

use loci_engine_testkit::TestLocation;
use loci_engine_testkit::postgres::PostgresServer;
use loci_engine_testkit::simulator::{Simulation, Transcript};

const STEPS: usize = 100;

fn run(seed: u64, place: &TestLocation) -> Transcript {
    let run = Simulation { seed, steps: STEPS }.run(&|| place.open());
    run.unwrap_or_else(|broken| {
        let said = PostgresServer::shared().map(PostgresServer::log_tail);
        panic!("{broken}\nPostgreSQL said {}", said.unwrap_or_default())
    })
}

/// Even seeds, with which the embedded store also counts as one of many hosts: two servers and a
/// model; then three, two and three servers without a model, where each message must be in one
/// record regardless of the number of servers.
const SEEDS: [u64; 4] = [2, 4, 12, 18];

/// `LOCI_SIMULATION_SEED=16 cargo test -p loci-store-postgres --test simulator` runs another seed.
#[test]
fn both_stores_live_the_same() {
    let further = std::env::var("LOCI_SIMULATION_SEED").ok().map(|seed| seed.parse().unwrap());
    for seed in further.map_or_else(|| SEEDS.to_vec(), |seed| vec![seed]) {
        let (one, other) = (TestLocation::sqlite().unwrap(), TestLocation::postgres().unwrap());
        let difference = run(seed, &one).difference(&run(seed, &other));
        assert!(difference.is_none(), "seed {seed}: {}", difference.unwrap_or_default());
    }
}
