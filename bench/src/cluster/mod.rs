//! `cluster`: several servers on one PostgreSQL, many clients, and rounds of mixed load. In each
//! round, servers are killed at random moments and restarted. Once, the database is stopped under
//! load. The checks: nothing acknowledged is lost, nothing exists twice, every server reads data
//! that the others acknowledged, and all return the same lists.

mod calls;
mod checks;
mod clients;
mod database;
mod ledger;
mod lists;
mod memories;
mod servers;
mod sink;
mod totals;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::task::JoinSet;

use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server;
use calls::Caller;
use checks::{Checks, ClusterFindings};
use clients::Client;
use database::Database;
use servers::Servers;
use sink::Sink;

/// Options of a cluster run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Rounds of load.
    #[arg(long, default_value_t = 50)]
    rounds: u32,
    /// Seed of the moments and the load.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Clients at once.
    #[arg(long, default_value_t = 32)]
    clients: u32,
    /// Servers on the one database.
    #[arg(long, default_value_t = 3)]
    servers: usize,
    /// Check at rest after each this many rounds, and at the end.
    #[arg(long, default_value_t = 10)]
    check_every: u32,
    /// Expire the leases of killed servers as soon as the load is over, instead of a minute after
    /// they were taken.
    #[arg(long)]
    expire_leases: bool,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// The minimum and maximum load of a round, in milliseconds.
const LOAD_MS: (u64, u64) = (300, 2_000);
/// The maximum time until a killed server is restarted, in milliseconds.
const DEAD_MS_MAX: u64 = 500;
/// The minimum and maximum downtime of the database, in milliseconds.
const DOWN_MS: (u64, u64) = (300, 1_500);
/// The time for which load continues after the last restart.
const AFTER: Duration = Duration::from_millis(250);
/// The maximum wait, after a restart of the database, until each server has written.
const RECOVERS: Duration = Duration::from_secs(30);

/// A run.
struct Run {
    arguments: Arguments,
    random: Seeded,
    totals: totals::Shared,
    checks: Checks,
    memories: Arc<Vec<String>>,
}

/// Runs the rounds.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    ensure!(arguments.rounds > 0 && arguments.clients > 0 && arguments.servers > 0, "nothing is to be run");
    let binary = server::binary(arguments.binary.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let mut run = Run::start(arguments, &binary, temporary.path()).await?;
    let outcome = run.rounds().await;
    if outcome.is_err() {
        let written = run.checks.database.write_down(temporary.path());
        let folder = temporary.keep();
        eprintln!("logs of the servers, and what the database held: {}", folder.display());
        written?;
    }
    outcome
}

impl Run {
    async fn start(arguments: Arguments, binary: &Path, folder: &Path) -> Result<Self> {
        let database = Database::start()?;
        let sink = Sink::start(arguments.seed).await?;
        let file = folder.join("loci.toml");
        std::fs::write(&file, memories::configuration(&sink.url()))?;
        let environment = [
            ("LOCI_STORE", database.url()),
            ("LOCI_MASTER_KEY", "5a".repeat(32)),
            ("LOCI_CONFIG", file.display().to_string()),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).into();
        let servers = Arc::new(Servers::start(binary, folder, environment, arguments.servers)?);
        let (_, first) = servers.running().into_iter().next().context("no server runs")?;
        let memories = memories::make(&first).await?;
        let ids = memories.iter().map(|memory| memory.id.clone()).collect();
        let checks = Checks {
            servers,
            ledger: ledger::Shared::default(),
            memories,
            sink,
            database,
            expires_leases: arguments.expire_leases,
        };
        let random = Seeded::new(arguments.seed);
        Ok(Self { arguments, random, totals: totals::Shared::default(), checks, memories: Arc::new(ids) })
    }

    async fn rounds(&mut self) -> Result<()> {
        let began = Instant::now();
        let progress = Progress::new(1);
        progress.step("rounds of load and kills");
        let Arguments { rounds, seed, check_every, .. } = self.arguments;
        for round in 1..=rounds {
            self.round(round).await.with_context(|| format!("in round {round} (seed {seed})"))?;
            let checked = self.checks.after_round(round).await;
            checked.with_context(|| format!("after round {round} (seed {seed})"))?;
            if round < rounds && round.is_multiple_of(check_every.max(1)) {
                let found = self.checks.at_rest().await;
                found.with_context(|| format!("at rest after round {round} (seed {seed})"))?;
            }
            progress.within(round.into(), rounds.into());
        }
        let found = self.checks.at_rest().await.context("at the end")?;
        self.checks.indexes().await?;
        self.print(&found, began.elapsed())
    }

