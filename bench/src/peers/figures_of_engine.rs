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
#[derive(Debug, Serialize)]
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
#[derive(Debug, Serialize)]
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
