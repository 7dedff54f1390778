//! The job that reads an agent's answer: its blocks and contacts at once and
//! without a model. A model then reads its prose where the memory asks one; otherwise plain
//! sentences are read. Each part is saved once, however often the job runs. Answers of a model are
//! extracted knowledge and nothing else. `loci_engine::language_models` asks the model, and the job
//! decides when to ask it again.

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
use loci_model::record::derivation::Making;
use loci_model::time::DAY_MS;
use loci_model::{Document, Error, EventId, JobId, MemoryId, RecordId, Result, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::capturing::{Answer, Captured, ReadIn, RecordsByWord};
use super::responding::{AGENT, INCIDENT, JOB_KEY, SERVICE, USER, in_stead};
use super::verifying::reported_with;
use crate::Operations;
use crate::records::knowledge::digest_of;
use crate::records::save::PRIVATE;
use crate::{SreAction, capture};

/// The operation under which a reading is kept.
const RESULT: &str = "sre_agent_response";
/// One that is over is kept as long as a job that is done.
const RESULT_MS: i64 = DAY_MS;

/// What an answer's reading has come to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Reading {
    /// What came of it so far.
    #[serde(flatten)]
    pub(super) captured: Captured,
    /// A model is to be heard still.
    #[serde(default)]
    is_open: bool,
    /// While it is: the records of what the blocks say.
    #[serde(default)]
    of_blocks: RecordsByWord,
    /// Records that say what a model read.
    #[serde(default)]
    by_model: Vec<String>,
}

/// A stored answer, with what is needed to read it.
struct Stored {
    event: Event,
    caller: Principal,
    mode: ModelMode,
    reading: Option<Reading>,
    agent: String,
    user: String,
    session: String,
    text: String,
    services: Vec<String>,
    calls: BTreeSet<String>,
}

impl Stored {
    fn of(event: Event, mode: ModelMode, reading: Option<Reading>) -> Self {
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

    fn answer<'a>(&'a self, job: &'a Job) -> Answer<'a> {
        Answer {
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

/// What a model is asked about the prose of an answer.
pub(crate) struct ProseQuestion {
    /// Which model is asked.
    pub(crate) mode: ModelMode,
    /// The question.
    pub(crate) question: Question,
}

impl ProseQuestion {
    /// What a model's answer says.
    ///
    /// # Errors
    /// Everything that is wrong with its form.
    pub(crate) fn read(&self, reply: &str) -> std::result::Result<capture::Told, BadReply> {
        capture::read(reply)
    }
}

/// The reading of an answer by a job, as far as it has come.
pub(super) fn reading_of(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    job: &JobId,
    now: Timestamp,
) -> Result<Option<Reading>> {
    let kept = tx.idempotency().get(&scope_of(memory, job), now)?;
    Ok(kept.and_then(|kept| serde_json::from_str(kept.answer.as_str()).ok()))
}

fn scope_of(memory: &MemoryId, job: &JobId) -> TokenScope {
    TokenScope { place: memory.to_string(), operation: RESULT.to_owned(), token: job.to_string() }
}

impl Operations {
    /// Reads what needs no model of the answer that a job names; what a model is to be asked then. `None` where all of it is read.
    pub(crate) async fn read_agent_response(&self, job: &Job) -> Result<Option<ProseQuestion>> {
        let Some(stored) = self.stored_answer(job).await? else { return Ok(None) };
        let answer = stored.answer(job);
        let (mut reading, is_new) = match &stored.reading {
            Some(reading) if !reading.is_open => return Ok(None),
            Some(reading) => (reading.clone(), false),
            None => {
                let (captured, of_blocks) = self.capture(&stored.caller, &answer).await?;
                (Reading { captured, of_blocks, is_open: true, ..Reading::default() }, true)
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

    /// Saves what a model read in the prose of an answer, by the rules of blocks: as extracted, and without evidence.
    pub(crate) async fn learn_from_prose(
        &self,
        job: &Job,
        told: capture::Told,
        making: &Making,
    ) -> Result<()> {
        let Some((stored, mut reading)) = self.open_reading(job).await? else { return Ok(()) };
        if told.without_evidence > 0 {
            let why = format!(
                "read by a model: evidence of {} items is not kept: what a call shows is the agent's to say, in a block",
                told.without_evidence
            );
            reading.captured.refuse(None, why);
        }
        // It was said when the agent answered, however late a model reads it.
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
        let items = (ReadIn::Prose(making), items.as_slice());
        let records = self.capture_items(&stored.caller, &answer, items, &mut reading.captured).await?;
        reading.by_model = records.into_values().collect();
        self.close_reading(job, reading).await
    }

    /// Ends the reading of an answer without a model, and says why: what its sentences state
    /// plainly is
    /// saved all the same.
    pub(crate) async fn leave_prose(&self, job: &Job, why: String) -> Result<()> {
        let Some((stored, mut reading)) = self.open_reading(job).await? else { return Ok(()) };
        reading.captured.refuse(None, why);
        self.capture_sentences(&stored.caller, &stored.answer(job), &mut reading.captured).await?;
        self.close_reading(job, reading).await
    }

    /// Records that say what a model read in the answer of a job.
    pub(crate) async fn read_by_model(&self, job: &Job) -> Result<Vec<RecordId>> {
        let (memory, id, now) = (job.memory.clone(), job.id.clone(), self.engine.now());
        let reading = self.engine.store().read(move |tx| reading_of(tx, &memory, &id, now)).await?;
        reading.unwrap_or_default().by_model.into_iter().map(RecordId::parse).collect()
    }

    /// The answer that a job names; none where it is gone: then nothing is left that quotes it.
    async fn stored_answer(&self, job: &Job) -> Result<Option<Stored>> {
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
                Ok(Some(Stored::of(event, mode, reading)))
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

    /// The same while a model is to be heard. It may have gone since it was asked about, or another try was faster.
    async fn open_reading(&self, job: &Job) -> Result<Option<(Stored, Reading)>> {
        let Some(mut stored) = self.stored_answer(job).await? else { return Ok(None) };
        let reading = stored.reading.take().filter(|reading| reading.is_open);
        Ok(reading.map(|reading| (stored, reading)))
    }

    /// Keeps the result of a reading, and forgets what was asked for it.
    async fn close_reading(&self, job: &Job, reading: Reading) -> Result<()> {
        let over = Reading { is_open: false, of_blocks: RecordsByWord::new(), ..reading };
        self.keep_reading(job, over).await
    }

    async fn keep_reading(&self, job: &Job, reading: Reading) -> Result<()> {
        let value = serde_json::to_string(&reading)
            .map_err(|error| Error::bug("what came of an answer cannot be written down").caused_by(error))?;
        let answer = Document::parse(&value)?;
        let (memory, id, now, is_open) =
            (job.memory.clone(), job.id.clone(), self.engine.now(), reading.is_open);
        self.engine
            .store()
            .write(move |tx| {
                // A question may wait as long as there is something to ask about.
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
