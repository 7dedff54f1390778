//! The figures of one engine. It computes only quantiles; `table` computes the ratios.

use std::time::Duration;

use serde::Serialize;

use crate::figures::{Latencies, Quantiles};
use crate::recall::RecallRow;

/// One engine's figures.
#[derive(Debug, Serialize)]
pub(super) struct EngineFigures {
    pub(super) name: String,
    pub(super) version: String,
    /// A short description of its search.
    pub(super) search: &'static str,
    pub(super) quality: Vec<Quality>,
    pub(super) scales: Vec<ScaleFigures>,
    /// The size of program, dependencies and model on disk, in bytes.
    pub(super) installed_bytes: u64,
    pub(super) packages: usize,
    /// The messages of failures.
    pub(super) failures: Vec<String>,
}

/// Recall on one set.
#[derive(Debug, Serialize)]
pub(super) struct Quality {
    pub(super) set: String,
    /// A note for the reader, such as the data on which the weights were fitted.
    pub(super) note: &'static str,
    pub(super) all: RecallRow,
}

/// Speed and size at one number of records.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ScaleFigures {
    /// The requested number of records.
    pub(super) asked: usize,
    /// The load with the model.
    pub(super) with_model: Option<Ingest>,
    /// The load without the model: with given vectors (peers), or until stored and found by words
    /// (Loci).
    pub(super) without_model: Option<Ingest>,
    pub(super) serve: Option<Serve>,
    pub(super) disk_bytes: u64,
}

impl ScaleFigures {
    /// Returns these figures for a larger number of records, if the time limit ended this load
    /// early.
    pub(super) fn cut_short(&self, asked: usize) -> Option<Self> {
        let reached = self.without_model.as_ref().map_or(usize::MAX, |ingest| ingest.records);
        (reached < self.asked && asked > self.asked).then(|| Self { asked, ..self.clone() })
    }
}

/// A load until durable and searchable.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Ingest {
    /// The number of loaded records.
    pub(super) records: usize,
    pub(super) seconds: f64,
    pub(super) resident_bytes: u64,
}

impl Ingest {
    pub(super) fn per_second(&self) -> f64 {
        self.records as f64 / self.seconds.max(f64::EPSILON)
    }
}

/// Searches on the finished store, by a restarted process.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Serve {
    /// The time from the start of the process to its first response, in milliseconds.
    pub(super) first_answer_ms: f64,
    pub(super) whole: Quantiles,
    pub(super) without_embedding: Quantiles,
    pub(super) embedding: Quantiles,
    pub(super) resident_bytes: u64,
}

impl Serve {
    /// Computes the figures from calls as (whole, embedding of the question).
    pub(super) fn new(first: Duration, calls: &[(Duration, Duration)], resident_bytes: u64) -> Self {
        let quantiles = |of: fn(&(Duration, Duration)) -> Duration| {
            let mut all = Latencies::default();
            calls.iter().for_each(|call| all.add(of(call)));
            all.quantiles()
        };
        Self {
            first_answer_ms: first.as_secs_f64() * 1000.0,
            whole: quantiles(|call| call.0),
            without_embedding: quantiles(|call| call.0.saturating_sub(call.1)),
            embedding: quantiles(|call| call.1),
            resident_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_that_was_not_reached_stands_for_larger_ones() {
        let check = |records, asked, expect: Option<usize>| {
            let ingest = Ingest { records, seconds: 1.0, resident_bytes: 0 };
            let without_model = Some(ingest);
            let figures =
                ScaleFigures { asked: 10, with_model: None, without_model, serve: None, disk_bytes: 7 };
            assert_eq!(figures.cut_short(asked).map(|figures| figures.asked), expect, "{records} {asked}");
        };
        check(9, 100, Some(100));
        check(10, 100, None);
        check(9, 10, None);
    }

    #[test]
    fn the_embedding_is_taken_off_call_by_call() {
        let calls = [(5, 2), (9, 1), (1, 3)]
            .map(|(whole, embedding)| (Duration::from_millis(whole), Duration::from_millis(embedding)));
        let serve = Serve::new(Duration::from_millis(20), &calls, 0);
        assert_eq!((serve.whole.p50_ms, serve.without_embedding.p50_ms), (5.0, 3.0));
        assert_eq!((serve.without_embedding.max_ms, serve.first_answer_ms), (8.0, 20.0));
    }
}
