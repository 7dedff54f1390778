//! What came onto a default branch, by asking: a revert that somebody pushes there is in no pull request, and no hook tells it to who polls.

use loci_model::facts::repository::Repository;
use loci_model::tasks::pull_request::BranchPush;
use loci_model::time::DAY_MS;
use loci_model::{Error, Result, Timestamp, limits};

use super::gathering::failed;
use crate::Coding;
use crate::outcomes::says_revert;

impl Coding {
    /// Hands on the commits of the default branch that may take something back, of those since the day before `since`: they are told by
    /// when they were made, and may be pushed later. A whole day's question is the same, and costs nothing where nothing is new.
    ///
    /// # Errors
    /// What the store says; the forge, where it is out of reach: reviews are read without what its token may not read.
    pub(super) async fn hand_on_landed(&self, repository: &Repository, since: Timestamp) -> Result<()> {
        let Some((forge, at)) = self.forge_of(repository) else { return Ok(()) };
        let since = since.plus_millis(-DAY_MS - since.millis().rem_euclid(DAY_MS));
        let most = limits::LANDED_COMMITS_MAX;
        let landed = match forge.landed(&at, since, most).await {
            Ok(landed) => landed,
            Err(error) if error.why.is_out_of_reach() => return Err(failed(error)),
            Err(error) => {
                let error: Error = failed(error);
                tracing::debug!(
                    repo = repository.key,
                    ?error,
                    "what came onto the default branch is not known"
                );
                return Ok(());
            }
        };
        if landed.len() >= most {
            tracing::warn!(
                repo = repository.key,
                most,
                "older commits of the default branch were not looked at"
            );
        }
        // The oldest first: what takes something back comes before what takes that back.
        for (commit, at) in landed.into_iter().rev().filter(|(commit, _)| says_revert(&commit.message)) {
            let push = BranchPush {
                branch: String::new(),
                is_default: true,
                after: commit.sha.clone(),
                commits: vec![commit],
                at,
            };
            self.branch_pushed(&repository.memory, &repository.id, &push).await?;
        }
        Ok(())
    }
}
