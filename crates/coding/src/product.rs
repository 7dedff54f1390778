//! The parts of coding memory, and its registration with the kernel.

use std::sync::Arc;

use loci_engine::Engine;
use loci_engine::hooks::{Product, QuestionKind};
use loci_model::job::exchange::Step;
use loci_verified::{RepositoryHooks, Verified, VerifiedParts};

use crate::Coding;
use crate::code_graph::co_change::Graphs;
use crate::code_graph::dependencies::ImportGraphs;
use crate::hooks::{Hooks, OnRepositories};
use crate::preferences::People;
use crate::reflection::model;
use crate::rules::extraction::model_question;
use crate::settings::CodingSettings;
use crate::{jobs, shelves, sweep};

/// The parts of coding memory: its settings, and the code graphs that this process caches.
#[derive(Clone)]
pub struct CodingParts {
    pub(crate) settings: Arc<CodingSettings>,
    pub(crate) graphs: Arc<Graphs>,
    pub(crate) imports: Arc<ImportGraphs>,
}

impl CodingParts {
    /// Returns the parts with these settings.
    pub fn new(settings: CodingSettings) -> Self {
        Self { settings: Arc::new(settings), graphs: Arc::default(), imports: Arc::default() }
    }

    /// Returns the hooks of coding memory for the repositories of verified memory.
    pub fn repository_hooks(&self) -> Arc<dyn RepositoryHooks> {
        Arc::new(OnRepositories { parts: self.clone() })
    }

    /// Returns the registration of coding memory with the kernel, over verified memory.
    pub fn product(&self, verified: &VerifiedParts) -> Product {
        let registered = Registered { parts: self.clone(), verified: verified.clone() };
        let hooks = Arc::new(Hooks { parts: self.clone() });
        Product {
            name: "coding",
            records: Some(hooks.clone()),
            events: Some(hooks),
            people: Some(Arc::new(People { registered: registered.clone() })),
            jobs: jobs::handlers(&registered),
            shelves: shelves::shelves(),
            sweeps: vec![
                Arc::new(sweep::ReviewSweep { registered: registered.clone() }),
                Arc::new(sweep::RuleSweep { registered }),
            ],
            prompts: vec![&model::REFLECT],
            questions: vec![QuestionKind {
                step: Step::ReviewRules,
                quotes_records: false,
                entries: Some(model_question::entries),
            }],
            ..Product::default()
        }
    }
}

/// The parts that were registered with the kernel: a hook builds coding memory from them, over the
/// engine that calls it.
#[derive(Clone)]
pub(crate) struct Registered {
    pub(crate) parts: CodingParts,
    pub(crate) verified: VerifiedParts,
}

impl std::fmt::Debug for Registered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registered").finish_non_exhaustive()
    }
}

impl Registered {
    pub(crate) fn coding(&self, engine: &Engine) -> Coding {
        Coding::new(Verified::new(engine.clone(), &self.verified), &self.parts)
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use crate::reflection::model::REFLECT;

    /// Records name their prompt, so the text of a version may not change.
    #[test]
    fn released_words_stay() {
        let id = REFLECT.id(None).unwrap();
        let digest = hex::encode(Sha256::digest(REFLECT.text));
        assert_eq!((id.as_str(), &digest[..16]), ("repository.reflect@1", "1423fbcf524f1e0c"));
    }
}
