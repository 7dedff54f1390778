//! `facts_with_proposed`: what is known about a repository, with records whose citations are only proposed: for hydration, and
//! for people who look through proposals. Everything is verified before it is shown; the tools never read this.

use std::collections::HashSet;

use loci_engine::memories::existing;
use loci_model::facts::fact::Fact;
use loci_model::ports::store::{FactChoice, FactPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, RecordId, Result, Timestamp};

use super::answers::{FactList, VerifyMode};
use super::recent::{FACTS_MAX, check_limit};
use crate::Verified;
use crate::content_hash;
use crate::facts::fact_record::{Remembered, join};
use crate::repositories::code_access::check_ref;
use crate::repositories::{Found, find};
use crate::serving::served_facts::Serving;
use loci_engine::calls::standing::Standing;

impl Verified {
    /// Facts of a repository and then proposals, each confirmed last first, at most `limit` (1 to 200). A proposal that cannot
    /// be verified now is kept back, as is one that says what one of the 200 facts that were confirmed last says.
    ///
    /// # Errors
    /// As [`Verified::facts_recent`]; `Invalid` where nothing is to be verified.
    pub async fn facts_with_proposed(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
        limit: u32,
        serving: Serving,
    ) -> Result<FactList> {
        self.served_with_proposed(caller, standing, repo, (limit, true), serving).await
    }

    /// Proposals alone, for people who look through them.
    ///
    /// # Errors
    /// As [`Verified::facts_with_proposed`].
    pub async fn facts_proposed(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
        limit: u32,
        reference: Option<String>,
    ) -> Result<FactList> {
        let serving = Serving { reference, ..Serving::default() };
        self.served_with_proposed(caller, standing, repo, (limit, false), serving).await
    }

    async fn served_with_proposed(
        &self,
        caller: &Principal,
        standing: &Standing,
        repo: &str,
        (limit, with_stored): (u32, bool),
        serving: Serving,
    ) -> Result<FactList> {
        let limit = check_limit(limit)?;
        if serving.verify == VerifyMode::None {
            let rule = "proposed citations are always verified: verify must be cached or fresh";
            return Err(Error::invalid("verify", rule));
        }
        serving.reference.as_deref().map_or(Ok(()), check_ref)?;
        let memory = self.code_memory(caller, standing).await?;
        let (asking, name) = (caller.clone(), repo.to_owned());
        let (repository, facts) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let stored = join(tx, &memory, &found.view, listed(tx, &found, FactChoice::Stored, None)?)?;
                let said = stored.iter().map(|one| content_hash("", &one.record.text)).collect();
                let shown = if with_stored { limit } else { 0 };
                let mut facts: Vec<Remembered> = stored.into_iter().take(shown).collect();
                let room = limit - facts.len();
                facts.extend(proposals(tx, &found, &said, room)?);
                Ok((found.repository, facts))
            })
            .await?;
        self.serve(caller, standing, &repository, facts, &serving).await
    }
}

/// Active facts of a repository, behind `after`, confirmed last first: as many as one read of them.
fn listed(
    tx: &dyn ReadTx,
    found: &Found,
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

/// Proposals that the caller may see and that say something else than what is `said`, at most `limit`: those that do not count
/// take nobody's place.
fn proposals(
    tx: &dyn ReadTx,
    found: &Found,
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
