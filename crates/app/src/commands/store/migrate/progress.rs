//! The progress of a migration on standard error: a bar on a terminal, else a line every few
//! seconds, so that logs contain it too.

use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use loci_engine::admin::{TransferProgress, TransferStep};
use loci_model::ports::clock::Clock as _;
use loci_model::transfer::{TransferKind, TransferPlace};

use crate::adapters::SystemClock;
use crate::output;

/// The interval between two lines of progress, in microseconds.
const LINE_US: u64 = 5_000_000;

/// The display of the progress: a bar on a terminal, or lines.
pub(super) struct ProgressDisplay {
    bar: ProgressBar,
    clock: SystemClock,
    is_terminal: bool,
    lines: Mutex<Lines>,
}

/// The state of the progress lines. Times are those of the clock that starts with the migration.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Lines {
    rows: Option<u64>,
    done: u64,
    said_us: u64,
}

impl ProgressDisplay {
    pub(super) fn new() -> Self {
        Self {
            bar: ProgressBar::no_length(),
            clock: SystemClock::new(),
            is_terminal: std::io::stderr().is_terminal(),
            lines: Mutex::default(),
        }
    }

    pub(super) fn tell(&self, progress: &TransferProgress) {
        match progress {
            TransferProgress::Begins(rows) => self.begin(*rows),
            TransferProgress::Further { step, place, kind, rows } => {
                self.further(&doing(*step, place, *kind), *rows);
            }
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }

    fn begin(&self, rows: Option<u64>) {
        let template = match rows {
            Some(_) => "{msg} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
            None => "{spinner} {msg} {human_pos} rows, {per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        if let Some(rows) = rows {
            self.bar.set_length(rows);
        }
        let said_us = self.clock.monotonic_us();
        *self.lines.lock().unwrap_or_else(PoisonError::into_inner) = Lines { rows, done: 0, said_us };
    }

    fn further(&self, doing: &str, rows: u64) {
        self.bar.inc(rows);
        self.bar.set_message(doing.to_owned());
        if self.is_terminal {
            return;
        }
        let line = {
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            lines.further(rows, self.clock.monotonic_us())
        };
        if let Some(line) = line {
            output::note(format!("{doing}: {line}"));
        }
    }
}

impl Lines {
    /// Adds rows. Returns a line if the interval has passed.
    fn further(&mut self, rows: u64, now_us: u64) -> Option<String> {
        self.done = self.done.saturating_add(rows);
        if now_us.saturating_sub(self.said_us) < LINE_US {
            return None;
        }
        self.said_us = now_us;
        let each_second = self.done.saturating_mul(1_000_000) / now_us.max(1);
        let mut line = format!("{} rows, {each_second} a second", self.done);
        if let Some(rows) = self.rows {
            // Repeated rows count again, so the total is at least the number of copied rows.
            let rows = rows.max(self.done);
            let left_s = (rows - self.done) / each_second.max(1);
            line = format!("{} of {rows} rows, {each_second} a second, {left_s} s left", self.done);
        }
        Some(line)
    }
}

fn doing(step: TransferStep, place: &TransferPlace, kind: TransferKind) -> String {
    let whose = match place {
        TransferPlace::Server => "the server",
        TransferPlace::Memory(memory) => memory.as_str(),
    };
    match step {
        TransferStep::Removing => format!("removing the target's data of {whose}"),
        TransferStep::Copying => format!("copying {} of {whose}", kind.as_str()),
        TransferStep::Comparing => format!("comparing {} of {whose}", kind.as_str()),
        TransferStep::LookingAgain => format!("checking {} of {whose} again", kind.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_now_and_then() {
        let check = |rows, said: &[(u64, u64, Option<&str>)]| {
            let mut lines = Lines { rows, ..Lines::default() };
            for (further, now_us, expect) in said {
                assert_eq!(lines.further(*further, *now_us).as_deref(), *expect, "{now_us}");
            }
        };
        check(
            Some(1_000),
            &[
                (100, 1_000_000, None),
                (400, 5_000_000, Some("500 of 1000 rows, 100 a second, 5 s left")),
                (100, 9_000_000, None),
                (600, 12_000_000, Some("1200 of 1200 rows, 100 a second, 0 s left")),
            ],
        );
        check(None, &[(0, 6_000_000, Some("0 rows, 0 a second"))]);
    }
}
