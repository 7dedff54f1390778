//! Asks a language model: one question of one step of one job. The parsed answer is stored until
//! the job's result is written.
//!
//! * [`ask`]: works in three modes. `none`: no model is asked. `provider`: this server asks
//!   (`provider.rs`). `pull`: the question waits for the client's own model (`pull.rs`), which
//!   fetches it by the operations of `pull_verbs.rs`;
//! * `calls.rs`: one call of a model, within the limits that all calls share;
//! * `exchange.rs`: stored exchanges. The same question of a job is asked once: a crash after the
//!   answer costs nothing;
//! * `erasure.rs`: removes exchanges with the data that they quote;
//! * `registry.rs`: the language models of an engine, by name;
//! * `failure.rs`: reasons for missing answers. The job handles them.
//!
//! An answer is data: a strict grammar parses it, and its instructions are never followed. Another
//! step only needs a `Question` and a reader; this module needs no change.

pub mod calls;
pub mod erasure;
mod exchange;
mod failure;
mod provider;
mod pull;
pub mod pull_verbs;
pub mod registry;
mod revision;

use loci_model::job::Job;
use loci_model::job::exchange::{Step, Usage};
use loci_model::memory::prompt::PromptId;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::store::Tx;
use loci_model::record::derivation::{MakingMode, RecordDerivation};
use loci_model::{Result, Timestamp, limits};

use crate::Engine;
use crate::strategies::model_questions::question::{BadReply, Question};

/// The result of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionOutcome<T> {
    /// No model must be asked.
    Off,
    /// The parsed answer, and its author.
    Read(T, AnswerAuthor),
    /// The question waits for the client's own model: the job's try ends and continues when the
    /// answer arrives.
    Waits,
    /// The question got no answer.
    Unanswered(Unanswered),
}

/// The author of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerAuthor {
    /// The prompt.
    pub prompt: PromptId,
    /// The model, by its own name.
    pub model: Option<String>,
    /// The mode in which it was asked.
    pub mode: MakingMode,
}

impl AnswerAuthor {
    /// Returns the making of a record derived from this answer.
    pub fn making(&self) -> RecordDerivation {
        let Self { prompt, model, mode } = self.clone();
        RecordDerivation { prompt: Some(prompt), model, mode, ..RecordDerivation::default() }
    }
}

/// The stage at which an answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The model is unreachable, faulty or not permitted: the next question fails as well.
    Service,
    /// The model refused this question.
    Refused,
    /// The answer exceeds the maximum length: a shorter question may have a shorter answer.
    CutOff,
    /// The answer violates its form after a revision.
    Form,
}

/// The reason for a missing answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The code in a failed job's reason.
    pub code: &'static str,
    /// Plain explanation; no content.
    pub explanation: String,
    /// True if a retry cannot help.
    pub permanent: bool,
    /// Milliseconds to wait, if the model requests it.
    pub retry_after_ms: Option<u64>,
    /// The stage at which the answer was lost.
    pub why: Why,
}

impl Unanswered {
    /// Returns the reason of a job that fails because of it: the code, then a plain explanation.
    pub fn reason(&self) -> String {
        format!("{}: {}", self.code, self.explanation)
    }
}

/// A parser of an answer: returns a value, or all defects of the answer.
pub type Reader<'a, T> = dyn Fn(&str) -> std::result::Result<T, BadReply> + Send + Sync + 'a;

/// Asks one question for a job and parses the answer. The same question of a job is asked once: an
/// answer stored before a crash is parsed again.
///
/// # Errors
/// Errors of the store. A failure of a model is [`QuestionOutcome::Unanswered`].
pub async fn ask<T>(
    engine: &Engine,
    job: &Job,
    mode: ModelMode,
    step: Step,
    question: &Question,
    read: &Reader<'_, T>,
) -> Result<QuestionOutcome<T>> {
    if mode == ModelMode::None {
        return Ok(QuestionOutcome::Off);
    }
    let bytes = question.system.len().saturating_add(question.input.len());
    if bytes > limits::EXCHANGE_INPUT_BYTES_MAX {
        return Ok(QuestionOutcome::Unanswered(failure::too_long(bytes)));
    }
    match mode {
        ModelMode::None => Ok(QuestionOutcome::Off),
        ModelMode::Provider => provider::ask(engine, job, step, question, read).await,
        ModelMode::Pull => pull::ask(engine, job, step, question, read).await,
    }
}

/// Returns the usage of the stored answer to a question, as far as the model reported it.
pub async fn usage_of(engine: &Engine, job: &Job, step: Step, question: &Question) -> Result<Usage> {
    let kept = exchange::kept(engine, job, step, question).await?;
    Ok(kept.and_then(|kept| kept.reply).map(|reply| reply.usage).unwrap_or_default())
}

/// Removes exchanges whose job ended long enough ago, and returns their number. Usually the write
/// of the job's result removes them.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    tx.exchanges_mut().sweep(now.plus_millis(-limits::EXCHANGE_KEPT_MS), rows)
}