    /// Runs the clients while servers are killed and restarted. In the middle round of the run, the
    /// database is restarted too.
    async fn round(&mut self, round: u32) -> Result<()> {
        let over = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        for number in 0..self.arguments.clients {
            clients.spawn(self.client(round, number).work(Arc::clone(&over)));
        }
        let load_ms = LOAD_MS.0 + self.random.below(LOAD_MS.1 - LOAD_MS.0);
        let mut disturbances = JoinSet::new();
        for number in self.victims() {
            let (at, dead) = (self.random.below(load_ms), self.random.below(DEAD_MS_MAX));
            disturbances.spawn(kill(
                Arc::clone(&self.checks.servers),
                Arc::clone(&self.totals),
                number,
                at,
                dead,
            ));
        }
        let restarts = round == self.arguments.rounds.div_ceil(2);
        if restarts {
            let (at, down) =
                (self.random.below(load_ms), DOWN_MS.0 + self.random.below(DOWN_MS.1 - DOWN_MS.0));
            disturbances.spawn(restart(
                Arc::clone(&self.checks.database),
                Arc::clone(&self.totals),
                at,
                down,
            ));
        }
        tokio::time::sleep(Duration::from_millis(load_ms)).await;
        while let Some(done) = disturbances.join_next().await {
            done??;
        }
        tokio::time::sleep(AFTER).await;
        if restarts {
            self.until_all_have_written().await;
        }
        over.store(true, Ordering::Relaxed);
        while let Some(done) = clients.join_next().await {
            done??;
        }
        Ok(())
    }

    fn client(&self, round: u32, number: u32) -> Client {
        let seed = self.arguments.seed ^ (u64::from(round) << 20) ^ (u64::from(number) << 8) ^ 0x7c1a;
        let caller = Caller {
            servers: Arc::clone(&self.checks.servers),
            totals: Arc::clone(&self.totals),
            random: Seeded::new(seed),
        };
        let (ledger, memories) = (Arc::clone(&self.checks.ledger), Arc::clone(&self.memories));
        Client { caller, ledger, memories, round, number, calls: 0 }
    }

    /// Selects one server, or two if one remains.
    fn victims(&mut self) -> Vec<usize> {
        let count = self.arguments.servers;
        let mut all: Vec<usize> = (0..count).collect();
        let most = if count > 2 && self.random.below(3) == 0 { 2 } else { 1 };
        let mut victims = Vec::new();
        for _ in 0..most {
            if let Some(number) = self.random.pick(&all).copied() {
                all.retain(|other| *other != number);
                victims.push(number);
            }
        }
        victims
    }

    async fn until_all_have_written(&self) {
        let began = Instant::now();
        let written =
            || self.totals.with(|counts| counts.outage.as_ref().map_or(0, |outage| outage.servers.len()));
        while written() < self.arguments.servers && began.elapsed() < RECOVERS {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn print(&self, found: &ClusterFindings, took: Duration) -> Result<()> {
        let Arguments { rounds, seed, clients, servers, json, .. } = &self.arguments;
        let (counts, told) = (self.totals.with(|counts| counts.clone()), self.checks.sink.told()?);
        ensure!(counts.kills >= u64::from(*rounds), "only {} kills in {rounds} rounds", counts.kills);
        if *json {
            let all = json!({"rounds": rounds, "seed": seed, "clients": clients, "servers": servers,
                "seconds": took.as_secs_f64(), "calls": counts.json(), "found": found, "told": told});
            println!("{all}");
            return Ok(());
        }
        println!(
            "cluster: {rounds} rounds in {:.0} s, {servers} servers, {clients} clients, seed {seed}: {counts}\n  found once at \
             every server: {} events, {} more that were in doubt, {} records, {} of them extracted; {} notifications in \
             order, {} of them ends of jobs, {} refused and sent again, {} doubled",
            took.as_secs_f64(),
            found.events,
            found.doubtful_events,
            found.records,
            found.extracted,
            told.notifications,
            told.jobs,
            told.refused,
            told.doubled
        );
        for (what, times) in &counts.failures {
            println!("  {times} times: {what}");
        }
        Ok(())
    }
}

/// Kills a server after `at` milliseconds and restarts it after `dead` more.
async fn kill(
    servers: Arc<Servers>,
    totals: totals::Shared,
    number: usize,
    at: u64,
    dead: u64,
) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(at)).await;
    servers.kill(number)?;
    tokio::time::sleep(Duration::from_millis(dead)).await;
    let ended = tokio::task::spawn_blocking(move || servers.begin(number)).await??;
    totals.with(|counts| {
        counts.kills += 1;
        counts.ended_starts += ended;
    });
    Ok(())
}

/// Stops the database after `at` milliseconds and restarts it after `down` more.
async fn restart(database: Arc<Database>, totals: totals::Shared, at: u64, down: u64) -> Result<()> {
    tokio::time::sleep(Duration::from_millis(at)).await;
    let down = Duration::from_millis(down);
    tokio::task::spawn_blocking(move || database.restart(down, &totals)).await?
}
