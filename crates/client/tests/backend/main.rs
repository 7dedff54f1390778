//! The conformance suite of file backends against the backends of this crate, and against an
//! intentionally broken one.

#![cfg(test)]

mod broken_backend;
mod http_client;
mod http_form;
mod ready_backends;

use std::sync::Arc;

use loci_client::backend::FileBackend;
use loci_client::backend::conformance::{CheckOutcome, ConformanceReport, run_conformance};

/// A runtime with several threads, so that writers race.
fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

/// Runs the suite. Each test has a new backend, so one name of a run is enough.
async fn report(backend: Arc<dyn FileBackend>, directory: &str) -> ConformanceReport {
    run_conformance(backend, directory, "run1").await.unwrap()
}

/// Returns the failed checks with their promises and answers.
fn faults(report: &ConformanceReport) -> String {
    let failed = report.checks.iter().filter_map(|check| match &check.outcome {
        CheckOutcome::Failed { expected, found } => {
            Some(format!("{}: expected {expected}; found {found}\n", check.name))
        }
        CheckOutcome::Passed | CheckOutcome::Skipped { .. } => None,
    });
    failed.collect()
}
