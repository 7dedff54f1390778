//! `facts_proposed`: records about a repository whose citations are only proposed, for human
//! review. Everything is verified before it is shown; the tools never read it.

use std::collections::HashSet;

use loci_engine::memories::existing;
use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactChoice, FactPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{RecordId, Result, Timestamp};

use super::answers::FactList;
use super::recent_facts::{FACTS_MAX, check_limit};
use crate::Verified;
use crate::content_hash;
use crate::facts::fact_record::{Remembered, join};
use crate::repositories::code_access::check_ref;
use crate::repositories::{VisibleRepository, find};
use crate::serving_policy::served_facts::FactReadOptions;
use loci_engine::calls::call_context::CallContext;

impl Verified {
    /// Returns the proposals of a repository for human review, most recently confirmed first, at
    /// most `limit` (1 to 200). It withholds a proposal that cannot be verified now, and one whose
    /// text equals one of the 200 most recently confirmed facts.
    ///
    /// # Errors
    /// As [`Verified::facts_recent`].
    pub async fn facts_proposed(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        limit: u32,
        reference: Option<String>,
    ) -> Result<FactList> {
        let limit = check_limit(limit)?;
        reference.as_deref().map_or(Ok(()), check_ref)?;
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, name) = (caller.clone(), repo.to_owned());
        let (repository, facts) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let stored = join(tx, &memory, &found.view, listed(tx, &found, FactChoice::Stored, None)?)?;
                let said = stored.iter().map(|one| content_hash("", &one.record.text)).collect();
                let facts = proposals(tx, &found, &said, limit)?;
                Ok((found.repository, facts))
            })
            .await?;
        let serving = FactReadOptions { reference, ..FactReadOptions::default() };
        self.serve(caller, standing, &repository, facts, &serving).await
    }
}

/// Returns one page of active facts of a repository after `after`, most recently confirmed first.
fn listed(
    tx: &dyn ReadTx,
    found: &VisibleRepository,
    choice: FactChoice,
    after: Option<(Timestamp, RecordId)>,
) -> Result<Vec<Fact>> {
    tx.facts().list(&FactPage {
        memory: found.repository.memory.clone(),
        repository: found.repository.id.clone(),
        statuses: vec![RecordState::Active],
        choice,
        after,
        limit: FACTS_MAX as usize,
    })
}

/// Returns at most `limit` proposals that the caller may see and that repeat no stored fact.
/// Excluded proposals do not count towards the limit.
fn proposals(
    tx: &dyn ReadTx,
    found: &VisibleRepository,
    said: &HashSet<String>,
    limit: usize,
) -> Result<Vec<Remembered>> {
    let (mut proposals, mut after) = (Vec::new(), None);
    while proposals.len() < limit {
        let page = listed(tx, found, FactChoice::Proposed, after)?;
        after = page.last().map(|fact| (fact.refreshed_at, fact.record.clone()));
        let is_last = page.len() < FACTS_MAX as usize;
        let joined = join(tx, &found.repository.memory, &found.view, page)?.into_iter();
        proposals.extend(joined.filter(|one| !said.contains(&one.fact.content_hash)));
        if is_last {
            break;
        }
    }
    proposals.truncate(limit);
    Ok(proposals)
}
