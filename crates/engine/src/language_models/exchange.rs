//! Exchanges: stored questions to language models and their answers. `pull.rs` and `provider.rs`
//! decide how a question is answered.

use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply};
use loci_model::job::{Job, JobState};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::{ExchangeId, Result};
use sha2::{Digest, Sha256};

use crate::Engine;
use crate::strategies::model_questions::question::Question;

/// Returns the digest of a question with its step, by which an equal question is found again.
pub(super) fn digest(step: Step, question: &Question) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let parts = [
        step.as_str(),
        question.prompt.as_str(),
        question.model_id.as_deref().unwrap_or_default(),
        &question.system,
        &question.input,
    ];
    for part in parts {
        hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Creates the exchange for a question that no client has fetched yet.
pub(super) fn open(engine: &Engine, job: &Job, step: Step, question: &Question) -> Result<Exchange> {
    let now = engine.clock.now();
    Ok(Exchange {
        id: ExchangeId::parse(format!("ex-{}", uuid7(engine.ids.as_ref(), now.millis())))?,
        memory: job.memory.clone(),
        job: job.id.clone(),
        step,
        digest: digest(step, question),
        prompt: question.prompt.clone(),
        model: question.model_id.clone(),
        system: question.system.clone(),
        input: question.input.clone(),
        grammar: question.grammar.to_owned(),
        state: ExchangeState::Open,
        leased_by: None,
        lease_until: None,
        turn: 1,
        attempts: 0,
        reply: None,
        created_at: now,
    })
}

/// Returns the stored exchange for a job's question, if there is one.
pub(super) async fn kept(
    engine: &Engine,
    job: &Job,
    step: Step,
    question: &Question,
) -> Result<Option<Exchange>> {
    let (memory, id, digest) = (job.memory.clone(), job.id.clone(), digest(step, question));
    engine.store.read(move |tx| tx.exchanges().by_digest(&memory, &id, &digest)).await
}

/// Returns true if this try of a job is still the current one: the job exists, this process has
/// its lease, and no erasure has made it run again.
fn is_current(tx: &dyn ReadTx, job: &Job) -> Result<bool> {
    Ok(tx.jobs().get(&job.memory, &job.id)?.is_some_and(|found| {
        found.state == JobState::Running
            && found.lease_host == job.lease_host
            && found.updated_at == job.updated_at
            // The job was woken in the same millisecond in which it was claimed: due then.
            && !(found.rerun && found.due <= found.updated_at)
    }))
}

/// Stores a question for clients. Nothing is stored if this try of the job is outdated, because
/// the next try asks the question itself.
pub(super) async fn put(engine: &Engine, job: &Job, new: Exchange, is_alone: bool) -> Result<()> {
    let job = job.clone();
    engine
        .store
        .write(move |tx| {
            if !is_current(tx, &job)? {
                return Ok(());
            }
            if is_alone {
                tx.exchanges_mut().drop_unanswered(&new.memory, &new.job, new.step)?;
            }
            tx.exchanges_mut().insert(&new).map(drop)
        })
        .await
}

/// Stores a question together with its valid answer. Nothing is stored if this try of the job is
/// outdated.
pub(super) async fn keep(engine: &Engine, job: &Job, answered: Exchange, reply: StoredReply) -> Result<()> {
    let job = job.clone();
    engine
        .store
        .write(move |tx| {
            if !is_current(tx, &job)? {
                return Ok(());
            }
            let open = tx.exchanges().by_digest(&answered.memory, &answered.job, &answered.digest)?;
            match open {
                // A client was to answer it before this server was configured to ask.
                Some(open) => tx.exchanges_mut().answer(&answered.memory, &open.id, &reply).map(drop),
                None => {
                    let state = ExchangeState::Answered;
                    let exchange = Exchange { state, reply: Some(reply.clone()), ..answered.clone() };
                    tx.exchanges_mut().insert(&exchange).map(drop)
                }
            }
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::memory::prompt::PromptId;
    use loci_model::ports::language_model::OutputForm;

    #[test]
    fn everything_that_is_asked_counts() {
        let question = Question {
            prompt: PromptId::parse("semantic.extract@1").unwrap(),
            model_id: None,
            system: "s".into(),
            input: "in".into(),
            output: OutputForm::Text,
            grammar: "",
            max_output_tokens: 1,
        };
        let of = |question: &Question| digest(Step::Extract, question);
        let others = [
            Question { prompt: PromptId::parse("semantic.extract@2").unwrap(), ..question.clone() },
            Question { model_id: Some("s".into()), ..question.clone() },
            Question { system: "si".into(), input: "n".into(), ..question.clone() },
            Question { input: "in ".into(), ..question.clone() },
        ];
        for other in &others {
            assert_ne!(of(other), of(&question), "{other:?}");
        }
        assert_ne!(digest(Step::Reflect, &question), of(&question));
        assert_eq!(of(&Question { max_output_tokens: 2, ..question.clone() }), of(&question));
    }
}
