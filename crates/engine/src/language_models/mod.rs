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

/// The result of asking a language model.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionOutcome<T> {
    /// The memory's settings require that no model is asked.
    Off,
    /// The parsed answer, and the model and prompt that produced it.
    Read(T, AnswerAuthor),
    /// The question waits for the client's own model. The current try of the job must end; the
    /// job continues when the answer arrives.
    Waits,
    /// The question got no answer, for this reason.
    Unanswered(Unanswered),
}

/// The model and the prompt that produced an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerAuthor {
    /// The id of the prompt.
    pub prompt: PromptId,
    /// The name of the model, as the model itself or the client reports it; `None` if unknown.
    pub model: Option<String>,
    /// The mode in which the model was asked: by this server or by the client.
    pub mode: MakingMode,
}

impl AnswerAuthor {
    /// Returns the description that a record derived from this answer stores about its origin.
    pub fn making(&self) -> RecordDerivation {
        let Self { prompt, model, mode } = self.clone();
        RecordDerivation { prompt: Some(prompt), model, mode, ..RecordDerivation::default() }
    }
}

/// The kind of failure for which a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The model is unreachable, faulty or not permitted, so that the next question would fail
    /// too.
    Service,
    /// The model refused to answer this question.
    Refused,
    /// The answer exceeds the maximum length. A shorter question may have a shorter answer.
    CutOff,
    /// The answer still has defects after the model revised it.
    Form,
}

/// The failure of a question that got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The error code that a failed job reports.
    pub code: &'static str,
    /// An explanation for people, without any content of the memory.
    pub explanation: String,
    /// True if asking again cannot help.
    pub permanent: bool,
    /// The time that the model asks the server to wait before a retry, in milliseconds; `None` if
    /// it asks for none.
    pub retry_after_ms: Option<u64>,
    /// The kind of failure.
    pub why: Why,
}

impl Unanswered {
    /// Returns the reason that a job reports if it fails because of this: the code, `: ` and the
    /// explanation.
    pub fn reason(&self) -> String {
        format!("{}: {}", self.code, self.explanation)
    }
}

/// A parser of a model's answer. It returns a value, or all defects of the answer.
pub type Reader<'a, T> = dyn Fn(&str) -> std::result::Result<T, BadReply> + Send + Sync + 'a;

/// Asks one question for a job and parses the answer. If the job asked the same question before,
/// for example before a crash, the stored answer is parsed again.
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

/// Returns the tokens and cost of the stored answer to a question, as far as the model reported
/// them.
pub async fn usage_of(engine: &Engine, job: &Job, step: Step, question: &Question) -> Result<Usage> {
    let kept = exchange::kept(engine, job, step, question).await?;
    Ok(kept.and_then(|kept| kept.reply).map(|reply| reply.usage).unwrap_or_default())
}

/// Removes exchanges whose job ended long enough ago, and returns their number. Usually the write
/// of a job's result has removed them before.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    tx.exchanges_mut().sweep(now.plus_millis(-limits::EXCHANGE_KEPT_MS), rows)
}
