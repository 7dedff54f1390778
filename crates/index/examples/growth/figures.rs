//! What is measured, and how latencies are summed up.

use std::time::Duration;

use crate::snapshots::Snapshot;

/// Latencies of one kind of call.
#[derive(Debug, Default, Clone)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    /// One more call.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// The call of a number, made once more: the fastest counts.
    pub(crate) fn add_again(&mut self, call: usize, took: Duration) {
        match self.0.get_mut(call) {
            Some(before) => *before = took.min(*before),
            None => self.0.push(took),
        }
    }

    /// The latency below which a share of the calls lies, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let took = sorted.get((share * last as f64).round() as usize).copied().unwrap_or_default();
        took.as_secs_f64() * 1_000.0
    }
}

/// The kinds of questions that are asked under every filter.
pub(crate) const KINDS: [&str; 4] = ["vector, 200", "four words, 200", "question, all views", "all together"];

/// One filter.
#[derive(Debug)]
pub(crate) struct Filtered {
    pub(crate) name: String,
    pub(crate) passages: u64,
    /// By [`KINDS`].
    pub(crate) latencies: [Latencies; 4],
    /// At 10, of the checked questions, against exact cosines in the filter; `None` where it takes nothing.
    pub(crate) recall: Option<f64>,
}

impl Filtered {
    /// Nothing measured yet.
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), passages: 0, latencies: Default::default(), recall: None }
    }
}

/// How many of the ten nearest by exact cosines, on average over the questions.
#[derive(Debug)]
pub(crate) struct Recall {
    /// Are among the ten nearest by the index.
    pub(crate) at_10: f64,
    /// Are anywhere in its list.
    pub(crate) within: f64,
}

/// One size.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) size: u64,
    /// Seconds of all changes so far.
    pub(crate) build_seconds: f64,
    /// By `MemoryIndex::bytes`, per passage.
    pub(crate) bytes_counted: f64,
    /// What the process has grown by, per passage.
    pub(crate) bytes_resident: f64,
    pub(crate) changes: Latencies,
    /// By [`KINDS`], no filter, the first time the question is asked. All others are of questions asked before.
    pub(crate) first: [Latencies; 4],
    pub(crate) vector_400: Latencies,
    pub(crate) recall_200: Recall,
    pub(crate) recall_400: Recall,
    /// The first is no filter.
    pub(crate) filtered: Vec<Filtered>,
    pub(crate) snapshot: Snapshot,
    /// Answers that differ from brute force.
    pub(crate) wrong: Vec<String>,
}
