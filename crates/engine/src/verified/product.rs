//! The product value: what verified memory adds to the kernel.

use std::sync::Arc;

use super::jobs;
use crate::hooks::Product;

/// Returns what verified memory adds to the kernel.
pub(crate) fn product() -> Product {
    Product { name: "verified", jobs: vec![Arc::new(jobs::cite::Cite), Arc::new(jobs::verify::Verify)] }
}
