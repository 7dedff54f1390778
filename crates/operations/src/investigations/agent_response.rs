//! `agent_response`: stores the answer of a worker agent unchanged and acknowledges it at once; a
//! job reads it. The job has exactly the rights that the caller had. These rights are stored in the
//! metadata of the event, which clients cannot write.

use std::collections::{BTreeMap, BTreeSet};

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::calls::idempotency::{ClientToken, look_up, remember, replayed};
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::memories::existing;
use loci_engine::safety::SafetyPolicy;
use loci_model::event::{Event, ExtractionMode, PayloadItem, Role};
use loci_model::job::{DueRule, Job, JobState, NewJob};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Document, Error, JobId, MemoryId, Result, SessionId, Timestamp, limits};
use serde_json::Value;

use super::answer_job::reading_of;
use super::capture::Captured;
use super::investigation_lookup::StoredInvestigation;
use super::worker_rights::Reporter;
use crate::Operations;
use crate::SreSettings;
use crate::input::secret_mask;
use crate::records::namespace_rules;
use crate::records::save::PRIVATE;

/// The prefix of the server's own metadata keys. Every other key is a restriction of the caller's
/// grants.
const OURS: &str = "loci.";
pub(super) const TYPE: &str = "loci.memoryType";
pub(super) const TYPE_RESPONSE: &str = "agent_response";
pub(super) const INCIDENT: &str = "loci.incident";
pub(super) const AGENT: &str = "loci.agent";
pub(super) const USER: &str = "loci.user";
/// The only service of the investigation, if it has exactly one.
pub(super) const SERVICE: &str = "loci.service";
const BY: &str = "loci.by";
const REACH: &str = "loci.reach";
const PROPOSES: &str = "loci.proposes";
/// The value for write access to the whole memory.
const REACH_WHOLE: &str = "memory";
const REACH_ACTOR: &str = "actor";
const REACH_SESSION: &str = "session";
/// The operation name of its idempotency tokens.
const OPERATION: &str = "investigation_agent_response";
/// The prefix of a job's key, before the event id.
pub(super) const JOB_KEY: &str = "agent-response:";

/// An answer of a worker agent.
#[derive(Clone, PartialEq)]
pub struct AgentResponse {
    /// The memory that contains the investigation.
    pub memory: MemoryId,
    /// The incident of the investigation.
    pub incident: String,
    /// The session. `None`: the caller's own investigation of the incident, otherwise the one
    /// changed last.
    pub session: Option<String>,
    /// The agent.
    pub agent: String,
    /// The text of the answer.
    pub text: String,
    /// The reported tool calls.
    pub tool_calls: Vec<Value>,
    /// The time of the answer. `None`: now.
    pub at: Option<Timestamp>,
}

/// The progress of reading an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseRead {
    /// The state of the job that reads the answer of the agent.
    pub state: JobState,
    /// True if a question about the answer waits for the caller's own model.
    pub waits: bool,
    /// The result so far. Parts that need no model are saved first.
    pub captured: Option<Captured>,
    /// The reason of a failure.
    pub failure: Option<String>,
}

