//! Infers preferences of a person from reviews of the person's tasks. An inferred preference has
//! half the trust, lasts thirty days after its latest evidence, and never contradicts the person's
//! own statements. Equal reviews give equal preferences, however many times they are evaluated. The
//! user name on a task is not sufficient: only tasks count whose requester is proved to be that
//! person.

use std::collections::BTreeMap;
use std::sync::Arc;

use loci_engine::access;
use loci_engine::records::batch;
use loci_engine::records::record_builder::Building;
use loci_engine::safety::{Patterns, SafetyPolicy};
use loci_model::ledger::LedgerNoun;
use loci_model::memory::Memory;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::TrustTier;
use loci_model::tasks::preference::PreferenceDimension;
use loci_model::tasks::review::{Review, ReviewState};
use loci_model::time::DAY_MS;
use loci_model::{JobId, MemoryId, RecordId, RepositoryId, Result, TaskId, Timestamp};

use super::owner::{self, PreferenceOwner};
use super::precedence::{InferenceEvidence, NewPreference, PreferenceWriteResult, keep};
use super::requester::proved_person;
use super::review_requests::{ReviewerRemark, implied};
use crate::Coding;
use crate::CodingSettings;
use crate::rules::CountedReviewers;

/// The age in days beyond which a review no longer counts.
const WINDOW_DAYS: i64 = 90;
/// The number of reviews of one page. `REVIEWS_MAX` is the maximum for all pages.
const REVIEWS_PER_PAGE: usize = 200;
const REVIEWS_MAX: usize = 2_000;
/// The maximum number of new inferred preferences of one call. Each dimension has one in force.
const CONCLUSIONS_MAX: usize = PreferenceDimension::ALL.len() * 2;
/// The author of these records, in telemetry.
const BY: &str = "loci";

impl Coding {
    /// Infers preferences of the person whom a task names, from the reviews of all tasks whose
    /// requester is proved to be this person. Called after a review of the task was stored. Returns
    /// the new preferences.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn preferences_conclude(&self, memory: &MemoryId, task: &TaskId) -> Result<Vec<RecordId>> {
        let now = self.engine.now();
        let fresh = || RecordId::compose(&uuid7(self.engine.ids().as_ref(), now.millis()));
        let ids = (0..CONCLUSIONS_MAX).map(|_| fresh()).collect::<Result<Vec<_>>>()?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), now.millis()))?;
        let own = Arc::clone(&self.parts.settings);
        let (memory, task, settings) = (memory.clone(), task.clone(), self.engine.settings().clone());
        let kept = self
            .engine
            .store()
            .write(move |tx| {
                let Some(memory) = tx.memories().get(&memory)? else { return Ok(Vec::new()) };
                let Some(task) = tx.tasks().get(&memory.id, &task)? else { return Ok(Vec::new()) };
                let Some(whose) = owner::of_task(tx, &task)? else { return Ok(Vec::new()) };
                if whose.opted_out() {
                    return Ok(Vec::new());
                }
                let policy = SafetyPolicy::of(&settings, &memory.settings).of_model_text();
                let policy = policy.from_tier(TrustTier::External);
                let kept = conclude(tx, (&memory, policy), &own, &whose, &ids, now)?;
                if !kept.is_empty() {
                    batch::ask_for_vectors(tx, &memory.id, &job, now)?;
                }
                Ok(kept)
            })
            .await?;
        self.engine.wake().call();
        Ok(kept)
    }
}

fn conclude(
    tx: &mut dyn Tx,
    (memory, policy): (&Memory, SafetyPolicy),
    settings: &CodingSettings,
    whose: &PreferenceOwner,
    ids: &[RecordId],
    now: Timestamp,
) -> Result<Vec<RecordId>> {
    let mut hearings = BTreeMap::new();
    let reviews = reviews_of(tx, (&memory.id, settings), whose, &mut hearings, now)?;
    let said: Vec<ReviewerRemark<'_>> =
        reviews.iter().flat_map(|review| said_in(review, &hearings)).collect();
    let view = access::record_view(&Principal::engine(), &memory.id, Capability::Write)?;
    let building = Building { memory, view: &view, policy, expiry: None, by: BY, now };
    let is_declined = |digest: &str| {
        whose.known.as_ref().is_some_and(|known| known.declined.iter().any(|declined| declined == digest))
    };
    let mut found = implied(&said, Patterns::in_force(policy.patterns));
    found.retain(|one| !is_declined(&one.digest));
    let beyond = found.len().saturating_sub(ids.len());
    let mut kept = Vec::new();
    // Takes the newest, if there are more than can be in force.
    for (one, id) in found.iter().skip(beyond).zip(ids) {
        let repository = match &one.repository {
            Some(id) => tx.repositories().get(&memory.id, id)?,
            None => None,
        };
        let new = NewPreference {
            whose,
            dimension: one.dimension,
            text: &one.text,
            repository: repository.as_ref(),
            task: None,
            concluded: Some(InferenceEvidence { digest: &one.digest, prs: one.prs, at: one.at }),
        };
        if let PreferenceWriteResult::Added(record) = keep(tx, &building, &new, id)? {
            kept.push(record.id);
        }
    }
    Ok(kept)
}

