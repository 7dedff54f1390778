//! The servers of a simulation. Each is an engine with its own handle of the same store. Servers
//! die and are replaced, while the clock and the ids continue.

use std::sync::Arc;

use loci_engine::{EngineParts, EngineSettings, Models};
use loci_model::ports::store::{Hosts, Store};
use loci_model::{Error, Result};
use loci_products::Loci;

use super::InvariantViolation;
use super::random::Dice;
use super::serial_store::{HostPlace, SerialStore, StoreFault};
use super::server::{Server, drive};
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{HashEmbedder, ManualClock, RecordingTargets, SeededIds};

/// A function that opens the store of a simulation. It is called for each server, and several
/// handles are open at the same time.
pub type RunStoreOpener<'a> = &'a dyn Fn() -> Result<Arc<dyn Store>>;

type Outcome<T> = std::result::Result<T, InvariantViolation>;

/// The maximum number of retries of a call that an injected fault makes fail.
const REPEATS_MAX: usize = 3;
/// The probability of an injected fault in a client's call, in percent.
const FAULT_PERCENT: u64 = 14;
const DIMENSIONS: usize = 128;

/// The result of a client's call, which is retried until it gets a response.
pub(super) struct ActionResult<T> {
    /// The last response.
    pub(super) result: Result<T>,
    /// True if an earlier try without a response took effect.
    pub(super) was_applied: bool,
}

/// The data from which every server of a simulation is created.
pub(super) struct Makings<'a> {
    pub(super) open: RunStoreOpener<'a>,
    pub(super) seed: u64,
    pub(super) models: Models,
    pub(super) targets: Arc<RecordingTargets>,
    /// Number of servers.
    pub(super) servers: usize,
}

/// The servers of a run.
pub(super) struct ServerLifecycle<'a> {
    makings: Makings<'a>,
    pub(super) clock: ManualClock,
    ids: Arc<SeededIds>,
    host: HostPlace,
    /// Number of servers so far.
    count: u64,
    /// The servers; `None` only during a restart.
    servers: Vec<Option<Server>>,
    /// Index of the server that the client uses.
    at: usize,
}

impl<'a> ServerLifecycle<'a> {
    pub(super) fn begin(makings: Makings<'a>) -> Result<Self> {
        let ids = Arc::new(SeededIds::new(makings.seed));
        // A store of one host can act as one of several hosts; the converse is not possible.
        let hosts = match (makings.open)()?.hosts() {
            Hosts::One if !makings.seed.is_multiple_of(2) => Hosts::One,
            Hosts::One | Hosts::Many => Hosts::Many,
        };
        let host = HostPlace { hosts, held_by: Arc::default(), number: 0 };
        let servers = vec![None; makings.servers.max(1)];
        let mut life = Self { makings, clock: ManualClock::default(), ids, host, count: 0, servers, at: 0 };
        for at in 0..life.servers.len() {
            life.restart(at)?;
        }
        Ok(life)
    }

    /// Replaces a server by a new one that opens the same store.
    fn restart(&mut self, at: usize) -> Result<()> {
        let place = self.servers.get_mut(at).ok_or_else(not_running)?;
        *place = None;
        self.count += 1;
        let host = HostPlace { number: self.count, ..self.host.clone() };
        let store = Arc::new(SerialStore::new((self.makings.open)()?, host));
        let mut parts = EngineParts::quiet(
            store.clone(),
            Some(Arc::new(HashEmbedder::new(DIMENSIONS))),
            Arc::new(self.clock.clone()),
            self.ids.clone(),
            Arc::new(OpenVault),
        );
        parts.models = self.makings.models.clone();
        parts.deliver = Some(self.makings.targets.clone());
        let settings = EngineSettings { host: format!("host-{}", self.count), ..EngineSettings::default() };
        *place = Some(Server { store, engine: Loci::new(parts, settings) });
        Ok(())
    }

    /// Restarts the server that the client uses.
    pub(super) fn restart_this(&mut self) -> Result<()> {
        self.restart(self.at)
    }

