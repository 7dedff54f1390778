//! `fact_mark`: a text that changes whenever other facts of a repository are served, for listeners.
//! It contains nothing of the facts, and its cost is that of counting in an index.

use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Result, Timestamp};

use crate::Verified;
use crate::repositories::find;
use loci_engine::calls::call_context::CallContext;

impl Verified {
    /// Returns a mark of a repository's facts. The mark changes when a fact is stored or confirmed,
    /// or changes its state.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`.
    pub async fn fact_mark(&self, caller: &Principal, standing: &CallContext, repo: &str) -> Result<String> {
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &caller, &memory, &repo, Capability::Read)?;
                let stand = tx.facts().by_status(&memory, &found.repository.id)?;
                let one = |(state, count, last): &(RecordState, u64, Timestamp)| {
                    format!("{} {count} {}", state.as_str(), last.millis())
                };
                Ok(stand.iter().map(one).collect::<Vec<_>>().join(", "))
            })
            .await
    }
}
