//! Asks the client's own model (pull mode): stores the question for clients, and ends the current
//! try of the job, which continues when an answer arrives.

use loci_model::job::Job;
use loci_model::job::exchange::{Exchange, ExchangeState, Step};
use loci_model::ports::store::StoreExt;
use loci_model::record::derivation::MakingMode;
use loci_model::{Result, limits};

use super::{AnswerAuthor, QuestionOutcome, Reader, Unanswered, exchange, failure, revision};
use crate::Engine;
use crate::consolidation::decisions::model_decisions;
use crate::strategies::model_questions::question::Question;

pub(super) async fn ask<T>(
    engine: &Engine,
    job: &Job,
    step: Step,
    question: &Question,
    read: &Reader<'_, T>,
) -> Result<QuestionOutcome<T>> {
    let Some(kept) = exchange::kept(engine, job, step, question).await? else {
        let new = exchange::open(engine, job, step, question)?;
        exchange::put(engine, job, new, is_alone(step, question)).await?;
        // Wakes clients that wait for a question.
        engine.wake.call();
        return Ok(QuestionOutcome::Waits);
    };
    match kept.state {
        ExchangeState::Open | ExchangeState::Leased => Ok(QuestionOutcome::Waits),
        ExchangeState::Failed => {
            let said = kept.reply.as_ref().map(|said| said.text.as_str());
            Ok(QuestionOutcome::Unanswered(failure::given_up(question, kept.attempts, said)))
        }
        ExchangeState::Answered => {
            let Some(reply) = &kept.reply else { return Ok(QuestionOutcome::Waits) };
            match read(&reply.text) {
                Ok(value) => {
                    let (prompt, model) = (question.prompt.clone(), reply.model.clone());
                    Ok(QuestionOutcome::Read(value, AnswerAuthor { prompt, model, mode: MakingMode::Pull }))
                }
                Err(bad) => {
                    let violations = bad.violations.len();
                    tracing::info!(job = %job.id, exchange = %kept.id, violations, "an answer was none");
                    put_back(engine, &kept, revision::input(question, &reply.text, &bad)).await?;
                    if kept.attempts >= limits::EXCHANGE_ATTEMPTS_MAX {
                        let unanswered = failure::bad_reply(question, &bad);
                        return Ok(QuestionOutcome::Unanswered(Unanswered { permanent: true, ..unanswered }));
                    }
                    Ok(QuestionOutcome::Waits)
                }
            }
        }
    }
}

/// Returns true if the job asks only one question of this step at a time. Its other open
/// questions of the step are then outdated and removed.
fn is_alone(step: Step, question: &Question) -> bool {
    match step {
        Step::Extract | Step::Summarise => false,
        Step::Consolidate => model_decisions::asks(&question.prompt),
        _ => true,
    }
}

/// Offers a question to clients again, with the defects that the job found in the answer, unless
/// the question had too many attempts.
async fn put_back(engine: &Engine, kept: &Exchange, input: String) -> Result<()> {
    let (memory, id, attempts) = (kept.memory.clone(), kept.id.clone(), kept.attempts);
    engine
        .store
        .write(move |tx| {
            tx.exchanges_mut().revise(&memory, &id, &input)?;
            if attempts >= limits::EXCHANGE_ATTEMPTS_MAX {
                tx.exchanges_mut().fail(&memory, &id, None)?;
            }
            Ok(())
        })
        .await?;
    engine.wake.call();
    Ok(())
}
