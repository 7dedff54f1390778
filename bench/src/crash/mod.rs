//! `crash`: rounds of mixed load on one folder. Each ends with `kill -9` at a random moment, some
//! while the server ends and saves its index, and some with a clean shutdown. The checks: no
//! acknowledged write is lost, none is half-written, nothing exists twice, and an index, saved or
//! not, equals a rebuild. Power failures, which lose unsynced data, are not covered here.

mod check;
mod facts;
mod files;
mod hooks;
mod ledger;
mod pipeline;
mod saved_indexes;
mod store_location;
mod workers;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::{self, Server};
use crate::wire::{MemoryShape, Wire};
pub(crate) use check::index_equals_rebuild;
use ledger::Ledger;

/// Options of a crash run.
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
    /// Minimum time from the start of the load to the kill, in milliseconds.
    #[arg(long, default_value_t = 30)]
    kill_after_ms_min: u64,
    /// Maximum time from the start of the load to the kill, in milliseconds.
    #[arg(long, default_value_t = 500)]
    kill_after_ms_max: u64,
    /// Kill between the steps of the pipeline instead: at each request to a model and each
    /// notification.
    #[arg(long)]
    pipeline: bool,
    /// Kill while facts that cite code are superseded, refreshed and invalidated instead.
    #[arg(long, conflicts_with = "pipeline")]
    facts: bool,
    /// Kill while a forge's webhooks arrive and are processed instead.
    #[arg(long, conflicts_with_all = ["pipeline", "facts"])]
    hooks: bool,
    /// Kill while a directory is synchronised with its tree, and while consolidation plans are
    /// applied, instead.
    #[arg(long, conflicts_with_all = ["pipeline", "facts", "hooks"])]
    files: bool,
    /// With `facts` and `hooks`: the kind of store.
    #[arg(long, value_enum, default_value = "folder")]
    store: store_location::Kind,
    /// With `pipeline`: test only each nth kill point.
    #[arg(long, default_value_t = 1)]
    every: u64,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Records before the first round. An index of fewer passages is not saved.
const FILLED: u64 = 2_200;
/// The maximum time from the request to end until the kill, in milliseconds.
const ENDING_MS_MAX: u64 = 400;

/// The ledger that the workers and the checks share.
pub(crate) type SharedLedger = Arc<Mutex<Ledger>>;

/// Runs the rounds.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = server::binary(arguments.binary.as_deref())?;
    if arguments.pipeline {
        return pipeline::run(&binary, arguments.every, arguments.seed).await;
    }
    if arguments.facts {
        return facts::run(&facts::Plan {
            binary: &binary,
            kind: arguments.store,
            rounds: arguments.rounds,
            seed: arguments.seed,
            clients: arguments.clients,
            kill_after_ms: (arguments.kill_after_ms_min, arguments.kill_after_ms_max),
        })
        .await;
    }
    if arguments.hooks {
        return hooks::run(&hooks::Plan {
            binary: &binary,
            kind: arguments.store,
            rounds: arguments.rounds,
            seed: arguments.seed,
            clients: arguments.clients,
            kill_after_ms: (arguments.kill_after_ms_min, arguments.kill_after_ms_max),
        })
        .await;
    }
    if arguments.files {
        let Arguments { rounds, seed, .. } = arguments;
        return files::run(&files::Plan { binary: &binary, rounds, seed }).await;
    }
    mixed(&arguments, &binary).await
}

