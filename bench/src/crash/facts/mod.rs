//! `crash --facts`: rounds in which clients store, supersede, refresh and invalidate facts that
//! cite code. Each round ends with `kill -9` of the server, and on PostgreSQL some rounds also kill
//! the database. Calls without a response are sent again under their key. The checks read the rows:
//! every chain has one head at every moment, every change of a state has its row, and exactly the
//! acknowledged facts exist, once each.

mod check;
mod clients;
mod code;
mod ledger;
mod rows;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::index_equals_rebuild;
use super::store_location::{Kind, StoreLocation};
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::wire::{Wire, text_at};
use clients::Load;
use code::{Code, REPO};
use ledger::Shared;

/// The interval of rounds at which the code of some facts is removed or restored.
const MOVES_EVERY: u32 = 4;
/// The interval of rounds, on a database, that kill the database before the server.
const DATABASE_EVERY: u32 = 3;
/// The interval of rounds that check all facts, not only those that changed.
const WHOLE_EVERY: u32 = 25;
/// The maximum downtime of the database, in milliseconds.
const DOWN_MS_MAX: u64 = 300;

/// The maximum factor of additional rounds. On a slow machine a kill comes before much is done, so
/// rounds continue until every tool was acknowledged.
const GROWTH_MAX: u32 = 4;
/// The tools that must be acknowledged.
const TOOLS: [&str; 3] = ["memory_store", "memory_supersede", "memory_refresh"];

/// The settings of a run.
pub(super) struct Plan<'a> {
    pub(super) binary: &'a Path,
    pub(super) kind: Kind,
    pub(super) rounds: u32,
    pub(super) seed: u64,
    pub(super) clients: u32,
    pub(super) kill_after_ms: (u64, u64),
}

struct Run<'a> {
    plan: &'a Plan<'a>,
    place: StoreLocation,
    code: Code,
    ledger: Shared,
    random: Seeded,
    /// Rounds that began.
    rounds: u32,
    /// Checks of chains while clients were working.
    looks: u64,
    database_kills: u64,
}

/// Runs the rounds.
pub(super) async fn run(plan: &Plan<'_>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let mut run = Run {
        plan,
        place: StoreLocation::new(plan.kind, temporary.path())?,
        code: Code::make(&temporary.path().join("parts.git"))?,
        ledger: Shared::default(),
        random: Seeded::new(plan.seed),
        rounds: 0,
        looks: 0,
        database_kills: 0,
    };
    let outcome = run.rounds().await;
    if outcome.is_err() {
        eprintln!("the store and the server's log: {}", temporary.keep().display());
    }
    outcome
}

