//! Forwards the data of forges to the modules that use it: the single place that does so.

use loci_model::facts::repository::Repository;
use loci_model::tasks::forge_notifications::ForgeNews;
use loci_model::tasks::pull_request::{PullRequest, PullRequestChange};
use loci_model::tasks::review::Review;
use loci_model::{Error, Result};

use super::purged_texts::PURGED;
use super::review_assembly::says_the_same;
use super::secret_masking;
use crate::Coding;

/// The maximum number of attempts to assemble a review that another process wrote meanwhile.
pub(super) const TRIES: usize = 5;

/// The result of forwarding a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForwardResult {
    /// The review was forwarded.
    On,
    /// The review equals the known one.
    AsKnown,
    /// Another process wrote the review meanwhile, so it must be assembled again.
    Overtaken,
}

/// The reviews to forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForwardedReviews {
    /// Reviews whose content differs from the stored one.
    WhereNew,
    /// Like `WhereNew`, but rules from new reviews are candidates.
    OfThePast,
    /// All reviews.
    Always,
}

impl Coding {
    /// Forwards the events of a pull request, step by step; the last step with its present state.
    pub(super) async fn hand_on_changes(
        &self,
        repository: &Repository,
        news: &[ForgeNews],
        now: &PullRequest,
    ) -> Result<()> {
        let of = |news: &ForgeNews| match news {
            ForgeNews::PullRequest { change, pr } => Some((*change, pr.as_ref().clone())),
            _ => None,
        };
        let mut changes: Vec<(PullRequestChange, PullRequest)> = news.iter().filter_map(of).collect();
        if let Some((_, newest)) = changes.last_mut() {
            newest.clone_from(now);
        }
        for (change, pr) in changes {
            self.hand_on_pull_request(repository, &pr, change).await?;
        }
        Ok(())
    }

    /// Forwards the state of a pull request.
    pub(super) async fn hand_on_pull_request(
        &self,
        repository: &Repository,
        pr: &PullRequest,
        change: PullRequestChange,
    ) -> Result<()> {
        let mut pr = pr.clone();
        secret_masking::pull_request(&mut pr);
        self.pull_request_seen(&repository.memory, &repository.id, &pr, change).await.map(drop)
    }

    /// Forwards pushes and ended checks.
    pub(super) async fn hand_on_news(&self, repository: &Repository, news: &[ForgeNews]) -> Result<()> {
        let (memory, id) = (&repository.memory, &repository.id);
        for news in news {
            match news {
                ForgeNews::Push { push } => drop(self.branch_pushed(memory, id, push).await?),
                ForgeNews::Checks { checks } => drop(self.checks_ended(memory, id, checks).await?),
                ForgeNews::Review { .. }
                | ForgeNews::Comment { .. }
                | ForgeNews::Thread { .. }
                | ForgeNews::PullRequest { .. }
                | ForgeNews::Named { .. } => {}
            }
        }
        Ok(())
    }

    /// Forwards a review that was assembled over its `stored` version. The stored version
    /// determines if it is new. The module that extracts rules stores the review.
    pub(super) async fn hand_on_review(
        &self,
        review: Review,
        handing: ForwardedReviews,
        stored: Option<&Review>,
    ) -> Result<ForwardResult> {
        if stored.is_some_and(|stored| stored.left_out.as_deref() == Some(PURGED)) {
            return Ok(ForwardResult::AsKnown);
        }
        let is_known = stored.is_some_and(|stored| says_the_same(stored, &review));
        if is_known && handing != ForwardedReviews::Always {
            return Ok(ForwardResult::AsKnown);
        }
        let learned = self.learn_over(review, stored.cloned()).await?;
        Ok(if learned.is_overtaken { ForwardResult::Overtaken } else { ForwardResult::On })
    }
}

/// Returns the error for a review that another process wrote during each attempt. The caller
/// retries later.
pub(super) fn overtaken() -> Error {
    Error::unavailable("the review was read by others at the same time: try again")
}
