//! Prints the current step and the remaining time on standard error.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

const SHOW_EVERY: Duration = Duration::from_secs(5);

/// Steps done and left.
#[derive(Debug)]
pub(crate) struct Progress {
    began: Instant,
    steps: usize,
    done: Cell<usize>,
    step_began: Cell<Instant>,
    shown: Cell<Instant>,
    name: RefCell<String>,
}

impl Progress {
    pub(crate) fn new(steps: usize) -> Self {
        let now = Instant::now();
        Self {
            began: now,
            steps,
            done: Cell::new(0),
            step_began: Cell::new(now),
            shown: Cell::new(now),
            name: RefCell::default(),
        }
    }

    /// Begins a step.
    pub(crate) fn step(&self, name: &str) {
        self.done.set(self.done.get() + 1);
        self.step_began.set(Instant::now());
        self.name.replace(name.to_owned());
        eprintln!("[{}/{}, {:.0} s] {name}", self.done.get(), self.steps, self.began.elapsed().as_secs_f64());
    }

    /// Reports a step of unknown length, at intervals.
    pub(crate) fn waiting(&self) {
        if self.due() {
            eprintln!("    {}: {:.0} s", self.name.borrow(), self.step_began.get().elapsed().as_secs_f64());
        }
    }

    /// Reports the progress within a step, at intervals.
    pub(crate) fn within(&self, done: u64, of: u64) {
        if done == 0 || !self.due() {
            return;
        }
        let spent = self.step_began.get().elapsed().as_secs_f64();
        let left = spent / done as f64 * of.saturating_sub(done) as f64;
        eprintln!("    {}: {done} of {of}, {spent:.0} s, about {left:.0} s left", self.name.borrow());
    }

    fn due(&self) -> bool {
        let due = self.shown.get().elapsed() >= SHOW_EVERY;
        if due {
            self.shown.set(Instant::now());
        }
        due
    }
}
