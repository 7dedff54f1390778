//! The simulator: from a seed, a random but repeatable life of several people with one server or some, in which writes
//! fail, servers die and time jumps. A plain twin says after every step what the store must hold.
//!
//! The same seed gives the same transcript on every store, so two stores can be compared line by line. Servers take turns
//! between the calls of their stores; what a store does when many call at once is tested elsewhere.
//!
//! To add an operation: a function in one of the files `*_steps`, a line in `steps::TABLE`.

mod delivery_steps;
mod dice;
mod event_steps;
mod life;
mod memory_steps;
mod reading_steps;
mod record_steps;
mod serial_store;
mod server;
mod snapshot;
mod speaking_model;
mod steps;
mod time_steps;
mod transcript;
mod twin;
mod wording;

use std::fmt;

use loci_engine::Models;
use loci_model::Error;

pub use life::Open;
pub use transcript::{Ranking, Transcript};

/// A run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simulation {
    /// From which everything follows.
    pub seed: u64,
    /// Operations.
    pub steps: usize,
}

/// What must never be.
pub struct Broken {
    /// What was found, about what.
    pub what: String,
    /// The seed of the run.
    pub seed: u64,
    /// The last lines of its transcript.
    pub lines: Vec<String>,
}

/// Lines of the transcript that a failure shows.
const LINES_SHOWN: usize = 24;

impl Simulation {
    /// Runs on the store that `open` opens: empty at first, then as it was left.
    ///
    /// # Errors
    /// When an invariant does not hold, or a call fails that must not.
    pub fn run(&self, open: Open<'_>) -> Result<Transcript, Broken> {
        let mut transcript = Transcript::default();
        steps::run(self, open, &mut transcript).map_err(|broken| {
            let lines = transcript.lines();
            let shown = lines.get(lines.len().saturating_sub(LINES_SHOWN)..).unwrap_or_default();
            Broken { seed: self.seed, lines: shown.to_vec(), ..broken }
        })?;
        Ok(transcript)
    }

    /// One server, two, or three.
    fn servers(&self) -> usize {
        usize::try_from(self.seed % 5).map_or(1, |number| number.clamp(1, 3))
    }

    /// In every third run a language model reads the conversations.
    fn models(&self) -> Models {
        if self.seed % 3 == 2 { speaking_model::models() } else { Models::default() }
    }
}

impl Broken {
    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), seed: 0, lines: Vec::new() }
    }

    fn about(mut self, what: &str) -> Self {
        self.what = format!("{}: {what}", self.what);
        self
    }
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self::new(format!("a call failed that must not: {error:?}"))
    }
}

impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seed {}: {}\nthe last lines:\n{}", self.seed, self.what, self.lines.join("\n"))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl std::error::Error for Broken {}
