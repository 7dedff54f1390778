//! Whoever learns from what forges tell: one place.

use loci_model::facts::repository::Repository;
use loci_model::tasks::forge_news::ForgeNews;
use loci_model::tasks::pull_request::{PullRequest, PullRequestChange};
use loci_model::tasks::review::Review;
use loci_model::{Error, Result};

use super::assembling::says_the_same;
use super::blanking::PURGED;
use super::masking;
use crate::Coding;

/// How often a review is put together anew that somebody else wrote meanwhile.
pub(super) const TRIES: usize = 5;

/// What became of a review that was handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handed {
    /// It was.
    On,
    /// It says what is known.
    AsKnown,
    /// Somebody else wrote it meanwhile: it is to be put together anew.
    Overtaken,
}

/// Which reviews are handed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handing {
    /// Those that say something else than what is stored.
    WhereNew,
    /// The same, and what follows from new ones are candidates.
    OfThePast,
    /// All.
    Always,
}

impl Coding {
    /// Hands on what happened to a pull request, step by step; the last step with how it stands now.
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

    /// Hands on how a pull request stands.
    pub(super) async fn hand_on_pull_request(
        &self,
        repository: &Repository,
        pr: &PullRequest,
        change: PullRequestChange,
    ) -> Result<()> {
        let mut pr = pr.clone();
        masking::pull_request(&mut pr);
        self.pull_request_seen(&repository.memory, &repository.id, &pr, change).await.map(drop)
    }

    /// Hands on pushes and ended checks.
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

    /// Hands a review on that was put together over what was `stored` of it. What is stored says whether it is new: who learns from it stores
    /// it.
    pub(super) async fn hand_on_review(
        &self,
        review: Review,
        handing: Handing,
        stored: Option<&Review>,
    ) -> Result<Handed> {
        if stored.is_some_and(|stored| stored.left_out.as_deref() == Some(PURGED)) {
            return Ok(Handed::AsKnown);
        }
        let is_known = stored.is_some_and(|stored| says_the_same(stored, &review));
        if is_known && handing != Handing::Always {
            return Ok(Handed::AsKnown);
        }
        let learned = self.learn_over(review, stored.cloned()).await?;
        Ok(if learned.is_overtaken { Handed::Overtaken } else { Handed::On })
    }
}

/// That somebody else wrote a review each time that it was put together: it is tried again later.
pub(super) fn overtaken() -> Error {
    Error::unavailable("the review was read by others at the same time: try again")
}
