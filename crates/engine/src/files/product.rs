//! The product value: what documents adds to the kernel.

use std::sync::Arc;

use loci_model::job::exchange::Step;

use super::documents::read_counts::ReadCounts;
use super::hooks::Hooks;
use super::{background, jobs};
use crate::hooks::{Product, QuestionKind};

/// Returns what documents adds to the kernel.
pub(crate) fn product(reads: &Arc<ReadCounts>) -> Product {
    let hooks = Arc::new(Hooks { reads: Arc::clone(reads) });
    Product {
        name: "documents",
        records: Some(hooks.clone()),
        copies: Some(hooks),
        jobs: vec![Arc::new(jobs::tree_plan::TreePlan)],
        sweeps: vec![Arc::new(background::TreeSweep)],
        loops: vec![Arc::new(background::MirrorLoop), Arc::new(background::ReadCountLoop)],
        // A plan of a tree quotes records of any strategy, and of none.
        questions: vec![QuestionKind { step: Step::TreePlan, quotes_records: true, entries: None }],
        ..Product::default()
    }
}