/// The people whose comments count, by repository; `None` if the repository does not allow
/// inference.
type ReviewersByRepository = BTreeMap<RepositoryId, Option<CountedReviewers>>;

/// Returns the reviews of the last ninety days of a person's proved tasks that can be evaluated, in
/// repositories that allow inference.
fn reviews_of(
    tx: &dyn ReadTx,
    (memory, settings): (&MemoryId, &CodingSettings),
    whose: &PreferenceOwner,
    hearings: &mut ReviewersByRepository,
    now: Timestamp,
) -> Result<Vec<Review>> {
    let since = now.plus_millis(-WINDOW_DAYS * DAY_MS);
    let mut tasks = BTreeMap::new();
    let (mut found, mut after, mut looked_at) = (Vec::new(), None, 0);
    while looked_at < REVIEWS_MAX {
        let page = LedgerPage {
            memory: memory.clone(),
            shelf: Review::SHELF,
            actor: None,
            subject: None,
            after,
            limit: REVIEWS_PER_PAGE,
        };
        let reviews: Vec<Review> = tx.ledger().nouns(&page)?;
        let is_last = reviews.len() < REVIEWS_PER_PAGE;
        looked_at += reviews.len();
        after =
            reviews.last().map(|review| (review.submitted_at, loci_model::ledger::LedgerNoun::key(review)));
        for review in reviews {
            if review.submitted_at < since {
                return Ok(found);
            }
            if counts(&review)
                && is_of(tx, memory, whose, &review, &mut tasks)?
                && hearing_in(tx, (memory, settings), &review.repository, hearings)?.is_some()
            {
                found.push(review);
            }
        }
        if is_last {
            break;
        }
    }
    Ok(found)
}

fn counts(review: &Review) -> bool {
    review.left_out.is_none() && !review.is_past && review.state != ReviewState::Dismissed
}

fn is_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    whose: &PreferenceOwner,
    review: &Review,
    known: &mut BTreeMap<TaskId, bool>,
) -> Result<bool> {
    let Some(id) = &review.task else { return Ok(false) };
    if let Some(known) = known.get(id) {
        return Ok(*known);
    }
    let owner = match tx.tasks().get(memory, id)? {
        Some(task) => proved_person(tx, &task)?,
        None => None,
    };
    let is_theirs = owner.is_some_and(|owner| owner.place == whose.place);
    known.insert(id.clone(), is_theirs);
    Ok(is_theirs)
}

fn hearing_in<'a>(
    tx: &dyn ReadTx,
    (memory, settings): (&MemoryId, &CodingSettings),
    repository: &RepositoryId,
    known: &'a mut ReviewersByRepository,
) -> Result<Option<&'a CountedReviewers>> {
    if !known.contains_key(repository) {
        let found = tx.repositories().get(memory, repository)?;
        let allows = found.as_ref().is_none_or(|found| found.settings.preferences.implicit.unwrap_or(true));
        let hearing = allows.then(|| CountedReviewers::of(settings, found.as_ref()));
        known.insert(repository.clone(), hearing);
    }
    Ok(known.get(repository).and_then(Option::as_ref))
}

/// Returns the comments of people whose comments count. Answers of the author are not requests.
fn said_in<'a>(
    review: &'a Review,
    hearings: &ReviewersByRepository,
) -> impl Iterator<Item = ReviewerRemark<'a>> + use<'a> {
    let heard = hearings.get(&review.repository).and_then(Option::as_ref).map(|one| one.heard(review));
    let (repository, pr) = (&review.repository, review.pr);
    let said = heard.unwrap_or_default();
    said.into_iter().map(move |heard| ReviewerRemark { text: heard.text, repository, pr, at: heard.at })
}
