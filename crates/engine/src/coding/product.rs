//! The product value: what coding memory adds to the kernel.

use std::sync::Arc;

use super::hooks::Hooks;
use super::jobs;
use super::settings::CodingSettings;
use crate::hooks::Product;

/// Returns what coding memory adds to the kernel.
pub(crate) fn product(settings: &CodingSettings) -> Product {
    let hooks = Arc::new(Hooks { settings: settings.clone() });
    Product {
        name: "coding",
        records: Some(hooks.clone()),
        events: Some(hooks),
        jobs: vec![
            Arc::new(jobs::reviews::ForgeHook),
            Arc::new(jobs::reviews::ReviewPoll),
            Arc::new(jobs::reviews::ReviewBackfill),
            Arc::new(jobs::review_rules::ReviewRules),
            Arc::new(jobs::co_change::CoChangeHistory),
            Arc::new(jobs::repository_reflection::RepositoryReflection),
        ],
        ..Product::default()
    }
}
