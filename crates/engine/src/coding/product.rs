//! The product value: what coding memory adds to the kernel.

use std::sync::Arc;

use loci_model::job::exchange::Step;

use super::hooks::Hooks;
use super::preferences::People;
use super::reflection::model;
use super::rules::extracting::asking;
use super::settings::CodingSettings;
use super::{jobs, sweep};
use crate::hooks::{Product, QuestionKind};

/// Returns what coding memory adds to the kernel.
pub(crate) fn product(settings: &CodingSettings) -> Product {
    let hooks = Arc::new(Hooks { settings: settings.clone() });
    Product {
        name: "coding",
        records: Some(hooks.clone()),
        events: Some(hooks),
        people: Some(Arc::new(People)),
        jobs: vec![
            Arc::new(jobs::reviews::ForgeHook),
            Arc::new(jobs::reviews::ReviewPoll),
            Arc::new(jobs::reviews::ReviewBackfill),
            Arc::new(jobs::review_rules::ReviewRules),
            Arc::new(jobs::co_change::CoChangeHistory),
            Arc::new(jobs::repository_reflection::RepositoryReflection),
        ],
        sweeps: vec![Arc::new(sweep::ReviewSweep), Arc::new(sweep::RuleSweep)],
        prompts: vec![&model::REFLECT],
        questions: vec![QuestionKind {
            step: Step::ReviewRules,
            quotes_records: false,
            entries: Some(asking::entries),
        }],
        ..Product::default()
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use crate::coding::reflection::model::REFLECT;

    /// Records name their prompt: what a version says may not change.
    #[test]
    fn released_words_stay() {
        let id = REFLECT.id(None).unwrap();
        let digest = hex::encode(Sha256::digest(REFLECT.text));
        assert_eq!((id.as_str(), &digest[..16]), ("repository.reflect@1", "1423fbcf524f1e0c"));
    }
}
