//! Selects the tip of the default branch if several clones of a repository differ. A clone that was
//! not fetched for weeks must not decide about newer facts. The module compares commits;
//! `state_change` draws the consequences.

use std::sync::Arc;

use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodePlace, CodeResult, CodeSource, CodeSources};

use super::code_access::{default_here, read_place};
use super::identity::RepositoryHistory;
use crate::Verified;

/// The relation of a tip to the one at which facts were last verified in the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TipRelation {
    /// Behind it, or in a clone that never had it.
    Behind,
    /// Equal to it.
    There,
    /// Elsewhere, in a clone that has it too: the branch moved on, or was rewritten.
    Beyond,
}

/// Returns the relation of a tip to the verified one, as far as this source knows.
pub(super) fn stands(
    source: &dyn CodeSource,
    tip: &ObjectId,
    verified: Option<&ObjectId>,
) -> CodeResult<TipRelation> {
    let Some(verified) = verified else { return Ok(TipRelation::Beyond) };
    if tip == verified {
        return Ok(TipRelation::There);
    }
    if !source.capabilities().history {
        return Ok(TipRelation::Beyond); // A forge is no clone of anything: what it says is so now.
    }
    if source.resolve(&verified.to_string())?.is_none() {
        return Ok(TipRelation::Behind);
    }
    // A clone that has the verified commit was fetched since. Its tip is behind only if the history
    // proves it; a shallow history proves nothing.
    let is_behind = source.is_ancestor(tip, verified).unwrap_or(false);
    Ok(if is_behind { TipRelation::Behind } else { TipRelation::Beyond })
}

/// A tip of the default branch with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultTip {
    /// The place where the tip was read.
    pub place: CodePlace,
    /// The commit.
    pub tip: ObjectId,
    stands: TipRelation,
}

impl Verified {
    /// Returns the tip of the default branch: that of the furthest clone on this machine, else of
    /// its forge. Returns `None` if no tip can be read, or if all readable ones are older than the
    /// known one.
    pub async fn default_tip(&self, repository: &Repository) -> Option<DefaultTip> {
        let code = self.engine.code().map(AsRef::as_ref)?;
        let (local, forges): (Vec<_>, Vec<_>) =
            repository.places.iter().partition(|place| matches!(place, CodePlace::Local(_)));
        let mut best: Option<DefaultTip> = None;
        let mut is_any_unread = false;
        for place in local {
            match further(code, repository, place, best.as_ref()).await {
                Ok(found) => best = found.or(best),
                Err(_) => is_any_unread = true,
            }
        }
        if best.as_ref().is_some_and(|best| best.stands > TipRelation::Behind) {
            return best;
        }
        for place in forges {
            match further(code, repository, place, None).await {
                Ok(Some(found)) => return Some(found),
                Ok(None) => {}
                Err(_) => is_any_unread = true,
            }
        }
        // If all places were read and none is further, then the branch was reset, or every clone
        // was recreated.
        best.filter(|_| !is_any_unread)
    }
}

/// Returns the tip at a place if it is further than the best one so far. Of equal tips the first
/// one stays. Another repository at the place yields `None`.
async fn further(
    code: &dyn CodeSources,
    repository: &Repository,
    place: &CodePlace,
    best: Option<&DefaultTip>,
) -> CodeResult<Option<DefaultTip>> {
    let (name, verified) = (repository.default_ref.clone(), repository.verified_tip);
    let (found_at, best) = (place.clone(), best.cloned());
    let known = RepositoryHistory::of(repository);
    let work = move |source: &dyn CodeSource| {
        if known.is_another(source)? {
            return Ok(None);
        }
        let Some(tip) = default_here(source, name.as_deref())? else { return Ok(None) };
        let stands = stands(source, &tip, verified.as_ref())?;
        let is_further = best.as_ref().is_none_or(|best| {
            let is_after = || best.tip != tip && source.is_ancestor(&best.tip, &tip).unwrap_or(false);
            stands > best.stands || (stands == best.stands && is_after())
        });
        Ok(is_further.then(|| DefaultTip { place: found_at.clone(), tip, stands }))
    };
    read_place(code, place, Arc::new(work)).await
}
