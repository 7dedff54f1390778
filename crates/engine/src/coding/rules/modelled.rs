//! A review read by a model, where the memory asks one (coding-agent-memory.md §19): rules without a model read it first, so that nothing waits;
//! what the model tells, by the strict form, takes the place of what they found. The job `review_rules` asks, and knows nothing of reviews.

use loci_model::job::{DueRule, Job, JobKind, NewJob};
use loci_model::ledger::Shelved;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::review::Review;
use loci_model::rule::ReviewYield;
use loci_model::settings::ModelMode;
use loci_model::{JobId, RecordId, Result, Timestamp};

use super::extracting::{Extraction, asking};
use super::taking::ReviewLearned;
use crate::Engine;
use crate::coding::extraction_prompts;
use crate::memories::existing;
use crate::strategies::question::{BadReply, Question};

/// Before a review's key in that of its job.
const JOB_KEY: &str = "review_rules ";
/// The prompt, in its versions.
const PROMPT: &str = "review_rules";

/// What a model is asked about a review.
pub(crate) struct ReviewQuestion {
    /// Which model is asked.
    pub(crate) mode: ModelMode,
    /// The question.
    pub(crate) question: Question,
    review: Review,
    /// When it was first to be asked: the day that lines of the answer name.
    at: Timestamp,
    /// The version of the prompt.
    prompt: String,
}

impl ReviewQuestion {
    /// What an answer teaches.
    ///
    /// # Errors
    /// Where no line of it is of the form.
    pub(crate) fn read(&self, reply: &str) -> std::result::Result<Extraction, BadReply> {
        asking::read(reply, &self.review, self.at)
    }
}

/// Asks for a review to be read by a model.
pub(super) fn ask_for(tx: &mut dyn Tx, review: &Review, job: &JobId, now: Timestamp) -> Result<()> {
    let new = NewJob {
        id: job.clone(),
        memory: review.memory.clone(),
        kind: JobKind::ReviewRules,
        unique_key: format!("{JOB_KEY}{}", review.key()),
        strategy: None,
        actor: Some(review.actor.clone()),
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&new, now).map(drop)
}

/// What is to be answered where a review changes nothing. Read anew and found as it was, what a model told of it stays; and what a model told
/// of a review that was changed since, or is forgotten, is thrown away: of the changed one it is asked again.
pub(super) fn as_it_stands(
    tx: &dyn Tx,
    review: &Review,
    was_read: bool,
    is_asked: bool,
) -> Result<Option<ReviewLearned>> {
    let known: Option<Review> = tx.ledger().noun(&review.memory, &review.key())?;
    let is_known = known.is_some_and(|known| Review { read_at: review.read_at, ..known } == *review);
    let stays = || ReviewLearned { is_older: !was_read, ..ReviewLearned::default() };
    Ok(if was_read { is_asked && is_known } else { !is_known }.then(stays))
}

impl Engine {
    /// What the model of a memory is asked by a job; `None` where nothing is left to ask.
    pub(crate) async fn review_question(&self, job: &Job) -> Result<Option<ReviewQuestion>> {
        let Some(key) = job.unique_key.strip_prefix(JOB_KEY).map(str::to_owned) else { return Ok(None) };
        let (memory, at, usual) = (job.memory.clone(), job.created_at, self.models.mode);
        self.store
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let mode = memory.settings.model_mode.unwrap_or(usual);
                let Some(review) = tx.ledger().noun::<Review>(&memory.id, &key)? else { return Ok(None) };
                if mode == ModelMode::None || super::taking::is_silent(&review) {
                    return Ok(None);
                }
                let prompt = extraction_prompts::current(tx, &memory.id, PROMPT)?;
                let text = prompt.text_for(review.actor.as_str());
                let question = asking::question(&review, &text, prompt.version, at)?;
                let asked = |question| ReviewQuestion { mode, question, review, at, prompt: prompt.id() };
                Ok(question.map(asked))
            })
            .await
    }

    /// Learns what a model told of a review.
    pub(crate) async fn learn_as_told(&self, asked: &ReviewQuestion, said: Extraction) -> Result<()> {
        self.learn_what_was_said(asked.review.clone(), said, asked.prompt.clone()).await.map(drop)
    }

    /// Rules and examples that the review of a job left.
    pub(crate) async fn rules_told(&self, job: &Job) -> Result<Vec<RecordId>> {
        let Some(key) = job.unique_key.strip_prefix(JOB_KEY).map(str::to_owned) else {
            return Ok(Vec::new());
        };
        let memory = job.memory.clone();
        let left = self.store.read(move |tx| tx.ledger().noun::<ReviewYield>(&memory, &key)).await?;
        Ok(left.map(|left| left.rules.into_iter().chain(left.examples).collect()).unwrap_or_default())
    }
}
