//! The jobs of coding memory.
//!
//! To add a job: a file with its handler, and a line in [`handlers`].

pub(crate) mod co_change;
mod dead_letters;
pub(crate) mod repository_reflection;
pub(crate) mod review_rules;
pub(crate) mod reviews;

use std::sync::Arc;

use loci_engine::hooks::JobHandler;

use crate::product::Registered;

/// Returns the handlers of the jobs of coding memory.
pub(crate) fn handlers(registered: &Registered) -> Vec<Arc<dyn JobHandler>> {
    let registered = || registered.clone();
    vec![
        Arc::new(reviews::ForgeHook { registered: registered() }),
        Arc::new(reviews::ReviewPoll { registered: registered() }),
        Arc::new(reviews::ReviewBackfill { registered: registered() }),
        Arc::new(review_rules::ReviewRules { registered: registered() }),
        Arc::new(co_change::CoChangeHistory { registered: registered() }),
        Arc::new(repository_reflection::RepositoryReflection { registered: registered() }),
    ]
}
