//! Functions that read model types from rows. SQLite and PostgreSQL return these rows with the
//! same columns in the same order.

use std::collections::BTreeMap;

use loci_model::delivery::{Delivery, WaitingDelivery};
use loci_model::event::{Branch, Event, EventLoad, ExtractionMode, MAIN_BRANCH};
use loci_model::idempotency::TokenAnswer;
use loci_model::job::exchange::{Exchange, ExchangeState, Step};
use loci_model::job::{Job, JobState};
use loci_model::memory::prompt::PromptId;
use loci_model::principal::key::AccessKey;
use loci_model::record::RecordState;
use loci_model::record::telemetry::StateChange;
use loci_model::{
    ActorId, BranchName, DeliveryId, Document, EventId, ExchangeId, JobId, MemoryId, RecordId, Result,
    SessionId, StrategyId,
};

use crate::codes::{DELIVERY_STATES, DIRECTIONS, damaged, of_code, stored};
use crate::event_members::EventMore;
use crate::fields::Fields;
use crate::job_kinds::read_kind;
use crate::unreadable_rows::readable;

/// Reads a job from a row with these columns in this order: memory, id, state, kind, key,
/// strategy, actor, session, due, host, lease, rerun, attempts, created, updated, failure,
/// messages, waits, fallback, window, name of the kind.
pub fn job(row: &impl Fields) -> Result<Job> {
    Ok(Job {
        memory: row.parsed(0, MemoryId::parse, "memory id")?,
        id: row.parsed(1, JobId::parse, "job id")?,
        state: of_code(JobState::ALL, row.number(2)?)?,
        kind: read_kind(row.number(3)?, row.optional_text(20)?)?,
        unique_key: row.text(4)?.to_owned(),
        strategy: row.optional_parsed(5, StrategyId::parse, "job")?,
        actor: row.optional_parsed(6, ActorId::parse, "job")?,
        session: row.optional_parsed(7, SessionId::parse, "job")?,
        due: row.time(8)?,
        lease_host: row.optional_owned(9)?,
        lease_until: row.optional_time(10)?,
        rerun: row.flag(11)?,
        attempts: row.small(12)?,
        created_at: row.time(13)?,
        updated_at: row.time(14)?,
        failure_reason: row.optional_owned(15)?,
        messages: row.optional_json(16, "job")?.unwrap_or_default(),
        waits: row.flag(17)?,
        fallback: row.flag(18)?,
        window: row.optional_json(19, "job")?,
    })
}

/// The failure that lists show for a job whose stored row cannot be parsed.
pub const UNREADABLE_JOB: &str = "the stored job cannot be read: it names something that breaks a rule of \
                                  ids, or the \
    database was changed from outside; the log of the server says what, and nothing else waits for it";

/// Reads a job for display, from the columns of [`job`]. A job that cannot be parsed is shown as
/// failed, with the failure [`UNREADABLE_JOB`].
///
/// # Errors
/// A bug, if even its memory or its id is invalid.
pub fn shown_job(row: &impl Fields) -> Result<Job> {
    let read = job(row);
    if let Some(job) = readable("job", read)? {
        return Ok(job);
    }
    Ok(Job {
        memory: row.parsed(0, MemoryId::parse, "memory id")?,
        id: row.parsed(1, JobId::parse, "job id")?,
        state: JobState::Failed,
        kind: read_kind(row.number(3)?, row.optional_text(20)?)?,
        unique_key: row.text(4)?.to_owned(),
        strategy: None,
        actor: None,
        session: None,
        due: row.time(8)?,
        lease_host: None,
        lease_until: None,
        rerun: false,
        attempts: row.small(12)?,
        created_at: row.time(13)?,
        updated_at: row.time(14)?,
        failure_reason: Some(UNREADABLE_JOB.to_owned()),
        messages: Vec::new(),
        waits: false,
        fallback: false,
        window: None,
    })
}

/// Reads an exchange with a model from a row with these columns in this order: memory, id, job,
/// step, state, lease, holder, turn, attempts, created, digest, prompt, model, grammar, reply,
/// system, input.
pub fn exchange(row: &impl Fields) -> Result<Exchange> {
    Ok(Exchange {
        memory: row.parsed(0, MemoryId::parse, "memory id")?,
        id: row.parsed(1, ExchangeId::parse, "exchange")?,
        job: row.parsed(2, JobId::parse, "exchange")?,
        step: of_code(Step::ALL, row.number(3)?)?,
        state: of_code(ExchangeState::ALL, row.number(4)?)?,
        lease_until: row.optional_time(5)?,
        leased_by: row.optional_owned(6)?,
        turn: row.small(7)?,
        attempts: row.small(8)?,
        created_at: row.time(9)?,
        digest: row.bytes(10)?.try_into().map_err(|_| damaged("exchange"))?,
        prompt: row.parsed(11, PromptId::parse, "exchange")?,
        model: row.optional_owned(12)?,
        grammar: row.text(13)?.to_owned(),
        reply: row.optional_json(14, "exchange")?,
        system: row.text(15)?.to_owned(),
        input: row.text(16)?.to_owned(),
    })
}

