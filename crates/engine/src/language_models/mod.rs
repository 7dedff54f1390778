//! Asking a language model: one question of one step of one job, its answer read, kept until the job's result is written.
//!
//! * [`ask`]: in three modes. `none`: nobody is asked. `provider`: this server asks (`provider.rs`). `pull`: the question
//!   waits for the caller's own model (`pull.rs`), which comes for it by the verbs of `pull_verbs.rs`;
//! * `calls.rs`: one call of a model, within the limits that all calls share;
//! * `exchange.rs`: what is kept. The same question of the same job is asked once: a crash behind the answer costs nothing;
//! * `erasure.rs`: what is kept goes with what it quotes;
//! * `registry.rs`: the language models of an engine, by name;
//! * `failure.rs`: what is said where there is no answer. What follows from that is the job's matter.
//!
//! An answer is data: whatever it says is read by a strict grammar, and nothing in it is obeyed. To ask in another step: a
//! `Question` and a reader; nothing here.

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
use loci_model::record::derivation::{Making, MakingMode};
use loci_model::{Result, Timestamp, limits};

use crate::Engine;
use crate::strategies::model_questions::question::{BadReply, Question};

/// What became of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked<T> {
    /// No model is to be asked.
    Off,
    /// The answer, read, and who gave it.
    Read(T, MadeBy),
    /// The question waits for the caller's own model: the job's try ends here and goes on when the answer comes.
    Waits,
    /// There is no answer.
    Unanswered(Unanswered),
}

/// Who gave an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeBy {
    /// The prompt.
    pub prompt: PromptId,
    /// The model, as it calls itself.
    pub model: Option<String>,
    /// How it was asked.
    pub mode: MakingMode,
}

impl MadeBy {
    /// How a record was made that rests on this answer.
    pub fn making(&self) -> Making {
        let Self { prompt, model, mode } = self.clone();
        Making { prompt: Some(prompt), model, mode, ..Making::default() }
    }
}

/// Where an answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The model is out of reach, out of order or not allowed: the next question will fare no better.
    Service,
    /// It would not answer this question.
    Refused,
    /// Its answer is longer than it may be: a shorter question may have a shorter answer.
    CutOff,
    /// Its answer does not have the form, after a revision.
    Form,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The code of a failed job's reason.
    pub code: &'static str,
    /// For people; no content.
    pub explanation: String,
    /// No further try can help.
    pub permanent: bool,
    /// The model asks to wait so long.
    pub retry_after_ms: Option<u64>,
    /// Where it was lost.
    pub why: Why,
}

impl Unanswered {
    /// Returns the reason of a job that ends for it: the code, then a plain explanation.
    pub fn reason(&self) -> String {
        format!("{}: {}", self.code, self.explanation)
    }
}

/// How an answer is read: a value, or everything that is wrong with it.
pub type Reader<'a, T> = dyn Fn(&str) -> std::result::Result<T, BadReply> + Send + Sync + 'a;

/// Asks one question for a job and reads the answer. The same question of the same job is asked once: an answer that was
/// kept before a crash is read again.
///
/// # Errors
/// Those of the store. What goes wrong with a model is [`Asked::Unanswered`].
pub async fn ask<T>(
    engine: &Engine,
    job: &Job,
    mode: ModelMode,
    step: Step,
    question: &Question,
    read: &Reader<'_, T>,
) -> Result<Asked<T>> {
    if mode == ModelMode::None {
        return Ok(Asked::Off);
    }
    let bytes = question.system.len().saturating_add(question.input.len());
    if bytes > limits::EXCHANGE_INPUT_BYTES_MAX {
        return Ok(Asked::Unanswered(failure::too_long(bytes)));
    }
    match mode {
        ModelMode::None => Ok(Asked::Off),
        ModelMode::Provider => provider::ask(engine, job, step, question, read).await,
        ModelMode::Pull => pull::ask(engine, job, step, question, read).await,
    }
}

/// What the kept answer to a question cost, as far as the model said.
pub async fn usage_of(engine: &Engine, job: &Job, step: Step, question: &Question) -> Result<Usage> {
    let kept = exchange::kept(engine, job, step, question).await?;
    Ok(kept.and_then(|kept| kept.reply).map(|reply| reply.usage).unwrap_or_default())
}

/// Removes exchanges whose job ended long enough ago; how many. Usually they go with the job's result.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    tx.exchanges_mut().sweep(now.plus_millis(-limits::EXCHANGE_KEPT_MS), rows)
}
