//! Whoever learns from what forges tell: one place.

use loci_model::Result;
use loci_model::forge_news::ForgeNews;
use loci_model::ports::store::StoreExt;
use loci_model::pull_request::{PullRequest, PullRequestChange};
use loci_model::repository::Repository;
use loci_model::review::Review;

use super::assembling::says_the_same;
use super::masking;
use crate::Engine;

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

impl Engine {
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

    /// Hands a review on; whether it did. What is stored says whether it is new: who learns from it stores it.
    pub(super) async fn hand_on_review(&self, review: Review, handing: Handing) -> Result<bool> {
        let (told, memory) = (review.clone(), review.memory.clone());
        let key = Review::key_of(&review.repository, review.pr, review.id);
        let stored = self.store.read(move |tx| tx.ledger().noun::<Review>(&memory, &key)).await?;
        let is_known = stored.is_some_and(|stored| says_the_same(&stored, &told));
        if is_known && handing != Handing::Always {
            return Ok(false);
        }
        let (memory, repository) = (review.memory.clone(), review.repository.clone());
        self.learn_from_review(&memory, &repository, review).await?;
        Ok(true)
    }
}
