//! The measured figures, and the summary of latencies.

use std::time::Duration;

use crate::snapshots::Snapshot;

/// Latencies of one kind of request.
#[derive(Debug, Default, Clone)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    /// Adds a request.
    pub(crate) fn add(&mut self, took: Duration) {
        self.0.push(took);
    }

    /// Adds a repetition of a request: the fastest counts.
    pub(crate) fn add_again(&mut self, call: usize, took: Duration) {
        match self.0.get_mut(call) {
            Some(before) => *before = took.min(*before),
            None => self.0.push(took),
        }
    }

    /// Returns a quantile of the latencies, in milliseconds.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let took = sorted.get((share * last as f64).round() as usize).copied().unwrap_or_default();
        took.as_secs_f64() * 1_000.0
    }
}

/// The kinds of questions that are sent with every filter.
pub(crate) const KINDS: [&str; 4] = ["vector, 200", "four words, 200", "question, all views", "all together"];

/// The figures of one filter.
#[derive(Debug)]
pub(crate) struct Filtered {
    pub(crate) name: String,
    pub(crate) passages: u64,
    /// Latencies by [`KINDS`].
    pub(crate) latencies: [Latencies; 4],
    /// Recall at 10 of the checked questions, against exact cosines within the filter; `None` if
    /// the filter admits no rows.
    pub(crate) recall: Option<f64>,
}

impl Filtered {
    /// Returns empty figures.
    pub(crate) fn of(name: &str) -> Self {
        Self { name: name.to_owned(), passages: 0, latencies: Default::default(), recall: None }
    }
}

/// The number of the ten nearest rows by exact cosine that the index finds, averaged over the
/// questions.
#[derive(Debug)]
pub(crate) struct Recall {
    /// Those among the ten nearest by the index.
    pub(crate) at_10: f64,
    /// Those anywhere in its list.
    pub(crate) within: f64,
}

/// The figures of one size.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) size: u64,
    /// The total time of all changes so far, in seconds.
    pub(crate) build_seconds: f64,
    /// Bytes per passage according to `MemoryIndex::bytes`.
    pub(crate) bytes_counted: f64,
    /// Growth of the process's resident memory, in bytes per passage.
    pub(crate) bytes_resident: f64,
    pub(crate) changes: Latencies,
    /// Latencies by [`KINDS`] without a filter, for the first request of each question. All other
    /// latencies are of repeated questions.
    pub(crate) first: [Latencies; 4],
    pub(crate) vector_400: Latencies,
    pub(crate) recall_200: Recall,
    pub(crate) recall_400: Recall,
    /// Figures by filter. The first one is without a filter.
    pub(crate) filtered: Vec<Filtered>,
    pub(crate) snapshot: Snapshot,
    /// Results that differ from brute force.
    pub(crate) wrong: Vec<String>,
}
