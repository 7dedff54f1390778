//! The job that reads an agent's answer. It reads knowledge blocks and contacts at once and without
//! a model. If the memory configures a model, the model then reads the prose; otherwise rules read
//! plain sentences. Each part is saved once, however often the job runs. Items from a model have
//! the source `extracted` and are always knowledge. `loci_engine::language_models` asks the model,
//! and the job decides when to ask again.

use std::collections::BTreeSet;

use loci_api::operations::investigation::CapturedRecord;
use loci_engine::access::segment;
use loci_engine::memories::existing;
use loci_engine::strategies::model_questions::question::{BadReply, Question};
use loci_model::event::{Event, PayloadItem};
use loci_model::idempotency::{TokenAnswer, TokenScope};
use loci_model::job::Job;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::record::derivation::RecordDerivation;
use loci_model::time::DAY_MS;
use loci_model::{Document, Error, EventId, JobId, MemoryId, RecordId, Result, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::agent_response::{AGENT, INCIDENT, JOB_KEY, SERVICE, USER, in_stead};
use super::capture::{AnswerContext, Captured, KnowledgeOrigin, RecordsByWord};
use super::evidence::reported_with;
use crate::Operations;
use crate::records::knowledge::digest_of;
use crate::records::save::PRIVATE;
use crate::{SreAction, capture};

/// The operation name under which the result of a reading is stored.
const RESULT: &str = "sre_agent_response";
/// The time to keep the result of a finished reading, in milliseconds: as long as a finished job.
const RESULT_MS: i64 = DAY_MS;

/// The state of reading an answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct AnswerReadState {
    /// The result so far.
    #[serde(flatten)]
    pub(super) captured: Captured,
    /// True while the reply of a model is pending.
    #[serde(default)]
    is_open: bool,
    /// The records of the knowledge blocks, while the reading is open.
    #[serde(default)]
    of_blocks: RecordsByWord,
    /// The records of items that a model read.
    #[serde(default)]
    by_model: Vec<String>,
}

/// A stored answer, with the context for reading it.
struct StoredAgentAnswer {
    event: Event,
    caller: Principal,
    mode: ModelMode,
    reading: Option<AnswerReadState>,
    agent: String,
    user: String,
    session: String,
    text: String,
    services: Vec<String>,
    calls: BTreeSet<String>,
}

impl StoredAgentAnswer {
    fn of(event: Event, mode: ModelMode, reading: Option<AnswerReadState>) -> Self {
        let word = |key: &str| event.metadata.get(key).map(|word| segment::decode(word)).unwrap_or_default();
        let text = event.payload.iter().find_map(|item| match item {
            PayloadItem::Conversational { text, .. } => Some(text.clone()),
            PayloadItem::Blob(_) | PayloadItem::Json(_) => None,
        });
        Self {
            caller: in_stead(&event),
            mode,
            reading,
            agent: word(AGENT),
            user: word(USER),
            session: segment::decode(event.session.as_str()),
            services: event.metadata.get(SERVICE).map(|word| segment::decode(word)).into_iter().collect(),
            text: text.unwrap_or_default(),
            calls: reported_with(&event),
            event,
        }
    }

    fn answer<'a>(&'a self, job: &'a Job) -> AnswerContext<'a> {
        AnswerContext {
            memory: &job.memory,
            incident: self.event.metadata.get(INCIDENT).map_or("", String::as_str),
            agent: &self.agent,
            session: &self.session,
            private_to: self.event.metadata.contains_key(PRIVATE).then(|| self.user.clone()),
            user: &self.user,
            text: &self.text,
            services: self.services.clone(),
            calls: &self.calls,
            job: Some(&job.id),
        }
    }
}

/// The question for a model about the prose of an answer.
pub(crate) struct ProseQuestion {
    /// The configured model mode.
    pub(crate) mode: ModelMode,
    /// The question.
    pub(crate) question: Question,
}

