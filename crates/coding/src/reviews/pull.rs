//! The verbs `reviews_pull` and `reviews_reprocess`: read all reviews of a pull request in their
//! present state at the forge, without webhooks or to read them again.

use loci_api::coding::review::ReviewsPulled;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::forge_notifications::ForgeNews;
use loci_model::tasks::pull_request::PullRequestChange;
use loci_model::tasks::review::Review;
use loci_model::{Error, Result};
use loci_verified::find_repository;

use super::dispatch::{ForwardResult, ForwardedReviews, TRIES, overtaken};
use super::review_data::failed;
use crate::Coding;

impl Coding {
    /// Reads the reviews of a pull request from its forge.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; `REPO_UNKNOWN`; `NotFound` (pull request);
    /// `Invalid` if this server may not call the forge; errors of the forge.
    pub async fn reviews_pull(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        pr: u64,
    ) -> Result<ReviewsPulled> {
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        self.pulled(&repository, pr, ForwardedReviews::WhereNew).await
    }

    /// Extracts rules again from the reviews of a pull request, or from one of them: from the forge
    /// if it may be called, else from the stored reviews.
    ///
    /// # Errors
    /// Errors of [`Self::reviews_pull`]; `NotFound` for a review that does not exist.
    pub async fn reviews_reprocess(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        (pr, id): (u64, Option<u64>),
    ) -> Result<ReviewsPulled> {
        let repository = self.reviewed_repository(caller, standing, repo).await?;
        if self.forge_of(&repository).is_some() && id.is_none() {
            return self.pulled(&repository, pr, ForwardedReviews::Always).await;
        }
        let stored = self.stored_reviews(&repository, pr).await?;
        let wanted: Vec<Review> =
            stored.into_iter().filter(|review| id.is_none_or(|id| id == review.id)).collect();
        if wanted.is_empty() {
            return Err(
                Error::not_found(format!("no such review of pull request {pr} is known")).on("review_id")
            );
        }
        let stored = wanted.clone();
        self.handed_on(wanted, ForwardedReviews::Always, &stored).await?.ok_or_else(overtaken)
    }

    /// Returns the repository with a name, if the caller administers its memory.
    pub(super) async fn reviewed_repository(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
    ) -> Result<Repository> {
        let memory = self.verified.code_memory(caller, standing).await?;
        access::require_whole(caller, &memory, Capability::Admin)?;
        let (caller, repo) = (caller.clone(), repo.to_owned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                find_repository(tx, &caller, &memory, &repo, Capability::Read)
            })
            .await
    }

    /// Reads a pull request and forwards its reviews. Repeats if another process wrote one of them
    /// meanwhile.
    pub(super) async fn pulled(
        &self,
        repository: &Repository,
        pr: u64,
        handing: ForwardedReviews,
    ) -> Result<ReviewsPulled> {
        for _ in 0..TRIES {
            if let Some(pulled) = self.pulled_once(repository, pr, handing).await? {
                return Ok(pulled);
            }
        }
        Err(overtaken())
    }

    async fn pulled_once(
        &self,
        repository: &Repository,
        pr: u64,
        handing: ForwardedReviews,
    ) -> Result<Option<ReviewsPulled>> {
        let stored = self.stored_reviews(repository, pr).await?;
        let known = self.fetched(repository, pr, &stored).await?;
        let mut reviews = Vec::new();
        for id in known.reviews.keys().filter(|id| !known.is_answers_alone(**id)) {
            let before = stored.iter().find(|review| review.id == *id);
            let is_past = match handing {
                ForwardedReviews::WhereNew => false,
                // A review that was received in the present keeps this origin.
                ForwardedReviews::OfThePast => before.is_none_or(|before| before.is_past),
                // Reprocessing does not change the origin of a review.
                ForwardedReviews::Always => before.is_some_and(|before| before.is_past),
            };
            reviews.extend(self.assembled(repository, &known, *id, is_past).await?);
        }
        let Some(pulled) = self.handed_on(reviews, handing, &stored).await? else { return Ok(None) };
        // Outcomes belong to tasks, and a backfill has none.
        if handing != ForwardedReviews::OfThePast {
            self.hand_on_pull_request(repository, &known.pr, PullRequestChange::Seen).await?;
            self.hand_on_checks(repository, &known.pr.head_sha).await?;
        }
        Ok(Some(pulled))
    }

    /// Forwards the ended checks of a commit, if the token may read them. Reviews are processed
    /// without them.
    async fn hand_on_checks(&self, repository: &Repository, sha: &str) -> Result<()> {
        let Some((forge, at)) = self.forge_of(repository).filter(|_| !sha.is_empty()) else { return Ok(()) };
        let ended = match forge.checks(&at, sha).await {
            Ok(ended) => ended,
            Err(error) if error.why.is_out_of_reach() => return Err(failed(error)),
            Err(error) => {
                let (why, host) = (error.why.as_str(), &at.host);
                tracing::debug!(host, sha, why, "which checks ended is not known");
                return Ok(());
            }
        };
        let news: Vec<ForgeNews> = ended.into_iter().map(|checks| ForgeNews::Checks { checks }).collect();
        self.hand_on_news(repository, &news).await
    }

    /// Forwards reviews that were assembled over their `stored` versions, and counts them; `None`
    /// if another process wrote one meanwhile.
    pub(super) async fn handed_on(
        &self,
        reviews: Vec<Review>,
        handing: ForwardedReviews,
        stored: &[Review],
    ) -> Result<Option<ReviewsPulled>> {
        let mut pulled = ReviewsPulled { reviews: reviews.len(), ..ReviewsPulled::default() };
        for review in reviews {
            if let Some(why) = &review.left_out {
                *pulled.left_out.entry(why.clone()).or_default() += 1;
            }
            let before = stored.iter().find(|one| one.id == review.id);
            match self.hand_on_review(review, handing, before).await? {
                ForwardResult::On => pulled.changed += 1,
                ForwardResult::AsKnown => {}
                ForwardResult::Overtaken => return Ok(None),
            }
        }
        Ok(Some(pulled))
    }
}
