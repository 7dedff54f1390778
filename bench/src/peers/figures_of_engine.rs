//! What is measured of one engine. It computes nothing but quantiles, and decides no ratio: that is `table`'s.

use std::time::Duration;

use serde::Serialize;

use crate::figures::{Latencies, Quantiles};
use crate::recall::Row;

/// One engine's figures.
#[derive(Debug, Serialize)]
pub(super) struct EngineFigures {
    pub(super) name: String,
    pub(super) version: String,
    /// How it searches, in a few words.
    pub(super) search: &'static str,
    pub(super) quality: Vec<Quality>,
    pub(super) scales: Vec<ScaleFigures>,
    /// Bytes of program, dependencies and model on disk.
    pub(super) installed_bytes: u64,
    pub(super) packages: usize,
    /// What did not work, as it was said.
    pub(super) failures: Vec<String>,
}

/// Recall on one set.
#[derive(Debug, Serialize)]
pub(super) struct Quality {
    pub(super) set: String,
    /// A note for the reader, such as what the weights were fitted on.
    pub(super) note: &'static str,
    pub(super) all: Row,
}

/// Speed and size at one number of records.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ScaleFigures {
    /// Records asked for.
    pub(super) asked: usize,
    /// With the model.
    pub(super) with_model: Option<Ingest>,
    /// Vectors at hand (peers); stored and found by words (Loci).
    pub(super) without_model: Option<Ingest>,
    pub(super) serve: Option<Serve>,
    pub(super) disk_bytes: u64,
}

impl ScaleFigures {
    /// These figures for a larger number of records, if time ended before this one was reached.
    pub(super) fn cut_short(&self, asked: usize) -> Option<Self> {
        let reached = self.without_model.as_ref().map_or(usize::MAX, |ingest| ingest.records);
        (reached < self.asked && asked > self.asked).then(|| Self { asked, ..self.clone() })
    }
}

/// A load until durable and searchable.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Ingest {
    /// Records reached.
    pub(super) records: usize,
    pub(super) seconds: f64,
    pub(super) resident_bytes: u64,
}

impl Ingest {
    pub(super) fn per_second(&self) -> f64 {
        self.records as f64 / self.seconds.max(f64::EPSILON)
    }
}

/// Searches on the store as it was left, by a process started anew.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Serve {
    /// From the start of the process to its first answer.
    pub(super) first_answer_ms: f64,
    pub(super) whole: Quantiles,
    pub(super) without_embedding: Quantiles,
    pub(super) embedding: Quantiles,
    pub(super) resident_bytes: u64,
}

impl Serve {
    /// From calls as (whole, embedding of the question).
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
