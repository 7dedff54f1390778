//! A run of the simulator: one operation after the other, chosen at random by weight. After each
//! operation the content of the store is checked.

use std::sync::Arc;

use loci_model::ports::clock::Clock as _;
use loci_model::principal::Principal;
use loci_model::{Error, MemoryId, Result, Timestamp};

use super::random::Dice;
use super::reference_model::{ExpectedChange, ReferenceModel};
use super::server_lifecycle::{Makings, RunStoreOpener, ServerLifecycle};
use super::snapshot::Snapshot;
use super::transcript::Transcript;
use super::{
    InvariantViolation, Simulation, delivery_steps, event_steps, memory_steps, read_steps, record_steps,
    time_steps,
};

use loci_testkit_ports::RecordingTargets;

type Outcome<T> = std::result::Result<T, InvariantViolation>;

/// The memories that an operation may have changed, with the required change.
pub(super) enum ChangedMemories {
    /// The operation changed no memory.
    Nothing,
    /// The operation changed the memory at this index in the list of reference models.
    In(usize, ExpectedChange),
    /// The operation changed every memory.
    Everywhere(ExpectedChange),
}

type SimulationStep = fn(&mut SimulationRun<'_>) -> Outcome<ChangedMemories>;

/// Every operation: its weight, its name, and its function.
const TABLE: &[(u64, &str, SimulationStep)] = &[
    (26, "event", event_steps::create),
    (5, "event again", event_steps::repeat),
    (4, "event deleted", event_steps::delete),
    (2, "ingest", event_steps::ingest),
    (2, "session ends", event_steps::end_session),
    (12, "records", record_steps::create),
    (9, "records updated", record_steps::update),
    (6, "records deleted", record_steps::delete),
    (4, "record reverted", record_steps::revert),
    (2, "memory", memory_steps::create),
    (2, "memory updated", memory_steps::update),
    (1, "memory deleted", memory_steps::delete),
    (1, "memory moved", memory_steps::export_and_import),
    (1, "actor forgotten", memory_steps::forget),
    (7, "records listed", read_steps::list_records),
    (5, "record read", read_steps::read_record),
    (6, "events listed", read_steps::list_events),
    (3, "sessions listed", read_steps::list_sessions),
    (8, "search by own words", read_steps::search_own_words),
    (6, "search", read_steps::search),
    (3, "jobs listed", read_steps::list_jobs),
    (2, "memories listed", read_steps::list_memories),
    (12, "work", time_steps::work),
    (7, "time passes", time_steps::pass),
    (3, "sweep", time_steps::sweep),
    (3, "restart", time_steps::restart),
    (5, "deliveries", delivery_steps::deliver),
];

/// The state of a run.
pub(super) struct SimulationRun<'a> {
    pub(super) dice: Dice,
    pub(super) life: ServerLifecycle<'a>,
    pub(super) caller: Principal,
    pub(super) twins: Vec<ReferenceModel>,
    /// The memories that were deleted; their jobs still run.
    pub(super) deleted: Vec<MemoryId>,
    pub(super) has_model: bool,
    /// The targets that receive deliveries, and record them.
    pub(super) targets: Arc<RecordingTargets>,
    /// The number of received deliveries that are already in the transcript.
    pub(super) told: usize,
    /// The time by which the clock may still jump in this run, in milliseconds.
    pub(super) time_left_ms: u64,
    transcript: &'a mut Transcript,
    names: u64,
}

/// Maximum sum of jumps in milliseconds: short enough to keep history, long enough for events and
/// records to expire.
const JUMPS_MS: u64 = 75 * 24 * 3_600_000;

/// Number of operations between checks of all memories, including those not reported as changed.
const CLOSE_LOOK_EVERY: u64 = 8;

