//! The job of a unit: processes all waiting events of the unit together, in the order of their
//! arrival. The effects come first, and are written under the forge's own numbers; then the
//! deliveries are marked as done. A crash between the two repeats the work, which changes nothing.

use loci_engine::deliveries::incoming_deliveries::{JOB_KEY, ProcessingEnd, ignored};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::facts::repository::Repository;
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::forge_notifications::{ForgeNews, NewsUnit};
use loci_model::tasks::pull_request::PullRequest;
use loci_model::tasks::review::Review;
use loci_model::{Error, ErrorKind, Result, Timestamp};

use super::dispatch::{ForwardResult, ForwardedReviews, TRIES, overtaken};
use super::hook_receive::{StoredDelivery, UNKNOWN_REPO};
use super::review_assembly::{KnownReviews, is_all_known};
use super::review_data::failed;
use super::skip_reasons::DRAFT;
use crate::Coding;

/// The maximum number of deliveries of one round.
const DELIVERIES: usize = 200;
/// The pause if a forge states none, in milliseconds.
const PAUSE_MS: u64 = 60_000;
/// The longest pause that a forge can request, in milliseconds.
const PAUSE_MS_MAX: u64 = 3_660_000;

impl Coding {
    /// Processes the waiting events of a job's unit.
    pub(crate) async fn handle_hook(&self, job: &Job) -> Result<ProcessingEnd> {
        let key = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default().to_owned();
        let Some((id, unit)) = NewsUnit::of_key(&key) else { return Ok(ProcessingEnd::Done) };
        let memory = job.memory.clone();
        let (waiting, repository) = self
            .engine
            .store()
            .read(move |tx| {
                let waiting = tx.deliveries().of_key(&memory, DeliveryDirection::In, &key, DELIVERIES)?;
                Ok((waiting, tx.repositories().get(&memory, &id)?))
            })
            .await?;
        if waiting.is_empty() {
            return Ok(ProcessingEnd::Done);
        }
        let is_full = waiting.len() == DELIVERIES;
        let dealt = match &repository {
            None => Ok(Some(UNKNOWN_REPO.to_owned())),
            Some(repository) => self.deal_with(repository, unit, &waiting).await,
        };
        let now = self.engine.now();
        match dealt {
            Ok(left_out) => {
                self.note_done(waiting, left_out).await?;
                Ok(if is_full { ProcessingEnd::Later(now) } else { ProcessingEnd::Done })
            }
            Err(error) if error.kind == ErrorKind::Throttled => {
                Ok(ProcessingEnd::Later(pause_of(&error, now)))
            }
            Err(error) => self.engine.note_failed(waiting, &error, now).await,
        }
    }

    /// Processes the events of a unit. Returns a reason if the events have no effect.
    async fn deal_with(
        &self,
        repository: &Repository,
        unit: NewsUnit,
        waiting: &[Delivery],
    ) -> Result<Option<String>> {
        let news = waiting
            .iter()
            .map(|delivery| Ok(StoredDelivery::read(&delivery.body)?.news))
            .collect::<Result<Vec<_>>>()?;
        let news: Vec<ForgeNews> = news.into_iter().flatten().collect();
        match unit {
            NewsUnit::Review { pr, review } => self.deal_with_review(repository, (pr, review), &news).await,
            NewsUnit::PullRequest(number) => self.deal_with_pull_request(repository, number, &news).await,
            NewsUnit::Pushes | NewsUnit::Checks => self.hand_on_news(repository, &news).await.map(|()| None),
            // The names were stored on arrival.
            NewsUnit::Names => Ok(None),
        }
    }

    /// Reads a review once for all its events, and forwards it with the affected ones. Repeats if
    /// another process wrote one of them meanwhile.
    async fn deal_with_review(
        &self,
        repository: &Repository,
        of: (u64, u64),
        news: &[ForgeNews],
    ) -> Result<Option<String>> {
        for _ in 0..TRIES {
            if let Some(dealt) = self.read_review(repository, of, news).await? {
                return Ok(dealt);
            }
        }
        Err(overtaken())
    }

