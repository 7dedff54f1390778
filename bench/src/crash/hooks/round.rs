//! One round: webhooks come in and the server is killed, what was not answered is sent again, perhaps over another kill, and what is left is
//! compared with the server that was not killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::rows::Snapshot;
use super::sending::{self, Load};
use super::{Run, check, equal};

/// Every so manieth round on a database ends with its kill, not the server's alone.
const DATABASE_EVERY: u32 = 2;
/// Every so manieth round leases on a database run out, which takes a minute; in the others they are freed.
const LEASES_EVERY: u32 = 5;
/// The database stays down for so long.
const DOWN_MS_MAX: u64 = 300;
/// Every so manieth round the forge fails for longer than a repetition takes: ten seconds are waited then.
const DOWN_EVERY: u32 = 5;
/// While deliveries of a round are dealt with, a kill comes within this time.
const SECOND_KILL_MS_MAX: u64 = 900;
/// Deliveries that were answered and are sent again behind a kill.
const AGAIN: u64 = 5;

impl Run<'_> {
    /// Tasks are there before their pull requests.
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
        let mut clients = sending::start(&load, self.plan.clients, self.random.next());
        tokio::time::sleep(Duration::from_millis(wait)).await;
        load.is_disturbed.store(true, Ordering::SeqCst);
        self.kill(round % DATABASE_EVERY == DATABASE_EVERY - 1)?;
        while let Some(ended) = clients.join_next().await {
            ended?;
        }
        self.in_order()
    }

    /// Kills the server, and before it the database where there is one.
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

    /// Sends again what was not answered, and some of what was, and waits until all is dealt with.
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
            sending::settle(&self.ledger, &delivery, sender.send(&delivery).await, false);
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

    /// Tells the other server the same, in the order in which it happened, and looks at what both have.
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
        equal::equal(&killed, &calm)?;
        Ok(killed)
    }
}
