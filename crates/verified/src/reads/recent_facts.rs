//! `facts_recent`: the facts of a repository, most recently confirmed first.

use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, Result};

use super::answers::FactList;
use crate::Verified;
use crate::facts::fact_record::{Remembered, join};
use crate::repositories::code_access::check_ref;
use crate::repositories::find;
use crate::serving_policy::missing_code;
use crate::serving_policy::served_facts::FactReadOptions;
use loci_engine::calls::call_context::CallContext;

/// The maximum number of facts that one call returns.
pub const FACTS_MAX: u32 = 200;

impl Verified {
    /// Returns facts of a repository, at most `limit` (1 to 200). It also verifies facts that are
    /// quarantined because their code was gone.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `REF_NOT_FOUND` for a named revision that does not exist.
    pub async fn facts_recent(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        limit: u32,
        mut serving: FactReadOptions,
    ) -> Result<FactList> {
        serving.most = Some(limit);
        serving.reference.as_deref().map_or(Ok(()), check_ref)?;
        let (repository, facts) = self.found_recent(caller, standing, repo, limit).await?;
        self.serve(caller, standing, &repository, facts, &serving).await
    }

    /// Returns the facts to verify.
    pub(crate) async fn found_recent(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        limit: u32,
    ) -> Result<(Repository, Vec<Remembered>)> {
        let limit = check_limit(limit)?;
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, name) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let mut facts = tx.facts().list(&FactPage {
                    memory: memory.clone(),
                    repository: found.repository.id.clone(),
                    statuses: vec![RecordState::Active],
                    choice: FactChoice::Stored,
                    after: None,
                    limit,
                })?;
                let room = (FACTS_MAX as usize).saturating_sub(facts.len());
                facts.extend(missing_code::of(tx, &memory, &found.repository.id, room)?);
                missing_code::order(&mut facts);
                let facts = join(tx, &memory, &found.view, facts)?;
                Ok((found.repository, facts))
            })
            .await
    }
}

pub(super) fn check_limit(limit: u32) -> Result<usize> {
    if (1..=FACTS_MAX).contains(&limit) {
        Ok(limit as usize)
    } else {
        Err(Error::invalid("limit", format!("limit must be 1 to {FACTS_MAX}")))
    }
}