/// Runs rounds of mixed load.
async fn mixed(arguments: &Arguments, binary: &Path) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path().join("data");
    let mut random = Seeded::new(arguments.seed);
    let ledger: SharedLedger = Arc::default();
    let began = Instant::now();
    let mut memory: Option<String> = None;
    let mut saved = saved_indexes::IndexStarts::default();
    let progress = Progress::new(1);
    progress.step("rounds of load and kill");
    for round in 0..arguments.rounds {
        progress.within(round.into(), arguments.rounds.into());
        if let Some(id) = &memory {
            let checked = saved.check(binary, &folder, id).await;
            checked.with_context(|| failed(round, arguments.seed))?;
        }
        let server = Server::start_with(binary, &folder, saved_indexes::SETTINGS)?;
        let wire = Wire::new(&server.url);
        let id = match &memory {
            Some(id) => String::clone(id),
            None => memory.insert(filled(&wire, &ledger).await?).clone(),
        };
        check::after_kill(&wire, &id, &ledger).await.with_context(|| failed(round, arguments.seed))?;
        saved_indexes::hold(&wire, &id).await?;
        let end = End::of(round);
        let load = workers::Load {
            round,
            clients: arguments.clients,
            seed: arguments.seed,
            deletes: end != End::KillSaved,
        };
        workers::start(&wire, &id, &ledger, &load);
        let span = arguments.kill_after_ms_max.saturating_sub(arguments.kill_after_ms_min).max(1);
        let wait_ms = arguments.kill_after_ms_min + random.below(span);
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        end.bring(server, &mut random).await?;
    }
    let id = memory.context("no round was run")?;
    saved.check(binary, &folder, &id).await.with_context(|| failed(arguments.rounds, arguments.seed))?;
    let server = Server::start_with(binary, &folder, saved_indexes::SETTINGS)?;
    let wire = Wire::new(&server.url);
    check::after_kill(&wire, &id, &ledger).await.with_context(|| failed(arguments.rounds, arguments.seed))?;
    let totals =
        check::whole(&wire, &id, &ledger).await.with_context(|| failed(arguments.rounds, arguments.seed))?;
    server.stop()?;
    // The state after all rounds and the last wait, with all pending erasures done.
    saved.check(binary, &folder, &id).await.context("after the clean end")?;
    ensure!(saved.loaded > 0, "no start began with a saved index");
    ensure!(totals.events > 0, "the load wrote nothing: the kill came too early in every round");
    println!(
        "crash: {} rounds in {:.0} s, seed {}: {} events, {} records, {} updates, {} deletions acknowledged and \
         found; {} in flight at a kill, none half-written; index equals a rebuild; {} starts began with a saved \
         index, {} without one, and answered like a rebuild",
        arguments.rounds,
        began.elapsed().as_secs_f64(),
        arguments.seed,
        totals.events,
        totals.records,
        totals.updates,
        totals.deletions,
        totals.in_flight,
        saved.loaded,
        saved.absent
    );
    Ok(())
}

/// The end of a round. The ends alternate, so that every kind follows every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Kill,
    /// A clean shutdown, which saves the index.
    Clean,
    /// A kill with no erasures before it. The index saved earlier stays, and changes follow it.
    KillSaved,
    /// A kill during the shutdown of the server.
    KillEnding,
}

impl End {
    fn of(round: u32) -> Self {
        match round % 4 {
            0 => Self::Kill,
            1 => Self::Clean,
            2 => Self::KillSaved,
            _ => Self::KillEnding,
        }
    }

    async fn bring(self, mut server: Server, random: &mut Seeded) -> Result<()> {
        match self {
            Self::Clean => server.stop(),
            Self::Kill | Self::KillSaved => server.kill(),
            Self::KillEnding => {
                server.ask_to_end()?;
                tokio::time::sleep(Duration::from_millis(random.below(ENDING_MS_MAX))).await;
                server.kill()
            }
        }
    }
}

/// Creates a memory with enough records for its index to be saved.
async fn filled(wire: &Wire, ledger: &SharedLedger) -> Result<String> {
    let shape = MemoryShape { name: "crash", semantic: Some(("facts", "/facts/{actorId}/")) };
    let memory = wire.create_memory(&shape).await?;
    workers::fill(wire, &memory, ledger, FILLED).await?;
    Ok(memory)
}

fn failed(round: u32, seed: u64) -> String {
    format!("after the kill of round {round} (seed {seed})")
}
