//! Asking a language model: one question of one step of one job, its answer read, kept until the job's result is written.
//!
//! The types are those that jobs, strategies and consolidation share. No model is asked yet: where a memory wants one,
//! [`ask`] says that there is no answer, and for good.

use loci_model::exchange::Step;
use loci_model::job::Job;
use loci_model::making::MakingMode;
use loci_model::ports::store::Tx;
use loci_model::prompt::PromptId;
use loci_model::settings::ModelMode;
use loci_model::{Result, Timestamp, limits};

use crate::Engine;
use crate::strategies::question::{BadReply, Question};

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
}

/// How an answer is read: a value, or everything that is wrong with it.
pub type Reader<'a, T> = dyn Fn(&str) -> std::result::Result<T, BadReply> + Send + Sync + 'a;

/// Asks one question for a job and reads the answer. The same question of the same job is asked once: an answer that was
/// kept before a crash is read again.
///
/// # Errors
/// Those of the store. What goes wrong with a model is [`Asked::Unanswered`].
pub async fn ask<T>(
    _engine: &Engine,
    job: &Job,
    mode: ModelMode,
    step: Step,
    question: &Question,
    _read: &Reader<'_, T>,
) -> Result<Asked<T>> {
    match mode {
        ModelMode::None => Ok(Asked::Off),
        ModelMode::Provider | ModelMode::Pull => {
            tracing::warn!(job = %job.id, step = step.as_str(), prompt = %question.prompt, "no model is asked");
            Ok(Asked::Unanswered(Unanswered {
                code: "MODEL_UNAVAILABLE",
                explanation: "this version asks no language model".to_owned(),
                permanent: true,
                retry_after_ms: None,
            }))
        }
    }
}

/// Removes exchanges whose job ended long enough ago; how many. Usually they go with the job's result.
pub(crate) fn sweep(tx: &mut dyn Tx, now: Timestamp, rows: usize) -> Result<usize> {
    tx.exchanges_mut().sweep(now.plus_millis(-limits::EXCHANGE_KEPT_MS), rows)
}