    /// Moves the client to a random server.
    pub(super) fn turn(&mut self, dice: &mut Dice) {
        self.at = usize::try_from(dice.below(self.servers.len() as u64)).unwrap_or(0);
    }

    /// Returns the server that the client uses.
    fn this(&self) -> Result<Server> {
        self.servers.get(self.at).and_then(Option::as_ref).cloned().ok_or_else(not_running)
    }

    /// Returns the index of another server, if there is one.
    fn next(&self) -> usize {
        (self.at + 1) % self.servers.len()
    }

    /// Returns the store of another server than the client's, if there is one: acknowledged data is
    /// visible to all.
    pub(super) fn store_elsewhere(&self) -> Result<Arc<SerialStore>> {
        let server = self.servers.get(self.next()).and_then(Option::as_ref);
        server.map(|server| server.store.clone()).ok_or_else(not_running)
    }

    /// Runs a call that cannot fail by chance.
    pub(super) fn call<T, F>(&self, call: impl FnOnce(Loci) -> F) -> Outcome<Result<T>>
    where
        F: Future<Output = Result<T>>,
    {
        let server = self.this()?;
        let call = call(server.engine.clone());
        let (outcome, _) = drive(&self.clock, (&server, call), (&server, async {}))?;
        outcome.ok_or_else(|| InvariantViolation::new("the server died without a reason"))
    }

    /// Runs a client's call with one write that may fail by chance; the client then retries,
    /// possibly at another server.
    pub(super) fn act<T, F>(&mut self, dice: &mut Dice, call: impl Fn(Loci) -> F) -> Outcome<ActionResult<T>>
    where
        F: Future<Output = Result<T>>,
    {
        let fault = if dice.chance(FAULT_PERCENT) { dice.pick(&StoreFault::ALL).copied() } else { None };
        self.act_with(fault.map(|fault| (1, fault)), call)
    }

    /// Runs a client's call like `act` with a given fault, and the number of the write that it
    /// affects.
    pub(super) fn act_with<T, F>(
        &mut self,
        mut fault: Option<(u64, StoreFault)>,
        call: impl Fn(Loci) -> F,
    ) -> Outcome<ActionResult<T>>
    where
        F: Future<Output = Result<T>>,
    {
        let mut was_applied = false;
        for _ in 0..REPEATS_MAX {
            let server = self.this()?;
            if let Some((number, fault)) = fault.take() {
                server.store.arm(number, fault);
            }
            let (outcome, _) =
                drive(&self.clock, (&server, call(server.engine.clone())), (&server, async {}))?;
            let came = server.store.disarm();
            drop(server);
            was_applied |= came.is_some_and(|came| came.has_effect);
            match outcome {
                None => self.restart_this()?,
                // An unexpected error of the store is an ordinary response.
                Some(Err(error)) if came.is_some() && error.is_retryable() => {}
                Some(result) => {
                    return Ok(ActionResult { result, was_applied: was_applied && came.is_none() });
                }
            }
            self.at = self.next();
        }
        Err(InvariantViolation::new("a call fails however often it is repeated"))
    }

    /// Runs the same call on two servers concurrently, if there are two; a write of the first may
    /// fail, and the server may die. The responses are ignored: the caller asks again.
    pub(super) fn together<T, F>(
        &mut self,
        fault: Option<(u64, StoreFault)>,
        call: impl Fn(Loci) -> F,
    ) -> Outcome<()>
    where
        F: Future<Output = Result<T>>,
    {
        let (at, next) = (self.at, self.next());
        let (one, Some(other)) = (self.this()?, self.servers.get(next).cloned().flatten()) else {
            return Ok(());
        };
        if at == next {
            return Ok(());
        }
        if let Some((number, fault)) = fault {
            one.store.arm(number, fault);
        }
        let calls = (call(one.engine.clone()), call(other.engine.clone()));
        let (outcome, _) = drive(&self.clock, (&one, calls.0), (&other, calls.1))?;
        one.store.disarm();
        drop((one, other));
        if outcome.is_none() { Ok(self.restart(at)?) } else { Ok(()) }
    }
}

fn not_running() -> Error {
    Error::bug("the simulated server does not run")
}