impl Operations {
    /// Stores an answer and returns the job that reads it. A repeated `token` returns the job of
    /// the first answer.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` if the investigation does not exist; `Denied` if
    /// the caller may not write as that agent.
    pub async fn agent_response(
        &self,
        caller: &Principal,
        asked: AgentResponse,
        token: Option<ClientToken>,
    ) -> Result<JobId> {
        if asked.text.trim().is_empty() {
            return Err(Error::invalid("text", "text is required: send what the agent answered"));
        }
        if asked.text.chars().count() > limits::MESSAGE_CHARS_MAX {
            return Err(Error::invalid("text", "text must have at most 100000 characters"));
        }
        let settings = self.settings.of(&asked.memory);
        settings.require_on()?;
        let agent = namespace_rules::actor(SreType::Infrastructure, &asked.agent, settings)
            .map_err(|error| error.on("agent"))?;
        let about = (asked.incident.as_str(), asked.session.as_deref());
        let reporter = Reporter::of(caller, &asked.memory, (&agent, settings));
        let known =
            self.known_investigation(&reporter.finds, &asked.memory, about, Capability::Write).await?;
        let event = self.response_event((caller, &reporter.writes), &asked, agent.clone(), &known)?;
        let token = token.map(|token| token.of_person(caller)).transpose()?;
        let job = NewJob {
            id: JobId::parse(uuid7(self.engine.ids().as_ref(), self.engine.now().millis()))?,
            memory: asked.memory.clone(),
            kind: crate::jobs::agent_response::KIND,
            unique_key: String::new(),
            strategy: None,
            actor: Some(agent),
            session: Some(known.session.clone()),
            due: self.engine.now(),
            due_rule: DueRule::Earlier,
        };
        let (operations, caller) = (self.clone(), reporter.writes);
        let id = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &job.memory)?;
                let (token, place) = (token.as_ref(), Some(&memory.id));
                let vault = operations.engine.vault().as_ref();
                let before = look_up::<String>(tx, vault, token, place, OPERATION, job.due)?;
                if let Some(first) = replayed(before)? {
                    return JobId::parse(first);
                }
                let policy = SafetyPolicy::of(operations.engine.settings(), &memory.settings);
                let payload = payload(&asked, policy)?;
                let stored = operations.engine.event_store_in(
                    tx,
                    &caller,
                    &memory,
                    &event.with_masked(payload),
                    None,
                )?;
                let job = NewJob { unique_key: format!("{JOB_KEY}{}", stored.event.id), ..job.clone() };
                tx.jobs_mut().enqueue(&job, job.due)?;
                let expires = job.due.plus_millis(limits::IDEMPOTENCY_MS);
                remember(tx, token, place, OPERATION, &job.id.to_string(), expires)?;
                Ok(job.id)
            })
            .await?;
        self.engine.wake().call();
        Ok(id)
    }

    fn response_event(
        &self,
        (caller, writer): (&Principal, &Principal),
        asked: &AgentResponse,
        agent: ActorId,
        known: &StoredInvestigation,
    ) -> Result<PreparedEvent> {
        let (memory, session, now) = (&asked.memory, &known.session, self.engine.now());
        let view = access::event_view(writer, memory, &agent, Some(session), Capability::Write, now)?;
        let (person, user) = known.proposes_for(caller);
        let mut metadata = marks(known);
        metadata.extend([
            (TYPE.to_owned(), TYPE_RESPONSE.to_owned()),
            (AGENT.to_owned(), agent.to_string()),
            (USER.to_owned(), person.to_string()),
        ]);
        metadata.extend(reach(writer, memory, &agent, now));
        if let [only] = known.services().as_slice()
            && let Ok(service) = segment::encode(only, "services")
        {
            metadata.insert(SERVICE.to_owned(), service);
        }
        // Preferences need the caller's own rights: a worker proposes none.
        let of_user = access::require_user(caller, memory, (&person, &user), Capability::Write).is_ok();
        let preferences = namespace_rules::session(SreType::Preferences, None)?;
        let reaches = access::event_view(caller, memory, &person, Some(&preferences), Capability::Write, now);
        if of_user && reaches.is_ok() {
            metadata.insert(PROPOSES.to_owned(), "yes".to_owned());
        }
        let mut event = self.engine.prepare(NewEvent {
            memory: memory.clone(),
            actor: agent,
            session: Some(session.clone()),
            time: asked.at,
            payload: Vec::new(),
            branch: None,
            metadata,
            extraction: ExtractionMode::Skip,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        })?;
        event.put_within(&view)?;
        Ok(event)
    }

    /// Returns the progress of reading an answer. Waits up to `wait_ms` for the end.
    ///
    /// # Errors
    /// `NotFound` if the job does not exist, or the caller may not read its answer; `Invalid` for
    /// `wait_ms` over 30,000.
    pub async fn agent_response_read(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        job: &JobId,
        wait_ms: u64,
    ) -> Result<ResponseRead> {
        if wait_ms > WAIT_MS_MAX {
            return Err(Error::invalid("wait_ms", "wait_ms must be at most 30000"));
        }
        let start = self.engine.clock().monotonic_us();
        loop {
            let seen = self.engine.wake().calls();
            let read = self.response_read_now(caller, memory, job).await?;
            let waited_ms = self.engine.clock().monotonic_us().saturating_sub(start) / 1_000;
            // The delay of a caller's own model is not known, so the call does not wait for it.
            let is_over = read.waits || matches!(read.state, JobState::Done | JobState::Failed);
            if is_over || waited_ms >= wait_ms {
                return Ok(read);
            }
            self.engine.pause(seen, LOOK_MS.min(wait_ms - waited_ms)).await;
        }
    }

    async fn response_read_now(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        job: &JobId,
    ) -> Result<ResponseRead> {
        let (caller, memory, id, now) = (caller.clone(), memory.clone(), job.clone(), self.engine.now());
        let settings = self.settings.of(&memory).clone();
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let job =
                    tx.jobs().get(&memory, &id)?.filter(|job| job.kind == crate::jobs::agent_response::KIND);
                let job = job.filter(|job| may_read(&caller, job, &settings, now));
                let reading = reading_of(tx, &memory, &id, now)?;
                Ok(job.map(|job| (job, reading)))
            })
            .await?;
        let (job, reading) =
            found.ok_or_else(|| Error::not_found("there is no such answer of an agent here").on("job"))?;
        let captured = reading.map(|reading| reading.captured);
        Ok(ResponseRead { state: job.state, waits: job.waits, captured, failure: job.failure_reason })
    }
}

