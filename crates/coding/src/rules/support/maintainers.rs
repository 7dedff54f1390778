//! Maintainers of a repository, found in its newest reviews. In a repository with only one, no
//! other person can complete a quorum.

use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::tasks::review::{ForgeUser, Review};
use loci_model::{ActorId, MemoryId, Result};

use super::weights::{Person, may_approve, person};

/// The maximum number of reviews that are read, the newest.
const REVIEWS_MAX: usize = 200;

/// True if a maintainer other than `who` reviewed or commented here. Agents and programs are not
/// maintainers.
pub(in crate::rules) fn has_other(
    tx: &dyn ReadTx,
    (memory, actor): (&MemoryId, &ActorId),
    agents: &[String],
    who: &Person,
) -> Result<bool> {
    let reviews = tx.ledger().nouns::<Review>(&LedgerPage {
        memory: memory.clone(),
        shelf: Review::SHELF,
        actor: Some(actor.clone()),
        subject: None,
        after: None,
        limit: REVIEWS_MAX,
    })?;
    let is_agent = |user: &ForgeUser| agents.iter().any(|login| login.eq_ignore_ascii_case(&user.login));
    let is_other = |user: &ForgeUser| !user.is_bot && person(user) != *who && !is_agent(user);
    Ok(reviews.iter().any(|review| {
        let reviews = may_approve(&review.authority) && is_other(&review.reviewer);
        reviews
            || review.comments.iter().any(|comment| {
                comment.authority.as_ref().is_some_and(may_approve) && is_other(&comment.author)
            })
    }))
}
