//! `crash --hooks`: rounds in which several senders deliver a forge's webhooks, signed, some late
//! and some twice. Each round ends with `kill -9` of the server, and on PostgreSQL some rounds also
//! kill the database. Deliveries without a response are sent again under their number, as a forge
//! does. The checks read the rows: every delivery is known once and processed, and its effects
//! exist once. They equal those of a server that got the same deliveries and was never killed.
//!
//! Polling and backfill share the code after the delivery and are not covered here. Models and
//! power failures are not covered either.

mod check;
mod comparison;
mod delivery_sender;
mod forge;
mod forge_state;
mod ledger;
mod moves;
mod round;
mod rows;
mod run_server;
mod shapes;
mod story;
mod words;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::sync::Mutex;

use super::store_location::{Kind, StoreLocation};
use crate::progress::Progress;
use crate::seeded_random::Seeded;
use forge::{Forge, SharedWorld};
use forge_state::{Stage, World};
use ledger::Shared;
use rows::Snapshot;
use run_server::RunServer;
use story::Story;

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
    forge: Forge,
    world: SharedWorld,
    story: Arc<Mutex<Story>>,
    ledger: Shared,
    random: Seeded,
    /// The server that is killed.
    killed: RunServer<'a>,
    /// The undisturbed server.
    calm: RunServer<'a>,
    kills: u64,
    database_kills: u64,
}

/// Runs the rounds.
pub(super) async fn run(plan: &Plan<'_>) -> Result<()> {
    let temporary = tempfile::tempdir()?;
    let started = jiff::Timestamp::now().as_second();
    let world = SharedWorld::new(World::new(started - 3_000));
    let forge = Forge::start(world.clone(), plan.seed).await?;
    let folder = |name: &str| temporary.path().join(name);
    std::fs::create_dir_all(folder("killed"))?;
    std::fs::create_dir_all(folder("calm"))?;
    let killed =
        RunServer::new(plan.binary, StoreLocation::new(plan.kind, &folder("killed"))?, &forge.api(false))?;
    let calm =
        RunServer::new(plan.binary, StoreLocation::new(Kind::Folder, &folder("calm"))?, &forge.api(true))?;
    let mut run = Run {
        plan,
        forge,
        world,
        story: Arc::new(Mutex::new(Story::new(plan.seed))),
        ledger: Shared::default(),
        random: Seeded::new(plan.seed),
        killed,
        calm,
        kills: 0,
        database_kills: 0,
    };
    let outcome = run.rounds().await;
    if outcome.is_err() {
        eprintln!("the stores and the servers' logs: {}", temporary.keep().display());
    }
    outcome
}

impl Run<'_> {
    async fn rounds(&mut self) -> Result<()> {
        let began = Instant::now();
        let progress = Progress::new(1);
        progress.step("rounds of webhooks and kills");
        let (rounds, seed) = (self.plan.rounds, self.plan.seed);
        self.killed.start()?;
        self.calm.start()?;
        self.killed.register().await?;
        self.calm.register().await?;
        let mut last = None;
        for round in 0..rounds {
            progress.within(round.into(), rounds.into());
            let failed = || format!("in round {round} (seed {seed})");
            self.begin(round).await.with_context(failed)?;
            self.load_and_kill(round).await.with_context(failed)?;
            self.send_again(round).await.with_context(failed)?;
            last = Some(self.compare().await.with_context(failed)?);
        }
        self.killed.stop()?;
        self.calm.stop()?;
        self.print(began.elapsed(), &last.context("no round was run")?)
    }

    fn print(&self, took: Duration, last: &Snapshot) -> Result<()> {
        let (ledger, world) = (self.ledger.lock(), self.world.lock());
        let [limits, passing, down] = self.forge.told();
        let Plan { kind, rounds, seed, clients, .. } = self.plan;
        let in_force = last.rules.iter().filter(|rows| check::is_open(rows.record.state)).count();
        let graded = last.outcomes.iter().filter(|outcome| outcome.grade.is_some()).count();
        let pulls = world.pulls.values().filter(|pull| pull.stage != Stage::Planned).count();
        println!(
            "crash --hooks: {kind:?}, {clients} clients, seed {seed}: each delivery took effect once, as in a run without kills"
        );
        for (what, count) in [
            ("rounds", u64::from(*rounds)),
            ("kills of the server", self.kills),
            ("kills of the database", self.database_kills),
            ("deliveries", ledger.all.len() as u64),
            ("  requests, with those sent again", ledger.posts),
            ("  answered", ledger.answered),
            ("  answered as known", ledger.duplicates),
            ("  open at a kill, sent again", ledger.in_flight),
            ("forge: limits used up", limits),
            ("forge: failed in passing", passing),
            ("forge: failed for longer", down),
            ("pull requests", pulls as u64),
            ("outcomes, with a grade", graded as u64),
            ("reviews", last.reviews.len() as u64),
            ("rules", last.rules.len() as u64),
            ("  that somebody says", in_force as u64),
            ("examples", last.examples.len() as u64),
            ("seconds", took.as_secs()),
        ] {
            println!("  {what:<34} {count:>7}");
        }
        ensure!(!last.reviews.is_empty() && in_force > 0, "nothing was learned: the kill came too early");
        Ok(())
    }
}
