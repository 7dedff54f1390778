//! `crash`: rounds of mixed load on one folder, each ended by `kill -9` at a random moment, then checked: no
//! acknowledged write lost, none half-written, nothing twice, the index equals a rebuild.

mod check;
mod ledger;
mod workers;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::seeded::Seeded;
use crate::server::{self, Server};
use crate::wire::{MemoryShape, Wire};
pub(crate) use check::index_equals_rebuild;
use ledger::Ledger;

/// How to crash.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Rounds of load and kill.
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Seed of the moments and the load.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Clients per round.
    #[arg(long, default_value_t = 6)]
    clients: u32,
    /// Least and greatest time from the start of the load to the kill, in milliseconds.
    #[arg(long, default_value_t = 30)]
    kill_after_ms_min: u64,
    /// See `kill_after_ms_min`.
    #[arg(long, default_value_t = 500)]
    kill_after_ms_max: u64,
    /// The `loci` to run; the one beside this program if absent.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// What the workers and the checks share.
pub(crate) type SharedLedger = Arc<Mutex<Ledger>>;

/// Runs the rounds.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let mut random = Seeded::new(arguments.seed);
    let ledger: SharedLedger = Arc::default();
    let began = Instant::now();
    let mut memory = None;
    for round in 0..arguments.rounds {
        let mut server = Server::start(&binary, &folder)?;
        let wire = Wire::new(&server.url);
        let id = match &memory {
            Some(id) => String::clone(id),
            None => {
                let shape = MemoryShape { name: "crash", semantic: Some(("facts", "/facts/{actorId}/")) };
                memory.insert(wire.create_memory(&shape).await?).clone()
            }
        };
        check::after_kill(&wire, &id, &ledger).await.with_context(|| failed(round, arguments.seed))?;
        workers::start(&wire, &id, &ledger, round, arguments.clients, arguments.seed);
        let span = arguments.kill_after_ms_max.saturating_sub(arguments.kill_after_ms_min).max(1);
        let wait_ms = arguments.kill_after_ms_min + random.below(span);
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        server.kill()?;
    }
    let server = Server::start(&binary, &folder)?;
    let wire = Wire::new(&server.url);
    let id = memory.context("no round was run")?;
    check::after_kill(&wire, &id, &ledger).await.with_context(|| failed(arguments.rounds, arguments.seed))?;
    let totals =
        check::whole(&wire, &id, &ledger).await.with_context(|| failed(arguments.rounds, arguments.seed))?;
    server.stop()?;
    ensure!(totals.events > 0, "the load wrote nothing: the kill came too early in every round");
    println!(
        "crash: {} rounds in {:.0} s, seed {}: {} events, {} records, {} updates, {} deletions acknowledged and \
         found; {} in flight at a kill, none half-written; index equals a rebuild",
        arguments.rounds,
        began.elapsed().as_secs_f64(),
        arguments.seed,
        totals.events,
        totals.records,
        totals.updates,
        totals.deletions,
        totals.in_flight
    );
    Ok(())
}

fn failed(round: u32, seed: u64) -> String {
    format!("after the kill of round {round} (seed {seed})")
}
