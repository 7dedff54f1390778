//! Extraction from a review by a model, if the memory configures one. The extraction without a
//! model runs first, so that nothing waits; the model's answer, in a strict form, replaces its
//! result. The job `review_rules` calls the model and has no knowledge of reviews.

use loci_engine::memories::existing;
use loci_engine::strategies::model_questions::question::{BadReply, Question};
use loci_model::job::exchange::Step;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ledger::LedgerNoun;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::tasks::review::Review;
use loci_model::tasks::rule::{ReviewYield, SupportItem};
use loci_model::{JobId, RecordId, Result, Timestamp};

use super::extraction::{Extraction, model_question};
use crate::Coding;
use crate::prompts::extraction;

/// The prefix of a job's key, before the review's key.
const JOB_KEY: &str = "review_rules ";
/// The prompt, in its versions.
const PROMPT: &str = "review_rules";

/// A model's question about a review.
pub(crate) struct ReviewQuestion {
    /// The mode of the model.
    pub(crate) mode: ModelMode,
    /// The question.
    pub(crate) question: Question,
    /// Comments that the question does not contain.
    unshown: Vec<u64>,
    review: Review,
    /// The time of the first request, whose day the lines of the answer name.
    at: Timestamp,
    /// The version of the prompt.
    prompt: String,
}

impl ReviewQuestion {
    /// Returns the rules of an answer.
    ///
    /// # Errors
    /// An answer without a valid line.
    pub(crate) fn read(&self, reply: &str) -> std::result::Result<Extraction, BadReply> {
        model_question::read(reply, &self.review, &self.unshown, self.at)
    }
}

/// Requests the extraction from a review by a model. Questions about its earlier form are
/// withdrawn, because they may quote deleted text.
pub(super) fn ask_for(tx: &mut dyn Tx, review: &Review, job: &JobId, now: Timestamp) -> Result<()> {
    let new = NewJob {
        id: job.clone(),
        memory: review.memory.clone(),
        kind: crate::jobs::review_rules::KIND,
        unique_key: format!("{JOB_KEY}{}", review.key()),
        strategy: None,
        actor: Some(review.actor.clone()),
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    let open = tx.jobs_mut().enqueue(&new, now)?;
    if tx.exchanges_mut().drop_of_job(&review.memory, &open)? > 0 {
        tx.jobs_mut().wake(&review.memory, &open, now)?;
    }
    Ok(())
}

/// True if the stored review is unchanged, apart from the time of reading. An answer about a review
/// that was changed or erased since is discarded; a changed review has a new question.
pub(super) fn is_as_known(known: Option<&Review>, review: &Review) -> bool {
    known.is_some_and(|known| Review { read_at: review.read_at, ..known.clone() } == *review)
}

/// True if an item of a model's answer is based on unchanged comments. It stays until the model
/// answers again.
pub(super) fn stays_told(item: &SupportItem, known: &Review, review: &Review) -> bool {
    let body = |of: &Review, id: u64| of.comments.iter().find(|one| one.id == id).map(|one| one.body.clone());
    let is_kept = |id: &u64| body(known, *id).is_some_and(|said| Some(said) == body(review, *id));
    let is_said =
        if item.comments.is_empty() { known.body == review.body } else { item.comments.iter().all(is_kept) };
    item.read_by.starts_with(PROMPT) && is_said
}

impl Coding {
    /// Returns a job's question for the model of a memory; `None` if there is nothing left to ask.
    pub(crate) async fn review_question(&self, job: &Job) -> Result<Option<ReviewQuestion>> {
        let Some(key) = job.unique_key.strip_prefix(JOB_KEY).map(str::to_owned) else { return Ok(None) };
        let (memory, at, usual) = (job.memory.clone(), job.created_at, self.engine.models().mode);
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let mode = memory.settings.model_mode.unwrap_or(usual);
                let Some(review) = tx.ledger().noun::<Review>(&memory.id, &key)? else { return Ok(None) };
                if mode == ModelMode::None || super::support_update::is_silent(&review) {
                    return Ok(None);
                }
                let prompt = extraction::current(tx, &memory.id, PROMPT)?;
                let text = prompt.text_for(review.actor.as_str());
                let asked = model_question::question(&review, &text, prompt.version, at)?;
                Ok(asked.map(|model_question::RuleQuestion { question, unshown }| ReviewQuestion {
                    mode,
                    question,
                    unshown,
                    review,
                    at,
                    prompt: prompt.id(),
                }))
            })
            .await
    }

    /// Stores the rules of a model's answer about a review.
    pub(crate) async fn learn_as_told(
        &self,
        job: &Job,
        asked: &ReviewQuestion,
        said: Extraction,
    ) -> Result<()> {
        let discarded = u64::try_from(said.discarded_lines).unwrap_or(u64::MAX);
        if discarded > 0 {
            self.engine.observe().lines_discarded(Step::ReviewRules, discarded);
            tracing::info!(job = %job.id, discarded, "lines of a model's answer about a review were discarded");
        }
        self.learn_what_was_said(asked.review.clone(), said, (asked.prompt.clone(), job.id.clone()))
            .await
            .map(drop)
    }

    /// Returns the rules and examples from the review of a job.
    pub(crate) async fn rules_told(&self, job: &Job) -> Result<Vec<RecordId>> {
        let Some(key) = job.unique_key.strip_prefix(JOB_KEY).map(str::to_owned) else {
            return Ok(Vec::new());
        };
        let memory = job.memory.clone();
        let left = self.engine.store().read(move |tx| tx.ledger().noun::<ReviewYield>(&memory, &key)).await?;
        Ok(left.map(|left| left.rules.into_iter().chain(left.examples).collect()).unwrap_or_default())
    }
}
