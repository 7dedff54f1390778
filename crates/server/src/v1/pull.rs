//! Pull mode: a caller's own model fetches questions and returns the answers.
//!
//! In this API a question's id consists of its memory's id and its own, with a full stop between
//! them, because memory ids contain none.

use loci_api::Nothing;
use loci_api::pull as shape;
use loci_api::table as api;
use loci_engine::language_models::pull_verbs::{QuestionAnswered, QuestionAsk, QuestionTaken};
use loci_model::job::exchange::Step;
use loci_model::{Error, ExchangeId, MemoryId, Result, limits};

use super::protocol::call::Call;
use super::protocol::table::Table;

/// The default lease on a question, in milliseconds.
const LEASE_MS_DEFAULT: u64 = 300_000;
/// The default wait of a caller, in milliseconds.
const WAIT_MS_DEFAULT: u64 = 20_000;
/// The state of a job that waits for another answer.
const WAITING: &str = "waiting";

pub(super) fn operations(table: Table) -> Table {
    table
        .maybe(api::PULLED_NEXT, next)
        .formerly_get(api::PULLED_NEXT.place)
        .json(api::PULLED_RESULT, result)
        .json(api::PULLED_FAIL, fail)
}

async fn next(call: Call, asked: shape::JobNext) -> Result<Option<shape::PulledJob>> {
    let memory = match asked.memory {
        Some(named) => Some(call.doors.engine.memory_id(&call.caller, &named).await?),
        None => None,
    };
    let ask = QuestionAsk {
        memory,
        steps: steps(asked.kinds.as_deref().unwrap_or_default())?,
        lease_ms: asked.lease_ms.unwrap_or(LEASE_MS_DEFAULT),
        wait_ms: asked.wait_ms.unwrap_or(WAIT_MS_DEFAULT),
    };
    let taken = call.doors.engine.question_next(&call.caller, &ask).await?;
    Ok(taken.map(shown))
}

fn steps(kinds: &str) -> Result<Vec<Step>> {
    let words = kinds.split(',').map(str::trim).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let rule = "kinds must be of extract, summarise, consolidate, reflect, review_rules, tree_plan, agent_response, with commas between them";
            Step::parse(word).ok_or_else(|| Error::invalid("kinds", rule))
        })
        .collect()
}

fn shown(taken: QuestionTaken) -> shape::PulledJob {
    let QuestionTaken { exchange, strategy, lease_until } = taken;
    shape::PulledJob {
        job_id: format!("{}.{}", exchange.memory, exchange.id),
        memory: exchange.memory.to_string(),
        kind: exchange.step.as_str().to_owned(),
        strategy: strategy.map(|strategy| strategy.to_string()),
        prompt_version: exchange.prompt.to_string(),
        prompt: exchange.system,
        input: exchange.input,
        grammar: exchange.grammar,
        model: exchange.model,
        lease_until: lease_until.to_rfc3339(),
    }
}

async fn result(call: Call, reply: shape::JobResult) -> Result<shape::JobResultTaken> {
    let (memory, id) = question(&call)?;
    let QuestionAnswered { accepted, discarded, records, job, waits } =
        call.doors.engine.question_answer(&call.caller, &memory, &id, reply).await?;
    Ok(shape::JobResultTaken {
        accepted: accepted as u64,
        discarded: discarded as u64,
        records: records.iter().map(ToString::to_string).collect(),
        state: if waits { WAITING.to_owned() } else { job.as_str().to_owned() },
    })
}

async fn fail(call: Call, given_up: shape::JobGivenUp) -> Result<Nothing> {
    let (memory, id) = question(&call)?;
    if given_up.error.chars().count() > limits::SHORT_TEXT_CHARS_MAX {
        return Err(Error::invalid("error", "error must have at most 4096 characters"));
    }
    call.doors.engine.question_give_up(&call.caller, &memory, &id, &given_up.error).await?;
    Ok(Nothing {})
}

/// Returns the memory and the question of the path.
fn question(call: &Call) -> Result<(MemoryId, ExchangeId)> {
    let id = call.path("job")?;
    let unknown = || Error::invalid("job", "job must be the job_id of a question that was come for");
    let (memory, id) = id.split_once('.').ok_or_else(unknown)?;
    let memory = MemoryId::parse(memory).map_err(|_| unknown())?;
    Ok((memory, ExchangeId::parse(id).map_err(|_| unknown())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        assert_eq!(steps("").unwrap(), Vec::new());
        assert_eq!(steps("extract, consolidate").unwrap(), [Step::Extract, Step::Consolidate]);
        assert_eq!(steps("extract,guess").unwrap_err().field.as_deref(), Some("kinds"));
    }
}
