//! The report of a run: every check with its outcome.

use serde::Serialize;

use crate::backend::file_backend::BackendCapabilities;

/// The outcome of a conformance check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum CheckOutcome {
    /// The backend meets the requirement.
    Passed,
    /// The backend violates the requirement.
    Failed {
        /// The behaviour that the contract requires.
        expected: String,
        /// The behaviour of the backend.
        found: String,
    },
    /// The check was skipped, because the backend lacks a capability.
    Skipped {
        /// The capability that the check needs.
        reason: String,
    },
}

/// A conformance check with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckResult {
    /// The name of the check.
    pub name: String,
    /// The outcome of the check.
    #[serde(flatten)]
    pub outcome: CheckOutcome,
}

/// The result of a conformance run: all checks, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConformanceReport {
    /// The capabilities that the backend announced.
    pub capabilities: BackendCapabilities,
    /// The checks with their outcomes.
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
