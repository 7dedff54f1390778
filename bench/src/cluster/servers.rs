//! The servers of a cluster: several `loci serve` on one database, each of which can be killed and
//! restarted. The callers choose servers and requests.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::wire::Wire;

/// The maximum time to restart a server, which does not start while the database is down.
const STARTING: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// Settings in the environment of every server.
pub(super) type Environment = Vec<(String, String)>;

/// All servers of the cluster.
pub(super) struct Servers {
    binary: PathBuf,
    environment: Environment,
    slots: Vec<Slot>,
}

struct Slot {
    folder: PathBuf,
    running: Mutex<Option<(Server, Wire)>>,
}

impl Slot {
    fn running(&self) -> MutexGuard<'_, Option<(Server, Wire)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Servers {
    /// Starts `count` servers, each with its own folder in `parent`.
    pub(super) fn start(
        binary: &Path,
        parent: &Path,
        environment: Environment,
        count: usize,
    ) -> Result<Self> {
        let slot =
            |number| Slot { folder: parent.join(format!("server-{number}")), running: Mutex::default() };
        let servers = Self { binary: binary.to_owned(), environment, slots: (0..count).map(slot).collect() };
        for number in 0..count {
            servers.try_begin(number)?;
        }
        Ok(servers)
    }

    fn slot(&self, number: usize) -> Result<&Slot> {
        self.slots.get(number).with_context(|| format!("there is no server {number}"))
    }

    /// Kills a server. Its open requests get no response.
    pub(super) fn kill(&self, number: usize) -> Result<()> {
        let running = self.slot(number)?.running().take();
        running.map_or(Ok(()), |(mut server, _)| server.kill())
    }

    fn try_begin(&self, number: usize) -> Result<()> {
        let slot = self.slot(number)?;
        let environment: Vec<(&str, &str)> =
            self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let server = Server::start_with(&self.binary, &slot.folder, &environment)?;
        let wire = Wire::new(&server.url);
        *slot.running() = Some((server, wire));
        Ok(())
    }

    /// Starts a killed server. Returns how often it ended before it listened.
    pub(super) fn begin(&self, number: usize) -> Result<u64> {
        let (began, mut ended) = (Instant::now(), 0);
        while let Err(error) = self.try_begin(number) {
            ended += 1;
            if began.elapsed() > STARTING {
                return Err(error);
            }
            std::thread::sleep(PAUSE);
        }
        Ok(ended)
    }

    /// Returns a running server, other than `not` if there is one.
    pub(super) fn any(&self, random: &mut Seeded, not: Option<usize>) -> Option<(usize, Wire)> {
        let mut running = self.running();
        if running.len() > 1 {
            running.retain(|(number, _)| Some(*number) != not);
        }
        random.pick(&running).cloned()
    }

    /// Returns all running servers, in order.
    pub(super) fn running(&self) -> Vec<(usize, Wire)> {
        let wire = |slot: &Slot| slot.running().as_ref().map(|(_, wire)| wire.clone());
        let all = self.slots.iter().enumerate();
        all.filter_map(|(number, slot)| Some((number, wire(slot)?))).collect()
    }

    /// Returns the ids of their processes.
    pub(super) fn processes(&self) -> Vec<u32> {
        let id = |slot: &Slot| slot.running().as_ref().map(|(server, _)| server.id());
        self.slots.iter().filter_map(id).collect()
    }
}
