//! The product value: what operations memory adds to the kernel.

use std::sync::Arc;

use super::jobs;
use crate::hooks::Product;

/// Returns what operations memory adds to the kernel.
pub(crate) fn product() -> Product {
    Product {
        name: "operations",
        jobs: vec![
            Arc::new(jobs::alert::AlertHook),
            Arc::new(jobs::agent_response::AgentResponse),
            Arc::new(jobs::session_summary::SessionSummary),
        ],
    }
}
