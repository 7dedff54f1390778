//! `facts_with_proposed`: what is known about a repository, with records whose citations are only proposed: for hydration, and
//! for people who look through proposals. Everything is verified before it is shown; the tools never read this.

use std::collections::HashSet;

use loci_model::ports::store::{FactPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, Result};

use super::answers::{FactList, VerifyMode};
use super::code_reading::check_ref;
use super::content_hash;
use super::recent::check_limit;
use super::remembered::{Remembered, join};
use super::repositories::{Found, find};
use super::serving::Serving;
use super::standing::Standing;
use crate::Engine;
use crate::memories::existing;

impl Engine {
    /// Facts of a repository and then proposals, each confirmed last first, at most `limit` (1 to 200). A proposal that cannot
    /// be verified now is kept back, as is one that says what a fact says.
    ///
    /// # Errors
    /// As [`Engine::facts_recent`]; `Invalid` where nothing is to be verified.
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
    /// As [`Engine::facts_with_proposed`].
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
            .store
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let mut facts = both(tx, &found, limit)?;
                facts.retain(|one| with_stored || one.fact.proposed);
                facts.truncate(limit);
                Ok((found.repository, facts))
            })
            .await?;
        self.serve(caller, standing, &repository, facts, &serving).await
    }
}

/// Up to `limit` stored facts first, then up to as many proposals that say something else.
fn both(tx: &dyn ReadTx, found: &Found, limit: usize) -> Result<Vec<Remembered>> {
    let page = |proposed: bool, limit: usize| FactPage {
        memory: found.repository.memory.clone(),
        repository: found.repository.id.clone(),
        statuses: vec![RecordState::Active],
        proposed,
        after: None,
        limit,
    };
    let memory = &found.repository.memory;
    let stored = tx.facts().list(&page(false, limit))?;
    let mut proposed = tx.facts().list(&page(true, limit + stored.len()))?;
    proposed.retain(|fact| fact.proposed);
    let mut facts = join(tx, memory, &found.view, stored)?;
    let known: HashSet<String> = facts.iter().map(|one| content_hash("", &one.record.text)).collect();
    let proposed = join(tx, memory, &found.view, proposed)?;
    let new = proposed.into_iter().filter(|one| !known.contains(&one.fact.content_hash));
    facts.extend(new.take(limit));
    Ok(facts)
}
