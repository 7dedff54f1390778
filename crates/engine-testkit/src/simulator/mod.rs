//! The simulator: from a seed, a random but repeatable sequence of operations by several people on
//! one or more servers, in which writes fail, servers die and time jumps. A simple model, the twin,
//! states after every step the required content of the store.
//!
//! Equal seeds give equal transcripts on every store, so two stores can be compared line by line.
//! Servers alternate between the calls of their stores; other tests cover concurrent calls of a
//! store.
//!
//! To add an operation, add a function in one of the files `*_steps`, and a line in `steps::TABLE`.

mod delivery_steps;
mod event_steps;
mod memory_steps;
mod model_replies;
mod random;
mod read_steps;
mod record_steps;
mod reference_model;
mod serial_store;
mod server;
mod server_lifecycle;
mod snapshot;
mod steps;
mod texts;
mod time_steps;
mod transcript;

use std::fmt;

use loci_engine::Models;
use loci_model::Error;

pub use server_lifecycle::RunStoreOpener;
pub use transcript::{Ranking, Transcript};

/// A simulation: a random but repeatable sequence of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    /// The seed, which determines all operations and faults of the run.
    pub seed: u64,
    /// The number of operations.
    pub steps: usize,
}

/// The failure of a simulation.
pub struct InvariantViolation {
    /// A description of the rule that was violated.
    pub what: String,
    /// The seed of the run.
    pub seed: u64,
    /// The last lines of the transcript before the failure.
    pub lines: Vec<String>,
}

/// The number of transcript lines that a failure shows.
const LINES_SHOWN: usize = 24;

impl Simulation {
    /// Runs the simulation. `open` opens its store, which is empty at first; each simulated
    /// server opens the store itself.
    ///
    /// # Errors
    /// If an invariant is violated, or a call fails unexpectedly.
    pub fn run(&self, open: RunStoreOpener<'_>) -> Result<Transcript, InvariantViolation> {
        let mut transcript = Transcript::default();
        steps::run(self, open, &mut transcript).map_err(|broken| {
            let lines = transcript.lines();
            let shown = lines.get(lines.len().saturating_sub(LINES_SHOWN)..).unwrap_or_default();
            InvariantViolation { seed: self.seed, lines: shown.to_vec(), ..broken }
        })?;
        Ok(transcript)
    }

    /// Returns the number of servers that the run simulates: one, two, or three.
    fn servers(&self) -> usize {
        usize::try_from(self.seed % 5).map_or(1, |number| number.clamp(1, 3))
    }

    /// Returns the language models of the run: every third seed uses one.
    fn models(&self) -> Models {
        if self.seed % 3 == 2 { model_replies::models() } else { Models::default() }
    }
}

impl InvariantViolation {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), seed: 0, lines: Vec::new() }
    }

    fn about(mut self, what: &str) -> Self {
        self.what = format!("{}: {what}", self.what);
        self
    }
}

impl From<Error> for InvariantViolation {
    fn from(error: Error) -> Self {
        Self::new(format!("a call failed that must not: {error:?}"))
    }
}

impl fmt::Debug for InvariantViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}\nthe last lines:\n{}", self.seed, self.what, self.lines.join("\n"))
    }
}

impl fmt::Display for InvariantViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for InvariantViolation {}
