//! Jobs: list, get, restart, and wait until none is pending.

use loci_api::job as shape;
use loci_api::table as api;
use loci_model::job::{Job, JobKind, JobState};
use loci_model::ports::store::JobQuery;
use loci_model::words::word;
use loci_model::{Error, JobId, Result, StrategyId};

use super::events::{actor, session};
use super::protocol::call::Call;
use super::protocol::cursor;
use super::protocol::table::Table;

/// The default wait of `extraction:wait`, in milliseconds.
const WAIT_MS_DEFAULT: u64 = 60_000;

/// The state shown for a pending job that waits for an external answer.
const WAITING: &str = "waiting";

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::JOB_LIST, list)
        .plain(api::JOB_GET, one)
        .plain(api::JOB_START, start)
        .json(api::EXTRACTION_WAIT, wait)
}

async fn list(call: Call, asked: shape::JobListing) -> Result<shape::JobList> {
    let limit = cursor::limit(asked.limit)?;
    let query = JobQuery {
        kinds: kind(&call, asked.kind.as_deref())?.into_iter().collect(),
        state: word("state", asked.state.as_deref(), JobState::ALL, JobState::as_str)?,
        strategy: asked.strategy.map(StrategyId::parse).transpose().map_err(|error| error.on("strategy"))?,
        actor: asked.actor.map(actor).transpose()?,
        session: asked.session.map(session).transpose()?,
        after: cursor::read(asked.cursor.as_deref())?,
        limit: limit as usize,
    };
    let page = call.doors.engine.job_list(&call.caller, &call.memory().await?, query).await?;
    Ok(shape::JobList {
        jobs: page.items.iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

/// Returns the kind of jobs that a request names.
///
/// # Errors
/// `Invalid` for a kind that no part of this server handles.
fn kind(call: &Call, word: Option<&str>) -> Result<Option<JobKind>> {
    let Some(word) = word else { return Ok(None) };
    let kinds = call.doors.engine.job_kinds();
    if let Some(kind) = kinds.iter().find(|kind| kind.as_str() == word) {
        return Ok(Some(kind.clone()));
    }
    let words = kinds.iter().map(JobKind::as_str).collect::<Vec<_>>().join(", ");
    Err(Error::invalid("kind", format!("kind must be one of {words}")))
}

async fn one(call: Call) -> Result<shape::Job> {
    let job = call.doors.engine.job_get(&call.caller, &call.memory().await?, &job_id(&call)?).await?;
    Ok(shown(&job))
}

async fn start(call: Call) -> Result<shape::JobStarted> {
    let token = call.token()?;
    let id = call.doors.engine.job_start(&call.caller, &call.memory().await?, &job_id(&call)?, token).await?;
    Ok(shape::JobStarted { id: id.to_string() })
}

async fn wait(call: Call, asked: shape::ExtractionWait) -> Result<shape::ExtractionState> {
    let actor = asked.actor.map(actor).transpose()?;
    let session = asked.session.map(session).transpose()?;
    let timeout_ms = asked.timeout_ms.unwrap_or(WAIT_MS_DEFAULT);
    let engine = &call.doors.engine;
    engine
        .extraction_wait(&call.caller, &call.memory().await?, actor.as_ref(), session.as_ref(), timeout_ms)
        .await
}

fn job_id(call: &Call) -> Result<JobId> {
    JobId::parse(call.path("job")?).map_err(|error| error.on("job"))
}

fn shown(job: &Job) -> shape::Job {
    shape::Job {
        id: job.id.to_string(),
        memory: job.memory.to_string(),
        kind: job.kind.as_str().to_owned(),
        state: if job.waits { WAITING.to_owned() } else { job.state.as_str().to_owned() },
        strategy: job.strategy.as_ref().map(ToString::to_string),
        actor: job.actor.as_ref().map(ToString::to_string),
        session: job.session.as_ref().map(ToString::to_string),
        due_at: job.due.to_rfc3339(),
        attempts: job.attempts,
        failure_reason: job.failure_reason.clone(),
        fallback: job.fallback,
        messages: job
            .messages
            .iter()
            .map(|message| shape::JobMessage { event: message.event.to_string(), message: message.message })
            .collect(),
        created_at: job.created_at.to_rfc3339(),
        updated_at: job.updated_at.to_rfc3339(),
    }
}