    /// Reads a review; `None` if another process wrote an affected review meanwhile.
    async fn read_review(
        &self,
        repository: &Repository,
        (pr, id): (u64, u64),
        news: &[ForgeNews],
    ) -> Result<Option<Option<String>>> {
        let asked_at = self.engine.now();
        let stored = self.stored_reviews(repository, pr).await?;
        let own = stored.iter().find(|review| review.id == id);
        if is_all_known(news, own) {
            return Ok(Some(Some("known".to_owned())));
        }
        let Some(told) = news.iter().rev().find_map(pull_request) else {
            return Ok(Some(Some("event".to_owned())));
        };
        let of = KnownReviews::stored(self.no_draft_any_more(repository, told).await?, &stored, asked_at);
        let (known, touched) = self.known_by_news(repository, of, id, news).await?;
        let mut left_out = None;
        for id in touched {
            let Some(review) = self.assembled(repository, &known, id, false).await? else { continue };
            left_out = left_out.or_else(|| review.left_out.clone());
            let before = stored.iter().find(|review| review.id == id);
            if self.hand_on_review(review, ForwardedReviews::WhereNew, before).await?
                == ForwardResult::Overtaken
            {
                return Ok(None);
            }
        }
        Ok(Some(left_out))
    }

    /// Returns a pull request as reported. If it was a draft then, returns its present state at the
    /// forge, because the end of the draft may have been reported before the review.
    async fn no_draft_any_more(&self, repository: &Repository, told: &PullRequest) -> Result<PullRequest> {
        if told.is_draft
            && let Some((forge, at)) = self.forge_of(repository)
            && let Some(now) = forge.pull_request(&at, told.number).await.map_err(failed)?
        {
            return Ok(now);
        }
        Ok(told.clone())
    }

    /// Processes the state of a pull request, from its forge if it may be called. Reviews of a
    /// former draft count from now on.
    async fn deal_with_pull_request(
        &self,
        repository: &Repository,
        number: u64,
        news: &[ForgeNews],
    ) -> Result<Option<String>> {
        let Some(told) = news.iter().rev().find_map(pull_request) else {
            return Ok(Some("event".to_owned()));
        };
        let whole = match self.forge_of(repository) {
            Some((forge, at)) => forge.pull_request(&at, number).await.map_err(failed)?,
            None => None,
        };
        let pr = whole.as_ref().unwrap_or(told);
        self.hand_on_changes(repository, news, pr).await?;
        let stored = self.stored_reviews(repository, number).await?;
        let waits = |review: &&Review| review.left_out.as_deref() == Some(DRAFT) && !pr.is_draft;
        for waiting in stored.iter().filter(waits) {
            // The time of reading and the origin of the review stay.
            let known = KnownReviews::stored(pr.clone(), &stored, waiting.read_at);
            let Some(review) = self.assembled(repository, &known, waiting.id, waiting.is_past).await? else {
                continue;
            };
            if self.hand_on_review(review, ForwardedReviews::WhereNew, Some(waiting)).await?
                == ForwardResult::Overtaken
            {
                return Err(overtaken());
            }
        }
        Ok(None)
    }

    async fn note_done(&self, waiting: Vec<Delivery>, left_out: Option<String>) -> Result<()> {
        let now = self.engine.now();
        let rows =
            waiting.into_iter().map(|row| done(row, left_out.as_deref(), now)).collect::<Result<Vec<_>>>()?;
        self.engine.note_received(rows).await
    }
}

/// Returns the time of the next request to a forge whose rate limit is reached.
pub(super) fn pause_of(error: &Error, now: Timestamp) -> Timestamp {
    let pause = error.retry_after_ms.unwrap_or(PAUSE_MS).min(PAUSE_MS_MAX);
    now.plus_millis(i64::try_from(pause).unwrap_or(i64::MAX))
}

/// Returns a processed delivery: its number stays, its content is removed.
fn done(row: Delivery, left_out: Option<&str>, now: Timestamp) -> Result<Delivery> {
    let kept = StoredDelivery { news: None, ..StoredDelivery::read(&row.body)? };
    Ok(Delivery {
        state: DeliveryState::Done,
        due: now,
        last_error: left_out.map(ignored),
        body: kept.document()?,
        ..row
    })
}

/// Returns the pull request of an event.
fn pull_request(news: &ForgeNews) -> Option<&PullRequest> {
    match news {
        ForgeNews::Review { pr, .. }
        | ForgeNews::Comment { pr, .. }
        | ForgeNews::Thread { pr, .. }
        | ForgeNews::PullRequest { pr, .. } => Some(pr),
        ForgeNews::Push { .. } | ForgeNews::Checks { .. } | ForgeNews::Named { .. } => None,
    }
}