impl Run<'_> {
    async fn rounds(&mut self) -> Result<()> {
        let began = Instant::now();
        let progress = Progress::new(1);
        progress.step("rounds of load and kill");
        let (rounds, seed) = (self.plan.rounds, self.plan.seed);
        while self.rounds < rounds
            || (self.never_acknowledged().is_some() && self.rounds < rounds * GROWTH_MAX)
        {
            let round = self.rounds;
            self.rounds += 1;
            progress.within(round.into(), rounds.max(self.rounds).into());
            let failed = || format!("in round {round} (seed {seed})");
            if round % MOVES_EVERY == MOVES_EVERY - 1 {
                self.code.stand_at(!self.code.is_less)?;
            }
            let server = self.start()?;
            let wire = Wire::new(&server.url);
            if round == 0 {
                self.register(&wire).await?;
            }
            self.after_kill(&wire, round.is_multiple_of(WHOLE_EVERY)).await.with_context(failed)?;
            self.load_and_kill(server, &wire, round).await.with_context(failed)?;
        }
        let server = self.start()?;
        let wire = Wire::new(&server.url);
        self.after_kill(&wire, true).await.with_context(|| format!("at the end (seed {seed})"))?;
        let memory = self.memory(&wire).await?;
        wire.wait(&memory, 60_000).await?;
        index_equals_rebuild(&wire, &memory).await?;
        server.stop()?;
        self.print(began.elapsed())
    }

    fn start(&self) -> Result<Server> {
        Server::start_with(self.plan.binary, &self.place.folder, &self.place.settings())
    }

    async fn register(&self, wire: &Wire) -> Result<()> {
        let folder = self.place.folder.with_file_name("parts.git");
        wire.ask("POST", "/v1/repos", Some(&json!({ "name": REPO, "directory": folder }))).await.map(drop)
    }

    async fn memory(&self, wire: &Wire) -> Result<String> {
        let list = wire.ask("GET", "/v1/memories", None).await?;
        text_at(&list, "/memories/0/id")
    }

    async fn load_and_kill(&mut self, mut server: Server, wire: &Wire, round: u32) -> Result<()> {
        let is_disturbed = Arc::new(AtomicBool::new(false));
        let gone: Vec<bool> = (0..code::PARTS).map(|part| self.code.is_gone(part)).collect();
        let is_gone = move |part: u64| {
            usize::try_from(part).ok().and_then(|part| gone.get(part).copied()) == Some(true)
        };
        let load = Load {
            wire: wire.clone(),
            ledger: self.ledger.clone(),
            seed: self.plan.seed,
            round,
            is_gone: Arc::new(is_gone),
            is_disturbed: Arc::clone(&is_disturbed),
        };
        let (least, most) = self.plan.kill_after_ms;
        let wait = Duration::from_millis(least + self.random.below(most.saturating_sub(least).max(1)));
        let mut clients = clients::start(&load, self.plan.clients);
        tokio::time::sleep(wait / 2).await;
        self.look().await.context("while clients were at work")?;
        tokio::time::sleep(wait / 2).await;
        is_disturbed.store(true, Ordering::SeqCst);
        if self.place.has_database() && round % DATABASE_EVERY == DATABASE_EVERY - 1 {
            let pause = Duration::from_millis(self.random.below(DOWN_MS_MAX));
            tokio::task::block_in_place(|| self.place.restart_database(pause))?;
            self.database_kills += 1;
        }
        server.kill()?;
        while let Some(ended) = clients.join_next().await {
            ended?;
        }
        let failures = std::mem::take(&mut self.ledger.lock().failures);
        ensure!(
            failures.is_empty(),
            "{} calls failed without a kill: {}",
            failures.len(),
            failures.join("\n")
        );
        Ok(())
    }

    /// Checks that chains are complete at this moment.
    async fn look(&mut self) -> Result<()> {
        let store = self.place.open()?;
        let snapshot = rows::snapshot(store.as_ref(), |_| false).await;
        store.close();
        self.looks += 1;
        check::chains(&snapshot?)
    }

    /// Sends calls without a response again, then checks the rows.
    async fn after_kill(&mut self, wire: &Wire, whole: bool) -> Result<()> {
        self.chains_before_anything(wire).await?;
        let open: Vec<_> =
            self.ledger.lock().open.iter().map(|(key, sent)| (key.clone(), sent.clone())).collect();
        for (key, sent) in open {
            let path = format!("/v1/tools/{}", sent.tool);
            let (status, answer) = wire.send("POST", &path, Some(&sent.arguments)).await?;
            clients::settle(&self.ledger, &key, status, &answer, &|part| self.code.is_gone(part))
                .context("sent again")?;
            self.ledger.lock().in_flight += 1;
        }
        let fresh = std::mem::take(&mut self.ledger.lock().fresh);
        let store = self.place.open()?;
        let choose = move |id: &loci_model::RecordId| {
            whole || fresh.contains(id.as_str().strip_prefix("mem-").unwrap_or(id.as_str()))
        };
        let snapshot = rows::snapshot(store.as_ref(), choose).await;
        store.close();
        let snapshot = snapshot?;
        check::chains(&snapshot)?;
        for rows in &snapshot.whole {
            check::rows(&snapshot, rows).with_context(|| format!("fact {}", rows.record.id))?;
        }
        check::acknowledged(&snapshot, &self.ledger.lock())
    }

    /// Checks the state after the kill, before any call is sent again.
    async fn chains_before_anything(&mut self, wire: &Wire) -> Result<()> {
        wire.ask("GET", "/v1/memories", None).await?;
        self.look().await.context("as the kill left it")
    }

    fn print(&self, took: Duration) -> Result<()> {
        let never_acknowledged = self.never_acknowledged();
        let ledger = self.ledger.lock();
        let Plan { kind, seed, clients, .. } = self.plan;
        let rounds = self.rounds;
        let counts: Vec<_> =
            ledger.acknowledged.iter().map(|(tool, count)| format!("{count} {tool}")).collect();
        println!(
            "crash --facts: {rounds} rounds in {:.0} s, {kind:?}, {clients} clients, seed {seed}: acknowledged and found once: {}; \
             {} refused in order; {} in flight at a kill, sent again; {} kills of the database; {} facts, every chain with one \
             head in {} looks, every change with its row",
            took.as_secs_f64(),
            counts.join(", "),
            ledger.refused,
            ledger.in_flight,
            self.database_kills,
            ledger.facts.len(),
            self.looks,
        );
        if let Some(tool) = never_acknowledged {
            bail!("{tool} was never acknowledged: the kill came too early");
        }
        Ok(())
    }

    fn never_acknowledged(&self) -> Option<&'static str> {
        let ledger = self.ledger.lock();
        TOOLS.into_iter().find(|tool| !ledger.acknowledged.contains_key(*tool))
    }
}
