//! Safeguards of a repository's memory: quarantine, decisions about waiting records, rollback to an
//! earlier state, and erasure. Each requires administration of the repository's part of the memory.
//!
//! | file | idea |
//! |---|---|
//! | `selection` | selects records: by ids, words, task, person, time |
//! | `repository_quarantine` | quarantine and release |
//! | `held_records` | records that wait for a person |
//! | `snapshots` | the states available for a rollback |
//! | `state_history` | the state of a record at an earlier time: pure |
//! | `rollback`, `rollback_plan` | the rollback, and its effect on each record |
//! | `purge` | erasure, including quotations of the erased records |
//! | `review_words` | searches reviews for purged words |
//!
//! Quarantined records are kept and can be released. Rolled-back records are kept and can be
//! restored. Purged records are erased permanently.

mod held_records;
mod purge;
mod repository_quarantine;
mod review_words;
mod rollback;
mod rollback_plan;
mod selection;
mod snapshots;
mod state_history;

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, MemoryId, Result};
use loci_verified::find_repository;

use super::tasks::task_namespaces;
use crate::Coding;

pub use held_records::HeldDecision;
pub use purge::PurgeAsk;
pub use repository_quarantine::RepositoryQuarantineAsk;
pub use selection::Selection;
pub(super) use state_history::state_at;

/// A repository's part of a memory.
#[derive(Debug, Clone)]
struct RepositoryShare {
    memory: MemoryId,
    actor: ActorId,
}

impl Coding {
    /// Returns the part of a named repository, if the caller has the capability on all of it.
    async fn part(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        capability: Capability,
    ) -> Result<RepositoryShare> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let repository = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                let actor = task_namespaces::actor_of(&repository)?;
                task_namespaces::require_all(&caller, &memory, &actor, capability)?;
                Ok(RepositoryShare { memory: memory.clone(), actor })
            })
            .await
    }
}
