//! The product value: what verified memory adds to the kernel.

use std::sync::Arc;

use super::hooks::Hooks;
use super::jobs;
use super::sweep::FactSweep;
use crate::hooks::Product;

/// Returns what verified memory adds to the kernel.
pub(crate) fn product() -> Product {
    Product {
        name: "verified",
        records: Some(Arc::new(Hooks)),
        jobs: vec![Arc::new(jobs::cite::Cite), Arc::new(jobs::verify::Verify)],
        sweeps: vec![Arc::new(FactSweep)],
        ..Product::default()
    }
}
