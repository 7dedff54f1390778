//! `simulate`: runs the simulator of the tests over many seeds, on one store, or on both with their
//! transcripts compared.

use anyhow::{Result, anyhow, bail};
use loci_engine_testkit::TestLocation;
use loci_engine_testkit::simulator::{Simulation, Transcript};
use loci_model::ports::store::Store;
use loci_store_postgres::{PostgresOptions, PostgresStore};
use std::sync::Arc;

/// Options of the simulation.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds, run in sequence.
    #[arg(long, default_value_t = 100)]
    runs: u64,
    /// Operations of each run.
    #[arg(long, default_value_t = 300)]
    steps: usize,
    /// Store: `sqlite`, `postgres` (started for the run), `both`, or the URL of a database, where
    /// each run has a schema.
    #[arg(long, default_value = "sqlite", value_parser = SimulatedStore::parse)]
    store: SimulatedStore,
}

#[derive(Clone, Debug)]
enum SimulatedStore {
    Sqlite,
    Postgres,
    Both,
    Url(String),
}

impl SimulatedStore {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            "both" => Ok(Self::Both),
            url if url.contains("://") => Ok(Self::Url(url.to_owned())),
            _ => Err("must be sqlite, postgres, both or a URL".to_owned()),
        }
    }
}

/// Runs the seeds. The first run that violates an invariant, or differs between the stores, ends
/// the program.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    for seed in arguments.seed..arguments.seed.saturating_add(arguments.runs) {
        let simulation = Simulation { seed, steps: arguments.steps };
        let transcript = match &arguments.store {
            SimulatedStore::Sqlite => in_place(&simulation, &TestLocation::sqlite()?)?,
            SimulatedStore::Postgres => in_place(&simulation, &TestLocation::postgres()?)?,
            SimulatedStore::Both => both(&simulation)?,
            SimulatedStore::Url(url) => in_schema(&simulation, url)?,
        };
        let (lines, searches) = (transcript.lines().len(), transcript.rankings().len());
        println!("seed {seed}: {lines} lines, {searches} searches, {}", transcript.digest());
    }
    Ok(())
}

fn in_place(simulation: &Simulation, place: &TestLocation) -> Result<Transcript> {
    simulation.run(&|| place.open()).map_err(|broken| anyhow!("{broken}"))
}

fn both(simulation: &Simulation) -> Result<Transcript> {
    let one = in_place(simulation, &TestLocation::sqlite()?)?;
    let other = in_place(simulation, &TestLocation::postgres()?)?;
    match one.difference(&other) {
        None => Ok(one),
        Some(difference) => bail!("seed {}: the stores differ: {difference}", simulation.seed),
    }
}

fn in_schema(simulation: &Simulation, url: &str) -> Result<Transcript> {
    let mut options = PostgresOptions::parse(url)?;
    options.schema = format!("{}_run_{}", options.schema, simulation.seed);
    let open = || Ok(PostgresStore::open(options.clone())? as Arc<dyn Store>);
    simulation.run(&open).map_err(|broken| anyhow!("{broken}"))
}
