//! Asks a language model that this server calls: the call, one retry after a truncated answer,
//! and one revision of an answer with defects.
//!
//! The adapter retries failures of the transport, and the job retries itself. While it waits for a
//! model, the job does not count among the computing jobs.

use std::sync::Arc;

use loci_model::job::Job;
use loci_model::job::exchange::{ExchangeState, Step, StoredReply};
use loci_model::ports::language_model::{Completion, Finish, LanguageModel, Reply};
use loci_model::record::derivation::MakingMode;
use loci_model::{Result, limits};

use super::calls::{CallFailure, call};
use super::{AnswerAuthor, QuestionOutcome, Reader, Unanswered, exchange, failure, revision};
use crate::Engine;
use crate::strategies::model_questions::question::{BadReply, Question};

/// The factor by which the maximum length grows when a truncated answer is retried.
const ROOM_FACTOR: u32 = 2;

pub(super) async fn ask<T>(
    engine: &Engine,
    job: &Job,
    step: Step,
    question: &Question,
    read: &Reader<'_, T>,
) -> Result<QuestionOutcome<T>> {
    let made_by = |model: Option<String>| AnswerAuthor {
        prompt: question.prompt.clone(),
        model,
        mode: MakingMode::Model,
    };
    let kept = exchange::kept(engine, job, step, question).await?;
    if let Some(reply) = kept.filter(|kept| kept.state == ExchangeState::Answered).and_then(|kept| kept.reply)
        && let Ok(value) = read(&reply.text)
    {
        return Ok(QuestionOutcome::Read(value, made_by(reply.model)));
    }
    let Some(model) = engine.models.choose(question.model_id.as_deref()) else {
        return Ok(QuestionOutcome::Unanswered(failure::not_configured(question)));
    };
    let asking = QuestionContext { engine, job, step, question, model };
    let first = match asking.call(&question.input).await {
        Ok(reply) => reply,
        Err(unanswered) => return Ok(QuestionOutcome::Unanswered(unanswered)),
    };
    let (value, reply) = match judged(&first, read) {
        Ok(value) => (value, first),
        Err(bad) => {
            tracing::info!(job = %job.id, prompt = %question.prompt, violations = bad.violations.len(), "an answer is revised");
            let revised = match asking.call(&revision::input(question, &first.text, &bad)).await {
                Ok(reply) => reply,
                Err(unanswered) => return Ok(QuestionOutcome::Unanswered(unanswered)),
            };
            match judged(&revised, read) {
                Ok(value) => (value, revised),
                Err(bad) => return Ok(QuestionOutcome::Unanswered(failure::bad_reply(question, &bad))),
            }
        }
    };
    let Reply { text, model, usage, .. } = reply;
    let reply = StoredReply { text, model: Some(model.clone()), usage };
    exchange::keep(engine, job, exchange::open(engine, job, step, question)?, reply).await?;
    Ok(QuestionOutcome::Read(value, made_by(Some(model))))
}

fn judged<T>(reply: &Reply, read: &Reader<'_, T>) -> std::result::Result<T, BadReply> {
    if reply.text.len() > limits::MODEL_REPLY_BYTES_MAX {
        return Err(BadReply::of(format!("the answer has {} bytes: shorten it", reply.text.len())));
    }
    read(&reply.text)
}

/// The data that all calls for one question share.
struct QuestionContext<'a> {
    engine: &'a Engine,
    job: &'a Job,
    step: Step,
    question: &'a Question,
    model: Arc<dyn LanguageModel>,
}

impl QuestionContext<'_> {
    /// Returns a complete answer. After a truncated answer the call is repeated once with a
    /// larger maximum length.
    async fn call(&self, input: &str) -> std::result::Result<Reply, Unanswered> {
        let mut completion = Completion {
            step: self.step,
            system: self.question.system.clone(),
            input: input.to_owned(),
            output: self.question.output.clone(),
            max_output_tokens: self.question.max_output_tokens,
        };
        let reply = self.complete(&completion).await?;
        let more =
            completion.max_output_tokens.saturating_mul(ROOM_FACTOR).min(limits::MODEL_OUTPUT_TOKENS_MAX);
        let reply = if reply.finish == Finish::CutOff && more > completion.max_output_tokens {
            completion.max_output_tokens = more;
            self.complete(&completion).await?
        } else {
            reply
        };
        match reply.finish {
            Finish::Complete => Ok(reply),
            Finish::CutOff => Err(failure::cut_off(self.question)),
            Finish::Refused(word) => Err(failure::refused(self.question, &word, self.job.attempts)),
        }
    }

    /// Makes one call of the model. Meanwhile the job does not count among the jobs that compute.
    async fn complete(&self, completion: &Completion) -> std::result::Result<Reply, Unanswered> {
        let away = self.engine.permits.step_out();
        let answered = call(self.engine, self.model.as_ref(), completion).await;
        away.back().await;
        answered.map_err(|failed| {
            tracing::warn!(job = %self.job.id, model = self.model.name(), ?failed, "a model did not answer");
            match failed {
                CallFailure::BrokeDown => failure::broke_down(self.question),
                CallFailure::Failed(error) => failure::failed(self.question, &error),
            }
        })
    }
}
