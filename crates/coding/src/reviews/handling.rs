//! The job of a unit: everything that came for it and waits is dealt with together, in the order in which it came. Its effects come
//! first, and are written under the forge's own numbers; then the deliveries are noted as done. Whatever dies between the two is done
//! again, and changes nothing.

use loci_engine::deliveries::incoming::{Handled, JOB_KEY, ignored};
use loci_model::delivery::{Delivery, DeliveryDirection, DeliveryState};
use loci_model::facts::repository::Repository;
use loci_model::job::Job;
use loci_model::ports::store::StoreExt;
use loci_model::tasks::forge_news::{ForgeNews, NewsUnit};
use loci_model::tasks::pull_request::PullRequest;
use loci_model::tasks::review::Review;
use loci_model::{Error, ErrorKind, Result, Timestamp};

use super::assembling::{Known, is_all_known};
use super::gathering::failed;
use super::handing_on::{Handed, Handing, TRIES, overtaken};
use super::left_out::DRAFT;
use super::receiving::{Kept, UNKNOWN_REPO};
use crate::Coding;

/// Deliveries of one round.
const DELIVERIES: usize = 200;
/// Where a forge does not say how long.
const PAUSE_MS: u64 = 60_000;
/// The longest pause that a forge can ask for.
const PAUSE_MS_MAX: u64 = 3_660_000;

impl Coding {
    /// Deals with what waits for the unit of a job.
    pub(crate) async fn handle_hook(&self, job: &Job) -> Result<Handled> {
        let key = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default().to_owned();
        let Some((id, unit)) = NewsUnit::of_key(&key) else { return Ok(Handled::Done) };
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
            return Ok(Handled::Done);
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
                Ok(if is_full { Handled::Later(now) } else { Handled::Done })
            }
            Err(error) if error.kind == ErrorKind::Throttled => Ok(Handled::Later(pause_of(&error, now))),
            Err(error) => self.engine.note_failed(waiting, &error, now).await,
        }
    }

    /// What follows from what came; a word, where it is only known that it came.
    async fn deal_with(
        &self,
        repository: &Repository,
        unit: NewsUnit,
        waiting: &[Delivery],
    ) -> Result<Option<String>> {
        let news = waiting
            .iter()
            .map(|delivery| Ok(Kept::read(&delivery.body)?.news))
            .collect::<Result<Vec<_>>>()?;
        let news: Vec<ForgeNews> = news.into_iter().flatten().collect();
        match unit {
            NewsUnit::Review { pr, review } => self.deal_with_review(repository, (pr, review), &news).await,
            NewsUnit::PullRequest(number) => self.deal_with_pull_request(repository, number, &news).await,
            NewsUnit::Pushes | NewsUnit::Checks => self.hand_on_news(repository, &news).await.map(|()| None),
            // Names were learned when it came.
            NewsUnit::Names => Ok(None),
        }
    }

    /// Reads a review once, whatever has come of it, and hands it on with those that it touches; anew, where somebody else wrote one of them
    /// meanwhile.
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

    /// Reads it; `None` where somebody else wrote what it touches meanwhile.
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
        let of = Known::stored(self.no_draft_any_more(repository, told).await?, &stored, asked_at);
        let (known, touched) = self.known_by_news(repository, of, id, news).await?;
        let mut left_out = None;
        for id in touched {
            let Some(review) = self.assembled(repository, &known, id, false).await? else { continue };
            left_out = left_out.or_else(|| review.left_out.clone());
            let before = stored.iter().find(|review| review.id == id);
            if self.hand_on_review(review, Handing::WhereNew, before).await? == Handed::Overtaken {
                return Ok(None);
            }
        }
        Ok(Some(left_out))
    }

    /// A pull request as it was told; where it was a draft then, as its forge says that it is now: that it is one no more may have been heard
    /// of before the review.
    async fn no_draft_any_more(&self, repository: &Repository, told: &PullRequest) -> Result<PullRequest> {
        if told.is_draft
            && let Some((forge, at)) = self.forge_of(repository)
            && let Some(now) = forge.pull_request(&at, told.number).await.map_err(failed)?
        {
            return Ok(now);
        }
        Ok(told.clone())
    }

    /// How a pull request stands, by its forge where that may be asked. What was said of a draft that is one no more counts now.
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
            // What it says is as old as it was, and from where it was.
            let known = Known::stored(pr.clone(), &stored, waiting.read_at);
            let Some(review) = self.assembled(repository, &known, waiting.id, waiting.is_past).await? else {
                continue;
            };
            if self.hand_on_review(review, Handing::WhereNew, Some(waiting)).await? == Handed::Overtaken {
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

/// When a forge that takes no more requests is asked again.
pub(super) fn pause_of(error: &Error, now: Timestamp) -> Timestamp {
    let pause = error.retry_after_ms.unwrap_or(PAUSE_MS).min(PAUSE_MS_MAX);
    now.plus_millis(i64::try_from(pause).unwrap_or(i64::MAX))
}

/// A delivery that was dealt with: its number stays, what it said goes.
fn done(row: Delivery, left_out: Option<&str>, now: Timestamp) -> Result<Delivery> {
    let kept = Kept { news: None, ..Kept::read(&row.body)? };
    Ok(Delivery {
        state: DeliveryState::Done,
        due: now,
        last_error: left_out.map(ignored),
        body: kept.document()?,
        ..row
    })
}

/// The pull request that news is of.
fn pull_request(news: &ForgeNews) -> Option<&PullRequest> {
    match news {
        ForgeNews::Review { pr, .. }
        | ForgeNews::Comment { pr, .. }
        | ForgeNews::Thread { pr, .. }
        | ForgeNews::PullRequest { pr, .. } => Some(pr),
        ForgeNews::Push { .. } | ForgeNews::Checks { .. } | ForgeNews::Named { .. } => None,
    }
}
