//! Polls the default branch for reverts: a revert pushed directly has no pull request, and polling
//! receives no hooks.

use loci_model::facts::repository::Repository;
use loci_model::tasks::pull_request::BranchPush;
use loci_model::time::DAY_MS;
use loci_model::{Error, Result, Timestamp, limits};

use super::review_data::failed;
use crate::Coding;
use crate::outcomes::says_revert;

impl Coding {
    /// Forwards the commits of the default branch that may be reverts, from the day before `since`
    /// on: the forge selects by commit time, and a commit may be pushed later. The start is rounded
    /// to a whole day, so requests within a day are equal and cost nothing without new commits.
    ///
    /// # Errors
    /// Errors of the store; errors of the forge if it is out of reach. Without permission of the
    /// token, reviews are read without these commits.
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
        // The oldest come first: a revert precedes its own revert.
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
