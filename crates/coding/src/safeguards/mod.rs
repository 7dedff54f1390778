//! What keeps a repository's memory safe: holding back what somebody doubts, deciding about
//! what waits, going back to an earlier state, and erasing. Each is for whoever administers the repository's part of the memory.
//!
//! | file | idea |
//! |---|---|
//! | `selecting` | which records are meant: by ids, words, task, person, time |
//! | `repository_quarantine` | holding back, and letting go |
//! | `held` | what waits for a person |
//! | `snapshots` | the states that one can go back to |
//! | `earlier` | what stood at an earlier time: pure |
//! | `rollback`, `undoing` | going back, and what that does to each record |
//! | `purge` | erasing, with everything that quotes what is erased |
//! | `review_words` | words that are purged, looked for in reviews |
//!
//! What is held back is kept and can be let go; what is rolled back is kept and can be brought back; what is purged is gone.

mod earlier;
mod held;
mod purge;
mod repository_quarantine;
mod review_words;
mod rollback;
mod selecting;
mod snapshots;
mod undoing;

use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result};
use loci_verified::find_repository;

use super::tasks::task_namespaces;
use crate::Coding;

pub(super) use earlier::state_at;
pub use held::HeldDecision;
pub use purge::PurgeAsk;
pub use repository_quarantine::RepositoryQuarantineAsk;
pub use selecting::Selection;

/// A repository's part of a memory.
#[derive(Debug, Clone)]
struct Part {
    memory: MemoryId,
    actor: ActorId,
}

impl Coding {
    /// The repository that is meant, for whoever may do that with all of it.
    async fn part(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
        capability: Capability,
    ) -> Result<Part> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, capability)?;
                Ok(Part { memory: memory.clone(), actor })
            })
            .await
    }
}