/// Runs a simulation.
pub(super) fn run(of: &Simulation, open: RunStoreOpener<'_>, transcript: &mut Transcript) -> Outcome<()> {
    let models = of.models();
    let has_model = !models.is_empty();
    let servers = of.servers();
    let targets = Arc::new(RecordingTargets::default());
    let mut run = SimulationRun {
        dice: Dice::new(of.seed),
        life: ServerLifecycle::begin(Makings {
            open,
            seed: of.seed,
            models,
            targets: targets.clone(),
            servers,
        })?,
        caller: Principal::administrator("tester"),
        twins: Vec::new(),
        deleted: Vec::new(),
        has_model,
        targets,
        told: 0,
        time_left_ms: JUMPS_MS,
        transcript,
        names: 0,
    };
    run.note(format!("seed {}, model {has_model}, {servers} servers", of.seed));
    run.step("memory", memory_steps::create)?;
    for _ in 0..of.steps {
        let place = run.dice.weighted(TABLE.iter().map(|(weight, ..)| *weight));
        if let Some((_, name, step)) = TABLE.get(place) {
            run.step(name, *step)?;
        }
    }
    run.end()
}

impl SimulationRun<'_> {
    fn step(&mut self, name: &str, step: SimulationStep) -> Outcome<()> {
        self.note(format!("+{} {name}", self.now().millis() - loci_testkit_ports::clock::START.millis()));
        self.life.turn(&mut self.dice);
        let done = step(self)?;
        self.verify(&done).map_err(|broken| broken.about(&format!("after `{name}`")))
    }

    /// Adds a line to the transcript.
    pub(super) fn note(&mut self, line: String) {
        self.transcript.note(line);
    }

    pub(super) fn transcript(&mut self) -> &mut Transcript {
        self.transcript
    }

    pub(super) fn now(&self) -> Timestamp {
        self.life.clock.now()
    }

    /// Returns a unique number within the run.
    pub(super) fn number(&mut self) -> u64 {
        self.names += 1;
        self.names
    }

    /// Returns the index of a random memory; `None` if there is no memory.
    pub(super) fn any_twin(&mut self) -> Option<usize> {
        let places: Vec<_> = (0..self.twins.len()).collect();
        self.dice.pick(&places).copied()
    }

    /// Returns the reference model of the memory at an index.
    pub(super) fn twin(&mut self, place: usize) -> Result<&mut ReferenceModel> {
        self.twins.get_mut(place).ok_or_else(|| Error::bug("no memory at this place"))
    }

    /// Returns the content of a memory in the store.
    pub(super) fn snapshot(&self, memory: &MemoryId) -> Result<Snapshot> {
        let store = self.life.store_elsewhere()?;
        Snapshot::read(store.inner(), memory, self.now(), None)
    }

    fn verify(&mut self, done: &ChangedMemories) -> Outcome<()> {
        for place in 0..self.twins.len() {
            let change = match done {
                ChangedMemories::In(at, change) if *at == place => change,
                ChangedMemories::Everywhere(change) => change,
                ChangedMemories::In(..) | ChangedMemories::Nothing => &ExpectedChange::Nothing,
            };
            let now = self.now();
            let (id, has_model) = (self.twin(place)?.memory.id.clone(), self.has_model);
            let store = self.life.store_elsewhere()?;
            let is_close_look = self.number().is_multiple_of(CLOSE_LOOK_EVERY);
            let twin = self.twin(place)?;
            let known = (!is_close_look).then_some(&twin.seen);
            let found = Snapshot::read(store.inner(), &id, now, known)?;
            let lines = twin.verify(found, change, now)?;
            if matches!(change, ExpectedChange::Worked) && !has_model {
                twin.check_kept()?;
            }
            lines.into_iter().for_each(|line| self.note(line));
        }
        Ok(())
    }

    /// Ends a run: checks that all jobs are done, that sweeps and searches work, and that a restart
    /// keeps everything.
    fn end(&mut self) -> Outcome<()> {
        for place in 0..self.twins.len() {
            self.note(format!("the end of memory {place}"));
            let done = time_steps::work_in(self, place)?;
            self.verify(&done)?;
        }
        self.step("sweep", time_steps::sweep)?;
        self.step("restart", time_steps::restart)?;
        delivery_steps::everything_is_told(self)?;
        for place in 0..self.twins.len() {
            read_steps::every_record_is_found(self, place)?;
            read_steps::no_job_is_left(self, place)?;
        }
        Ok(())
    }
}