/// Reads a delivery from a row with these columns in this order: memory, direction, id, state,
/// due, attempts, created, target, order key, error, body.
pub fn delivery(row: &impl Fields) -> Result<Delivery> {
    Ok(Delivery {
        memory: row.parsed(0, MemoryId::parse, "memory id")?,
        direction: of_code(DIRECTIONS, row.number(1)?)?,
        id: row.parsed(2, DeliveryId::parse, "delivery id")?,
        state: of_code(DELIVERY_STATES, row.number(3)?)?,
        due: row.time(4)?,
        attempts: row.small(5)?,
        created_at: row.time(6)?,
        target: row.text(7)?.to_owned(),
        order_key: row.text(8)?.to_owned(),
        last_error: row.optional_owned(9)?,
        body: stored(Document::parse(row.text(10)?), "delivery")?,
    })
}

/// Reads the summary of a waiting delivery from a row with the columns memory, id, target,
/// attempts, error, since.
pub fn waiting_delivery(row: &impl Fields) -> Result<WaitingDelivery> {
    Ok(WaitingDelivery {
        memory: row.parsed(0, MemoryId::parse, "memory id")?,
        id: row.parsed(1, DeliveryId::parse, "delivery id")?,
        target: row.text(2)?.to_owned(),
        attempts: row.small(3)?,
        last_error: row.optional_owned(4)?,
        since: row.time(5)?,
    })
}

/// Reads the stored answer for an idempotency token from a row with the columns expires,
/// parameters, answer.
pub fn token_answer(row: &impl Fields) -> Result<TokenAnswer> {
    Ok(TokenAnswer {
        expires: row.time(0)?,
        parameters: stored(String::from_utf8(row.bytes(1)?.to_vec()), "token")?,
        answer: Document::parse(row.text(2)?)?,
    })
}

/// Reads a state change of a record. From the column `at` on, the row has: time, version, from,
/// to, reason, principal.
pub fn state_change(
    row: &impl Fields,
    memory: &MemoryId,
    record: RecordId,
    at: usize,
) -> Result<StateChange> {
    let state = |code: i64| of_code(RecordState::ALL, code);
    Ok(StateChange {
        memory: memory.clone(),
        record,
        at: row.time(at)?,
        version: row.small(at + 1)?,
        from: row.optional_number(at + 2)?.map(state).transpose()?,
        to: state(row.number(at + 3)?)?,
        reason: row.text(at + 4)?.to_owned(),
        by: row.text(at + 5)?.to_owned(),
    })
}

/// Reads an access key from a row whose only column is the body.
pub fn key(row: &impl Fields) -> Result<AccessKey> {
    stored(serde_json::from_str(row.text(0)?), "access key")
}

/// The memory, actor and session of an event that is being read from a row.
#[derive(Debug, Clone, Copy)]
pub struct EventOf<'a> {
    /// The memory of the event.
    pub memory: &'a MemoryId,
    /// The actor of the event.
    pub actor: &'a ActorId,
    /// The session of the event.
    pub session: &'a SessionId,
}

/// Reads an event. The second column of the row is the id. From the column `at` on, the row has:
/// hidden, extract, expires, time, arrived, metadata, more, and if `with_payload` is set also
/// payload, messages, tokens. The columns of arrival and branch differ between the stores.
pub fn event(
    row: &impl Fields,
    of: EventOf<'_>,
    (arrival, branch): (u64, Branch),
    at: usize,
    with_payload: bool,
) -> Result<Event> {
    let more: EventMore = row.optional_json(at + 6, "event")?.unwrap_or_default();
    let (payload, load) = match with_payload {
        true => (
            stored(serde_json::from_str(row.text(at + 7)?), "event")?,
            EventLoad { messages: row.small(at + 8)?, tokens: row.small(at + 9)? },
        ),
        false => (Vec::new(), EventLoad::default()),
    };
    Ok(Event {
        memory: of.memory.clone(),
        actor: of.actor.clone(),
        session: of.session.clone(),
        id: row.parsed(1, EventId::parse, "event id")?,
        time: row.time(at + 3)?,
        arrived: row.time(at + 4)?,
        arrival,
        payload,
        branch,
        metadata: event_metadata(row, at)?,
        extraction: if row.flag(at + 1)? { ExtractionMode::Extract } else { ExtractionMode::Skip },
        namespace_variables: more.variables,
        run: more.run,
        hidden: row.flag(at)?,
        expires: row.time(at + 2)?,
        notes: more.notes,
        load,
    })
}

/// Reads only the metadata of an event, from a row with the columns of [`event`].
pub fn event_metadata(row: &impl Fields, at: usize) -> Result<BTreeMap<String, String>> {
    Ok(row.optional_json(at + 5, "event")?.unwrap_or_default())
}

/// Returns the main branch, which every session has.
///
/// # Errors
/// A bug, if its name is invalid.
pub fn main_branch() -> Result<Branch> {
    Ok(Branch { name: BranchName::parse(MAIN_BRANCH)?, root: None })
}

/// Reads a branch other than the main one. From the column `at` on, the row has: name, root.
pub fn branch(row: &impl Fields, at: usize) -> Result<Branch> {
    let name = row.parsed(at, BranchName::parse, "branch")?;
    Ok(Branch { name, root: Some(row.parsed(at + 1, EventId::parse, "branch")?) })
}
