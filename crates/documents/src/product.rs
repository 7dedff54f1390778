//! The parts of the documents product, and their registration with the kernel.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use loci_engine::calls::long_work::{LongWork, LongWorkCount};
use loci_engine::hooks::{Product, QuestionKind};
use loci_model::job::exchange::Step;

use crate::document::read_counts::ReadCounts;
use crate::hooks::Hooks;
use crate::mirror::Mirrors;
use crate::settings::DocumentsSettings;
use crate::trees::tree_view::Trees;
use crate::{background, jobs, shelves};

/// The parts of the documents product: the settings, and the state of trees and mirrors in this
/// process.
#[derive(Clone)]
pub struct DocumentsParts {
    pub(crate) settings: Arc<DocumentsSettings>,
    pub(crate) trees: Arc<Trees>,
    pub(crate) mirrors: Arc<Mirrors>,
    pub(crate) reads: Arc<ReadCounts>,
    /// The number of checks for trees that are due for consolidation.
    pub(crate) upkeep_turns: Arc<AtomicUsize>,
    /// The thread that plans consolidation of trees.
    pub(crate) plan_work: Arc<LongWork>,
}

impl DocumentsParts {
    /// Returns the parts with these settings. The planning of consolidation counts as the engine's
    /// long-running work.
    pub fn new(settings: DocumentsSettings, long_work_count: LongWorkCount) -> Self {
        Self {
            settings: Arc::new(settings),
            trees: Arc::default(),
            mirrors: Arc::default(),
            reads: Arc::default(),
            upkeep_turns: Arc::default(),
            plan_work: LongWork::counted(long_work_count),
        }
    }

    /// Returns the registration of the documents product with the kernel.
    pub fn product(&self) -> Product {
        let hooks = Arc::new(Hooks { parts: self.clone() });
        Product {
            name: "documents",
            records: Some(hooks.clone()),
            copies: Some(hooks),
            jobs: vec![Arc::new(jobs::tree_plan::TreePlan { parts: self.clone() })],
            shelves: shelves::shelves(),
            sweeps: vec![Arc::new(background::TreeSweep { parts: self.clone() })],
            loops: vec![
                Arc::new(background::MirrorLoop { parts: self.clone() }),
                Arc::new(background::ReadCountLoop { parts: self.clone() }),
            ],
            // A plan of a tree quotes records of any strategy, and records without one.
            questions: vec![QuestionKind { step: Step::TreePlan, quotes_records: true, entries: None }],
            ..Product::default()
        }
    }
}
