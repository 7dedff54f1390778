//! The report of a run: every check with its outcome.

use serde::Serialize;

use crate::backend::file_backend::BackendCapabilities;

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CheckOutcome {
    /// The backend keeps the promise of the port.
    Passed,
    /// The backend breaks the promise.
    Failed {
        /// The promise.
        expected: String,
        /// The answer of the backend.
        found: String,
    },
    /// The check needs an absent capability.
    Skipped {
        /// The capability.
        reason: String,
    },
}

/// A check and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The name of the check.
    pub name: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
}

/// All checks of a run, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConformanceReport {
    /// The capabilities that the backend announced.
    pub capabilities: BackendCapabilities,
    /// The checks.
    pub checks: Vec<CheckResult>,
}

impl ConformanceReport {
    /// Returns the names of the checks that failed.
    pub fn failed(&self) -> Vec<&str> {
        let failed = |check: &&CheckResult| matches!(check.outcome, CheckOutcome::Failed { .. });
        self.checks.iter().filter(failed).map(|check| check.name.as_str()).collect()
    }

    /// Returns the names of the checks that were skipped.
    pub fn skipped(&self) -> Vec<&str> {
        let skipped = |check: &&CheckResult| matches!(check.outcome, CheckOutcome::Skipped { .. });
        self.checks.iter().filter(skipped).map(|check| check.name.as_str()).collect()
    }

    /// Returns the number of checks that passed.
    pub fn passed(&self) -> usize {
        self.checks.iter().filter(|check| check.outcome == CheckOutcome::Passed).count()
    }
}