impl ProseQuestion {
    /// Parses the reply of a model.
    ///
    /// # Errors
    /// Any error in the form of the reply.
    pub(crate) fn read(&self, reply: &str) -> std::result::Result<capture::ProseReply, BadReply> {
        capture::read(reply)
    }
}

/// Returns the stored state of a job's reading.
pub(super) fn reading_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    job: &JobId,
    now: Timestamp,
) -> Result<Option<AnswerReadState>> {
    let kept = tx.idempotency().get(&scope_of(memory, job), now)?;
    Ok(kept.and_then(|kept| serde_json::from_str(kept.answer.as_str()).ok()))
}

fn scope_of(memory: &MemoryId, job: &JobId) -> TokenScope {
    TokenScope { place: memory.to_string(), operation: RESULT.to_owned(), token: job.to_string() }
}

impl Operations {
    /// Reads the parts of the job's answer that need no model. Returns the question for the model
    /// about the rest, or `None` if the reading is complete.
    pub(crate) async fn read_agent_response(&self, job: &Job) -> Result<Option<ProseQuestion>> {
        let Some(stored) = self.stored_answer(job).await? else { return Ok(None) };
        let answer = stored.answer(job);
        let (mut reading, is_new) = match &stored.reading {
            Some(reading) if !reading.is_open => return Ok(None),
            Some(reading) => (reading.clone(), false),
            None => {
                let (captured, of_blocks) = self.capture(&stored.caller, &answer).await?;
                (AnswerReadState { captured, of_blocks, is_open: true, ..AnswerReadState::default() }, true)
            }
        };
        let is_asked = stored.mode != ModelMode::None && self.captures_knowledge(&answer);
        let question = is_asked.then(|| capture::question(answer.agent, answer.text)).flatten();
        let Some(question) = question else {
            self.capture_sentences(&stored.caller, &answer, &mut reading.captured).await?;
            self.close_reading(job, reading).await?;
            return Ok(None);
        };
        if is_new {
            self.keep_reading(job, reading).await?;
        }
        Ok(Some(ProseQuestion { mode: stored.mode, question }))
    }

    /// Saves the items that a model read in the prose of an answer, by the rules of knowledge
    /// blocks: with the source `extracted`, and without evidence.
    pub(crate) async fn learn_from_prose(
        &self,
        job: &Job,
        told: capture::ProseReply,
        making: &RecordDerivation,
    ) -> Result<()> {
        let Some((stored, mut reading)) = self.open_reading(job).await? else { return Ok(()) };
        if told.without_evidence > 0 {
            let why = format!(
                "read by a model: evidence of {} items is not kept: what a call shows is the agent's to say, in a block",
                told.without_evidence
            );
            reading.captured.refuse(None, why);
        }
        // The time of a statement is the time of the agent's answer, regardless of the delay of the
        // model.
        let said_at = stored.event.time.min(self.engine.now());
        let mut seen = BTreeSet::new();
        let mut items = Vec::new();
        for mut item in told.items {
            if let Some(members) = item.as_object_mut() {
                members.insert("timestamp".to_owned(), json!(said_at.to_rfc3339()));
            }
            let said = digest_of(&item, self.engine.now());
            if let Some(record_id) = said.as_ref().and_then(|said| reading.of_blocks.get(said)) {
                let action = SreAction::Duplicate.as_str().to_owned();
                let known = CapturedRecord { record_id: record_id.clone(), action };
                if !reading.captured.saved.contains(&known) {
                    reading.captured.saved.push(known);
                }
            } else if said.is_none_or(|said| seen.insert(said)) {
                items.push(item);
            }
        }
        let answer = stored.answer(job);
        let items = (KnowledgeOrigin::Prose(making), items.as_slice());
        let records = self.capture_items(&stored.caller, &answer, items, &mut reading.captured).await?;
        reading.by_model = records.into_values().collect();
        self.close_reading(job, reading).await
    }

