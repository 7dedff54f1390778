//! The product value: what coding memory adds to the kernel.

use std::sync::Arc;

use super::jobs;
use crate::hooks::Product;

/// Returns what coding memory adds to the kernel.
pub(crate) fn product() -> Product {
    Product {
        name: "coding",
        jobs: vec![
            Arc::new(jobs::reviews::ForgeHook),
            Arc::new(jobs::reviews::ReviewPoll),
            Arc::new(jobs::reviews::ReviewBackfill),
            Arc::new(jobs::review_rules::ReviewRules),
            Arc::new(jobs::co_change::CoChangeHistory),
            Arc::new(jobs::repository_reflection::RepositoryReflection),
        ],
    }
}