/// The maximum wait, in milliseconds.
const WAIT_MS_MAX: u64 = 30_000;
/// The polling interval, in milliseconds. Jobs of other processes end without a notification.
const LOOK_MS: u64 = 20;

fn may_read(caller: &Principal, job: &Job, settings: &SreSettings, now: Timestamp) -> bool {
    let place: Option<(&ActorId, &SessionId)> = job.actor.as_ref().zip(job.session.as_ref());
    place.is_some_and(|(actor, session)| {
        let reporter = Reporter::of(caller, &job.memory, (actor, settings)).writes;
        let may = |capability| {
            access::event_view(&reporter, &job.memory, actor, Some(session), capability, now).is_ok()
        };
        may(Capability::Read) || may(Capability::Write)
    })
}

/// Returns the metadata of an event about an investigation: the incident, and a mark if it is
/// private.
pub(super) fn marks(known: &StoredInvestigation) -> BTreeMap<String, String> {
    let mut marks = BTreeMap::from([(INCIDENT.to_owned(), incident_word(&known.incident))]);
    marks.extend(known.private_to().map(|_| (PRIVATE.to_owned(), known.actor.to_string())));
    marks
}

/// Returns the incident as spelled in metadata of events.
pub(super) fn incident_word(incident: &str) -> String {
    hex::encode(incident).chars().take(limits::EVENT_METADATA_VALUE_CHARS_MAX).collect()
}

/// Returns the answer and its tool calls, with secrets masked.
fn payload(asked: &AgentResponse, policy: SafetyPolicy) -> Result<Vec<PayloadItem>> {
    let mut calls = Value::Array(asked.tool_calls.clone());
    secret_mask::mask(&mut calls, policy.secrets);
    let mut text = Value::String(asked.text.clone());
    secret_mask::mask(&mut text, policy.secrets);
    let text = text.as_str().unwrap_or_default().to_owned();
    let mut payload = vec![PayloadItem::Conversational { role: Role::Assistant, text }];
    if !asked.tool_calls.is_empty() {
        payload.push(PayloadItem::Blob(Document::from_value(&calls)?));
    }
    Ok(payload)
}

/// Returns metadata with the author of an event and the author's write access. A job acts with
/// these rights.
pub(super) fn reach(
    caller: &Principal,
    memory: &MemoryId,
    actor: &ActorId,
    now: Timestamp,
) -> BTreeMap<String, String> {
    let far = if access::require_whole(caller, memory, Capability::Write).is_ok() {
        REACH_WHOLE
    } else if access::event_view(caller, memory, actor, None, Capability::Write, now).is_ok() {
        REACH_ACTOR
    } else {
        REACH_SESSION
    };
    let mut reach = BTreeMap::from([(REACH.to_owned(), far.to_owned())]);
    // A name that is not a valid id identifies no user. Proposals for a user are then denied when
    // the answer is read.
    reach.extend(segment::encode(&caller.name, "caller").ok().map(|by| (BY.to_owned(), by)));
    reach
}

/// Returns a principal with the rights that the author of an event had at the time.
pub(super) fn in_stead(event: &Event) -> Principal {
    let capabilities = BTreeSet::from([Capability::Read, Capability::Write]);
    let word = |key: &str| event.metadata.get(key).map(String::as_str);
    let bounds = event.metadata.iter().filter(|(key, _)| !key.starts_with(OURS));
    let metadata = bounds.map(|(key, value)| (key.clone(), BTreeSet::from([value.clone()]))).collect();
    let whole = Grant { memory: Some(event.memory.clone()), capabilities, ..Grant::everything() };
    let own = Grant { metadata, ..whole.clone() };
    let mut grants = vec![match word(REACH) {
        Some(REACH_WHOLE) => whole,
        Some(REACH_ACTOR) => Grant { actor: Some(event.actor.clone()), ..own.clone() },
        _ => Grant { actor: Some(event.actor.clone()), session: Some(event.session.clone()), ..own.clone() },
    }];
    let user = word(USER).filter(|_| word(PROPOSES).is_some()).and_then(|user| ActorId::parse(user).ok());
    grants.extend(user.map(|user| Grant { actor: Some(user), ..own }));
    Principal { name: word(BY).map(segment::decode).unwrap_or_default(), grants }
}
