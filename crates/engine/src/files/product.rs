//! The product value: what documents adds to the kernel.

use std::sync::Arc;

use super::hooks::Hooks;
use super::jobs;
use crate::hooks::Product;

/// Returns what documents adds to the kernel.
pub(crate) fn product() -> Product {
    Product {
        name: "documents",
        records: Some(Arc::new(Hooks)),
        jobs: vec![Arc::new(jobs::tree_plan::TreePlan)],
        ..Product::default()
    }
}
