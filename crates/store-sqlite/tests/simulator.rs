//! Runs the simulator on this store: fixed seeds, an optional one, and the same run twice.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what breaks in the run breaks the test")]
#![expect(clippy::disallowed_methods, reason = "the seed of a further run comes from outside")]

use std::sync::Arc;

use loci_engine_testkit::simulator::{Simulation, Transcript};
use loci_model::ports::store::Store;
use loci_store_sqlite::{SqliteOptions, SqliteStore};

const STEPS: usize = 120;

fn run(seed: u64) -> Transcript {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let store = SqliteStore::open(SqliteOptions::new(folder.path().join("data")))?;
        Ok(store as Arc<dyn Store>)
    };
    Simulation { seed, steps: STEPS }.run(&open).unwrap_or_else(|broken| panic!("{broken}"))
}

#[test]
fn invariants_hold() {
    for seed in [1, 2, 3] {
        run(seed);
    }
}

/// `LOCI_SIMULATION_SEED=17 cargo test -p loci-store-sqlite --test simulator` runs another seed.
#[test]
fn a_seed_is_a_run() {
    let seed = std::env::var("LOCI_SIMULATION_SEED").map_or(4, |seed| seed.parse().unwrap());
    let (one, again) = (run(seed), run(seed));
    assert_eq!(one.difference(&again), None);
    assert_eq!((one.digest(), one.rankings()), (again.digest(), again.rankings()));
    assert!(one.lines().len() > STEPS && !one.rankings().is_empty());
}
