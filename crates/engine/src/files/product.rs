//! The product value: what documents adds to the kernel.

use std::sync::Arc;

use super::jobs;
use crate::hooks::Product;

/// Returns what documents adds to the kernel.
pub(crate) fn product() -> Product {
    Product { name: "documents", jobs: vec![Arc::new(jobs::tree_plan::TreePlan)] }
}
