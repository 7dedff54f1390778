//! One round: webhooks arrive and the server is killed. Deliveries without a response are sent
//! again, in some rounds with another kill. Then the data is compared with the undisturbed server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::delivery_sender::{self, Load};
use super::rows::Snapshot;
use super::{Run, check, comparison};

/// The interval of rounds, on a database, that kill the database before the server.
const DATABASE_EVERY: u32 = 2;
/// The interval of rounds, on a database, that wait a minute for the leases to expire. The other
/// rounds free them.
const LEASES_EVERY: u32 = 5;
/// The maximum downtime of the database, in milliseconds.
const DOWN_MS_MAX: u64 = 300;
/// The interval of rounds in which the forge fails for longer than a retry, which then takes ten
/// seconds.
const DOWN_EVERY: u32 = 5;
/// The maximum time until a second kill while deliveries of a round are processed, in milliseconds.
const SECOND_KILL_MS_MAX: u64 = 900;
/// Deliveries with a response that are sent again after a kill.
const AGAIN: u64 = 5;

impl Run<'_> {
    /// Begins a round. Tasks exist before their pull requests.
    pub(super) async fn begin(&mut self, round: u32) -> Result<()> {
        let planned = {
            let mut story = self.story.lock().await;
            story.round = round;
            story.plan(&mut self.world.lock())
        };
        for pull in &planned {
            self.killed.task(pull).await?;
            self.calm.task(pull).await?;
        }
        self.forge.trouble(round % DOWN_EVERY == DOWN_EVERY - 2);
        self.ledger.lock().begin_round();
        Ok(())
    }

    pub(super) async fn load_and_kill(&mut self, round: u32) -> Result<()> {
        let load = Load {
            sender: self.killed.sender(),
            ledger: self.ledger.clone(),
            world: self.world.clone(),
            story: Arc::clone(&self.story),
            happened: Arc::new(AtomicU32::new(0)),
            is_disturbed: Arc::new(AtomicBool::new(false)),
        };
        let (least, most) = self.plan.kill_after_ms;
        let wait = least + self.random.below(most.saturating_sub(least).max(1));
        let mut clients = delivery_sender::start(&load, self.plan.clients, self.random.next());
        tokio::time::sleep(Duration::from_millis(wait)).await;
        load.is_disturbed.store(true, Ordering::SeqCst);
        self.kill(round % DATABASE_EVERY == DATABASE_EVERY - 1)?;
        while let Some(ended) = clients.join_next().await {
            ended?;
        }
        self.in_order()
    }

    /// Kills the server, and, if requested, its database first.
    fn kill(&mut self, with_database: bool) -> Result<()> {
        if with_database && self.killed.place.has_database() {
            let pause = Duration::from_millis(self.random.below(DOWN_MS_MAX));
            tokio::task::block_in_place(|| self.killed.place.restart_database(pause))?;
            self.database_kills += 1;
        }
        self.kills += 1;
        self.killed.kill()
    }

    async fn start_again(&mut self, round: u32) -> Result<()> {
        if self.killed.place.has_database() && round % LEASES_EVERY != LEASES_EVERY - 1 {
            self.killed.free_leases().await?;
        }
        self.killed.start()
    }

    /// Sends deliveries without a response and some others again, and waits until all are
    /// processed.
    pub(super) async fn send_again(&mut self, round: u32) -> Result<()> {
        self.start_again(round).await?;
        let mut again = self.ledger.lock().open();
        self.ledger.lock().in_flight += again.len() as u64;
        let all: Vec<_> = self.ledger.lock().all.values().map(|sent| sent.delivery.clone()).collect();
        again.extend((0..AGAIN).filter_map(|_| self.random.pick(&all).cloned()));
        let sender = self.killed.sender();
        while !again.is_empty() {
            let next = usize::try_from(self.random.below(again.len() as u64)).context("a number")?;
            let delivery = again.swap_remove(next);
            delivery_sender::settle(&self.ledger, &delivery, sender.send(&delivery).await, false);
        }
        self.in_order()?;
        if self.random.below(2) == 0 {
            tokio::time::sleep(Duration::from_millis(self.random.below(SECOND_KILL_MS_MAX))).await;
            self.kill(false)?;
            self.start_again(round).await?;
        }
        self.killed.settle().await
    }

    fn in_order(&self) -> Result<()> {
        let failures = std::mem::take(&mut self.ledger.lock().failures);
        ensure!(failures.is_empty(), "{} deliveries failed: {}", failures.len(), failures.join("\n"));
        Ok(())
    }

    /// Sends the same deliveries to the undisturbed server, in the order of their events, and
    /// checks both servers.
    pub(super) async fn compare(&mut self) -> Result<Snapshot> {
        let sender = self.calm.sender();
        let told = self.ledger.lock().of_round();
        for delivery in told {
            sender.send(&delivery).await?;
        }
        self.calm.settle().await.context("the undisturbed server")?;
        let listed = self.killed.deliveries(None).await?;
        check::deliveries(&listed, &self.ledger.lock())?;
        let (killed, calm) = (self.killed.snapshot().await?, self.calm.snapshot().await?);
        {
            let world = self.world.lock();
            for (snapshot, who) in [(&calm, "the undisturbed server"), (&killed, "the killed server")] {
                check::reviews(snapshot, &world).context(who)?;
                check::taught(snapshot, &world).context(who)?;
                check::outcomes(snapshot, &world).context(who)?;
                check::steps(snapshot).context(who)?;
            }
        }
        comparison::equal(&killed, &calm)?;
        Ok(killed)
    }
}