    /// Ends the reading of an answer without a model and records the reason. Facts in plain
    /// sentences are saved anyway.
    pub(crate) async fn leave_prose(&self, job: &Job, why: String) -> Result<()> {
        let Some((stored, mut reading)) = self.open_reading(job).await? else { return Ok(()) };
        reading.captured.refuse(None, why);
        self.capture_sentences(&stored.caller, &stored.answer(job), &mut reading.captured).await?;
        self.close_reading(job, reading).await
    }

    /// Returns the records of items that a model read in the answer of a job.
    pub(crate) async fn read_by_model(&self, job: &Job) -> Result<Vec<RecordId>> {
        let (memory, id, now) = (job.memory.clone(), job.id.clone(), self.engine.now());
        let reading = self.engine.store().read(move |tx| reading_of(tx, &memory, &id, now)).await?;
        reading.unwrap_or_default().by_model.into_iter().map(RecordId::parse).collect()
    }

    /// Returns the answer that a job names. If the answer was deleted, drops the exchanges of the
    /// job, which quote it, and returns `None`.
    async fn stored_answer(&self, job: &Job) -> Result<Option<StoredAgentAnswer>> {
        let (Some(actor), Some(session)) = (job.actor.clone(), job.session.clone()) else { return Ok(None) };
        let Ok(id) = EventId::parse(job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default()) else {
            return Ok(None);
        };
        let (memory, job_id, now, operations) =
            (job.memory.clone(), job.id.clone(), self.engine.now(), self.clone());
        let stored = self
            .engine
            .store()
            .read(move |tx| {
                let Some(event) = tx.events().get(&memory, &actor, &session, &id, now)? else {
                    return Ok(None);
                };
                let mode = operations.engine.model_mode(&existing(tx, &memory)?);
                let reading = reading_of(tx, &memory, &job_id, now)?;
                Ok(Some(StoredAgentAnswer::of(event, mode, reading)))
            })
            .await?;
        if stored.is_none() {
            let (memory, id) = (job.memory.clone(), job.id.clone());
            self.engine
                .store()
                .write(move |tx| tx.exchanges_mut().drop_of_job(&memory, &id).map(drop))
                .await?;
        }
        Ok(stored)
    }

    /// Returns the answer and its reading while the reply of a model is pending. `None` if the
    /// answer was deleted since the question, or if another attempt has finished.
    async fn open_reading(&self, job: &Job) -> Result<Option<(StoredAgentAnswer, AnswerReadState)>> {
        let Some(mut stored) = self.stored_answer(job).await? else { return Ok(None) };
        let reading = stored.reading.take().filter(|reading| reading.is_open);
        Ok(reading.map(|reading| (stored, reading)))
    }

    /// Stores the final result of a reading, and deletes the exchanges with the model.
    async fn close_reading(&self, job: &Job, reading: AnswerReadState) -> Result<()> {
        let over = AnswerReadState { is_open: false, of_blocks: RecordsByWord::new(), ..reading };
        self.keep_reading(job, over).await
    }

    async fn keep_reading(&self, job: &Job, reading: AnswerReadState) -> Result<()> {
        let value = serde_json::to_string(&reading)
            .map_err(|error| Error::bug("what came of an answer cannot be written down").caused_by(error))?;
        let answer = Document::parse(&value)?;
        let (memory, id, now, is_open) =
            (job.memory.clone(), job.id.clone(), self.engine.now(), reading.is_open);
        self.engine
            .store()
            .write(move |tx| {
                // An open question is kept as long as the event it is about.
                let expires = if is_open {
                    now.plus_days(existing(tx, &memory)?.event_expiry_days)
                } else {
                    tx.exchanges_mut().drop_of_job(&memory, &id)?;
                    now.plus_millis(RESULT_MS)
                };
                let kept = TokenAnswer { parameters: String::new(), answer: answer.clone(), expires };
                tx.idempotency_mut().put(&scope_of(&memory, &id), &kept)
            })
            .await
    }
}
