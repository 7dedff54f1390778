//! `fact_mark`: how a repository's facts stand, in a text that is another as soon as others are served, for who listens. It says
//! nothing of what they are, and costs counting in an index: nothing is read of the facts themselves.

use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Result, Timestamp};

use crate::Verified;
use crate::repositories::find;
use loci_engine::calls::standing::Standing;

impl Verified {
    /// How a repository's facts stand: it is another text where one was stored, confirmed, or came to stand elsewhere.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`.
    pub async fn fact_mark(&self, caller: &Principal, standing: &Standing, repo: &str) -> Result<String> {
        let memory = self.code_memory(caller, standing).await?;
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
