//! The operations of pull mode: `question_next`, `question_answer`, `question_give_up`. A client
//! holds a question under a lease, and no other client gets it meanwhile. Its answer is checked
//! immediately, by the parser that the job uses.
//!
//! Answers are rows: the process that accepts one need not run the job. Questions contain user
//! text, so only callers that may read and write the whole memory see them.

use loci_api::pull::JobResult;
use loci_model::job::exchange::{Exchange, ExchangeState, Step, StoredReply, Usage};
use loci_model::job::{Job, JobState};
use loci_model::ports::store::{StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::derivation::MakingMode;
use loci_model::{
    Error, ErrorKind, ExchangeId, MemoryId, Reason, RecordId, Result, StrategyId, Timestamp, limits,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::calls::idempotency::{ClientToken, Replay, recall, remember};
use crate::safety::kept;
use crate::strategies::model_questions::question::BadReply;
use crate::{Engine, access};

const OPERATION: &str = "QuestionAnswer";
/// The time between two reads of the table of questions, in milliseconds. Questions from other
/// processes do not wake a waiting client.
const LOOK_MS: u64 = 1_000;
/// The maximum time that `question_answer` waits for the records made from an answer, in
/// milliseconds.
const RECORDS_WAIT_MS: u64 = 5_000;
/// The time between two checks if a job in another process has ended, in milliseconds.
const END_LOOK_MS: u64 = 50;
/// The maximum number of questions with too many attempts that one call gives up.
const PUT_ASIDE_MAX: usize = 100;

/// The maximum length of a client's explanation for giving up, in characters.
const SAID_CHARS_MAX: usize = 200;

/// A client's request for the next question to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionAsk {
    /// The memory whose questions are wanted; `None` means every memory that the caller may read
    /// and write completely.
    pub memory: Option<MemoryId>,
    /// The steps whose questions are wanted; empty means all steps.
    pub steps: Vec<Step>,
    /// The duration of the lease on the question, in milliseconds, 1,000 to 3,600,000.
    pub lease_ms: u64,
    /// The maximum time to wait for a question, in milliseconds, at most 60,000.
    pub wait_ms: u64,
}

/// A question that the caller has under a lease.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionTaken {
    /// The question, with its prompt and input.
    pub exchange: Exchange,
    /// The strategy whose job asks; `None` for a job without a strategy.
    pub strategy: Option<StrategyId>,
    /// The time at which the caller's lease ends and another client may get the question.
    pub lease_until: Timestamp,
}

/// The result of submitting an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionAnswered {
    /// The number of entries of the answer that became records. While the job has not ended, the
    /// number of all entries.
    pub accepted: usize,
    /// The number of entries that became no records, because they repeat existing ones or
    /// consolidation skipped them.
    pub discarded: usize,
    /// The records that the job made from the answer, as far as they exist yet.
    pub records: Vec<RecordId>,
    /// The state of the job, which may still run or ask another question.
    pub job: JobState,
    /// True if the job waits for the answer to another question.
    pub waits: bool,
}

/// The data that is stored about an accepted answer, without its content, so that a repeated
/// answer gets the same result.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct AcceptedAnswer {
    job: loci_model::JobId,
    entries: usize,
    at: Timestamp,
}

impl Engine {
    /// Returns the oldest question that no client has, under a lease of `lease_ms`; `None` if
    /// there is no such question within `wait_ms`.
    ///
    /// # Errors
    /// `Invalid` (`lease_ms`, `wait_ms`), `Denied` (a memory that the caller may not read and write
    /// completely).
    pub async fn question_next(
        &self,
        caller: &Principal,
        ask: &QuestionAsk,
    ) -> Result<Option<QuestionTaken>> {
        if !(limits::PULL_LEASE_MS_MIN..=limits::PULL_LEASE_MS_MAX).contains(&ask.lease_ms) {
            return Err(Error::invalid("lease_ms", "lease_ms must be 1000 to 3600000"));
        }
        if ask.wait_ms > limits::PULL_WAIT_MS_MAX {
            return Err(Error::invalid("wait_ms", "wait_ms must be at most 60000"));
        }
        let memories = match &ask.memory {
            Some(memory) => {
                require(caller, memory)?;
                vec![memory.clone()]
            }
            None => answered_by(caller)?,
        };
        let start = self.clock.monotonic_us();
        loop {
            let seen = self.wake.calls();
            if let Some(taken) = self.take_question(caller, &memories, ask).await? {
                return Ok(Some(taken));
            }
            let waited_ms = self.clock.monotonic_us().saturating_sub(start) / 1000;
            if waited_ms >= ask.wait_ms {
                return Ok(None);
            }
            self.pause(seen, LOOK_MS.min(ask.wait_ms - waited_ms)).await;
        }
    }

    /// Gives the caller a lease on a question. The search is a read; a write follows only if
    /// there is a question.
    async fn take_question(
        &self,
        caller: &Principal,
        memories: &[MemoryId],
        ask: &QuestionAsk,
    ) -> Result<Option<QuestionTaken>> {
        let now = self.clock.now();
        let (among, steps) = (memories.to_vec(), ask.steps.clone());
        let open = self.store.read(move |tx| tx.exchanges().next_open(&among, &steps, now)).await?;
        if open.is_none() {
            return Ok(None);
        }
        let (among, steps, holder) = (memories.to_vec(), ask.steps.clone(), caller.name.clone());
        let until = now.plus_millis(i64::try_from(ask.lease_ms).unwrap_or(i64::MAX));
        let (taken, woken) = self
            .store
            .write(move |tx| {
                let mut woken = false;
                for _ in 0..PUT_ASIDE_MAX {
                    let Some(open) = tx.exchanges().next_open(&among, &steps, now)? else { break };
                    if open.attempts >= limits::EXCHANGE_ATTEMPTS_MAX {
                        put_aside(tx, &open, now, None)?;
                        woken = true;
                        continue;
                    }
                    let job = tx.jobs().get(&open.memory, &open.job)?;
                    tx.exchanges_mut().lease(&open.memory, &open.id, &holder, now, until)?;
                    let strategy = job.and_then(|job| job.strategy);
                    return Ok((Some(QuestionTaken { exchange: open, strategy, lease_until: until }), woken));
                }
                Ok((None, woken))
            })
            .await?;
        if woken {
            self.wake.call();
        }
        Ok(taken)
    }

    /// Accepts the answer of a client's model: checks it, stores it for the job, and makes the
    /// job continue. The call waits up to five seconds for the records. A repeated answer gets
    /// the same result.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (unknown question, given up, or answered by a job that is done),
    /// `TooLarge`, `Invalid` with reason `BadReply` and all defects in `details` (the question is
    /// open again), `Conflict` with reason `AlreadyAnswered` or `LeaseLost`.
    pub async fn question_answer(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &ExchangeId,
        reply: JobResult,
    ) -> Result<QuestionAnswered> {
        require(caller, memory)?;
        check(&reply)?;
        let now = self.clock.now();
        let cost_microusd = reply.cost_usd.map(microusd);
        let (place, question, holder) = (memory.clone(), id.clone(), caller.name.clone());
        let products = self.products.clone();
        let taken = self
            .store
            .write(move |tx| {
                if let Some(first) = taken_before(tx, &place, &question, &reply.output, now)? {
                    return Ok(Ok((first, None)));
                }
                let exchange = answerable(tx, &place, &question, &holder, now)?;
                let entries = match products.reply_entries(&exchange, &reply.output) {
                    Ok(entries) => entries,
                    Err(bad) => {
                        let left = give_back(tx, &exchange, &holder, now, None)?;
                        return Ok(Err((bad, left)));
                    }
                };
                count_attempt(tx, &exchange, &holder, now)?;
                let taken = take(tx, &exchange, &reply, entries, now)?;
                Ok(Ok((taken, Some(exchange.step))))
            })
            .await?;
        self.wake.call();
        match taken {
            Ok((taken, step)) => {
                if let Some(step) = step {
                    self.observe.pulled_answer(step, cost_microusd);
                }
                self.answered(memory, taken).await
            }
            Err((bad, left)) => Err(refused(&bad, left)),
        }
    }

    /// Returns a question that the caller's model cannot answer. The first 200 characters of the
    /// reason are logged and stored with the job. Other clients may answer the question; after
    /// too many attempts, the extraction works without a model.
    ///
    /// # Errors
    /// As [`Engine::question_answer`].
    pub async fn question_give_up(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &ExchangeId,
        error: &str,
    ) -> Result<()> {
        require(caller, memory)?;
        let now = self.clock.now();
        let (place, question, holder) = (memory.clone(), id.clone(), caller.name.clone());
        let said = shortened(error);
        tracing::info!(%memory, exchange = %id, %said, "a caller's model gives a question up");
        self.store
            .write(move |tx| {
                let exchange = answerable(tx, &place, &question, &holder, now)?;
                give_back(tx, &exchange, &holder, now, Some(&said)).map(drop)
            })
            .await?;
        self.wake.call();
        Ok(())
    }

    /// Waits for the end of the job, and returns the result of the answer.
    async fn answered(&self, memory: &MemoryId, taken: AcceptedAnswer) -> Result<QuestionAnswered> {
        let start = self.clock.monotonic_us();
        let job = loop {
            let seen = self.wake.calls();
            let (place, id) = (memory.clone(), taken.job.clone());
            let job = self.store.read(move |tx| tx.jobs().get(&place, &id)).await?;
            let waited_ms = self.clock.monotonic_us().saturating_sub(start) / 1000;
            match job {
                Some(job) if !has_ended(&job) && waited_ms < RECORDS_WAIT_MS => {
                    self.pause(seen, END_LOOK_MS.min(RECORDS_WAIT_MS - waited_ms)).await;
                }
                job => break job,
            }
        };
        let records = match &job {
            Some(job) if has_ended(job) => self.made_since(job, taken.at).await?,
            Some(_) | None => Vec::new(),
        };
        let is_done = job.as_ref().is_none_or(|job| job.state == JobState::Done);
        let accepted = if is_done { records.len().min(taken.entries) } else { taken.entries };
        Ok(QuestionAnswered {
            accepted,
            discarded: taken.entries.saturating_sub(accepted),
            records,
            job: job.as_ref().map_or(JobState::Done, |job| job.state),
            waits: job.is_some_and(|job| job.waits),
        })
    }

    /// Returns the records that a client's model made for the job since the given time: records
    /// of the job's session, or reflections of its namespace.
    async fn made_since(&self, job: &Job, since: Timestamp) -> Result<Vec<RecordId>> {
        let handler = self.job_handler(job)?;
        if let Some(records) = handler.pulled_records(self, job, since) {
            return records.await;
        }
        let (Some(strategy), Some(actor), Some(session)) =
            (job.strategy.clone(), job.actor.clone(), job.session.clone())
        else {
            return Ok(Vec::new());
        };
        let memory = job.memory.clone();
        let mut made = self
            .store
            .read(move |tx| tx.records().by_making(&memory, &strategy, &actor, &session, MakingMode::Pull))
            .await?;
        made.retain(|record| record.updated_at >= since);
        Ok(made.into_iter().map(|record| record.id).collect())
    }
}

/// Checks that the caller may read and write the whole memory, because a question shows users'
/// texts and its answer becomes records.
fn require(caller: &Principal, memory: &MemoryId) -> Result<()> {
    access::require_whole(caller, memory, Capability::Read)?;
    access::require_whole(caller, memory, Capability::Write)
}

/// Returns the memories whose questions the caller may answer; an empty list means all memories.
fn answered_by(caller: &Principal) -> Result<Vec<MemoryId>> {
    let of = |capability| access::whole_memories(caller, capability);
    let memories = match (of(Capability::Read), of(Capability::Write)) {
        (None, None) => return Ok(Vec::new()),
        (None, Some(memories)) | (Some(memories), None) => memories,
        (Some(mut read), Some(written)) => {
            read.retain(|memory| written.contains(memory));
            read
        }
    };
    if memories.is_empty() {
        return Err(Error::denied("the caller's grants allow reading and writing no whole memory"));
    }
    Ok(memories)
}

fn has_ended(job: &Job) -> bool {
    job.waits || matches!(job.state, JobState::Done | JobState::Failed)
}

fn check(reply: &JobResult) -> Result<()> {
    if reply.output.len() > limits::MODEL_REPLY_BYTES_MAX {
        let rule = format!("output must have at most {} bytes", limits::MODEL_REPLY_BYTES_MAX);
        return Err(Error::new(ErrorKind::TooLarge, rule).on("output"));
    }
    if reply.cost_usd.is_some_and(|cost| !cost.is_finite() || cost < 0.0) {
        return Err(Error::invalid("cost_usd", "cost_usd must be a number from 0"));
    }
    if reply.model.as_ref().is_some_and(|model| model.chars().count() > limits::SHORT_TEXT_CHARS_MAX) {
        return Err(Error::invalid("model", "model must have at most 4096 characters"));
    }
    Ok(())
}

/// Returns the idempotency token for an answer. A question that is asked again after an invalid
/// answer has another turn, and therefore another token.
fn token(id: &ExchangeId, turn: u32, output: &str) -> Result<ClientToken> {
    ClientToken::new(format!("{id} {turn}"), &json!({ "output": output }))
}

/// Returns the stored result if the same answer was submitted before; an error if the question
/// got another answer. While the question exists, only answers in its current turn count;
/// afterwards those of every turn.
fn taken_before(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    id: &ExchangeId,
    output: &str,
    now: Timestamp,
) -> Result<Option<AcceptedAnswer>> {
    let turns = match tx.exchanges().get(memory, id)? {
        Some(exchange) => exchange.turn..=exchange.turn,
        None => 1..=limits::EXCHANGE_ATTEMPTS_MAX,
    };
    let mut took_another = false;
    for turn in turns {
        match recall::<AcceptedAnswer>(tx, Some(&token(id, turn, output)?), Some(memory), OPERATION, now)? {
            Replay::Same(first) => return Ok(Some(first)),
            Replay::Other(_) => took_another = true,
            Replay::Fresh => {}
        }
    }
    if took_another { Err(already_answered()) } else { Ok(None) }
}

/// Stores a valid answer, makes the job continue, and stores the result for a repetition of the
/// answer.
fn take(
    tx: &mut dyn Tx,
    exchange: &Exchange,
    reply: &JobResult,
    entries: usize,
    now: Timestamp,
) -> Result<AcceptedAnswer> {
    let kept = StoredReply {
        text: reply.output.clone(),
        model: reply.model.clone().map(kept),
        usage: Usage::default(),
    };
    tx.exchanges_mut().answer(&exchange.memory, &exchange.id, &kept)?;
    tx.jobs_mut().wake(&exchange.memory, &exchange.job, now)?;
    let taken = AcceptedAnswer { job: exchange.job.clone(), entries, at: now };
    let token = token(&exchange.id, exchange.turn, &reply.output)?;
    let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
    remember(tx, Some(&token), Some(&exchange.memory), OPERATION, &taken, expires)?;
    Ok(taken)
}

/// Converts US dollars to millionths of a dollar.
fn microusd(cost_usd: f64) -> u64 {
    // The value was checked to be at least 0; the conversion saturates at the maximum.
    (cost_usd * 1e6).round() as u64
}

/// Returns a client's explanation for giving up as one line of limited length.
fn shortened(error: &str) -> String {
    kept(error.to_owned())
        .chars()
        .take(SAID_CHARS_MAX)
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}

/// Returns a question that the caller may answer now. A caller without a lease may answer too,
/// unless another client has the lease.
fn answerable(
    tx: &dyn Tx,
    memory: &MemoryId,
    id: &ExchangeId,
    holder: &str,
    now: Timestamp,
) -> Result<Exchange> {
    let gone = "no such question: it was answered and its job is done, it was given up, or it never was";
    let exchange = tx.exchanges().get(memory, id)?.ok_or_else(|| Error::not_found(gone))?;
    match exchange.state {
        ExchangeState::Open => Ok(exchange),
        ExchangeState::Leased => {
            let is_live = exchange.lease_until.is_some_and(|until| until > now);
            if is_live && exchange.leased_by.as_deref().is_some_and(|other| other != holder) {
                let rule = "the lease ran out and the question is another's: ask for the next one";
                return Err(Error::conflict(rule).because(Reason::LeaseLost));
            }
            Ok(exchange)
        }
        ExchangeState::Answered => Err(already_answered()),
        ExchangeState::Failed => Err(Error::not_found(gone)),
    }
}

fn already_answered() -> Error {
    Error::conflict("the question has its answer already").because(Reason::AlreadyAnswered)
}

/// Counts an attempt by a client that answers without a lease, and returns the number of
/// attempts.
fn count_attempt(tx: &mut dyn Tx, exchange: &Exchange, holder: &str, now: Timestamp) -> Result<u32> {
    if exchange.state != ExchangeState::Open {
        return Ok(exchange.attempts);
    }
    tx.exchanges_mut().lease(&exchange.memory, &exchange.id, holder, now, now)?;
    Ok(exchange.attempts.saturating_add(1))
}

/// Offers a question to clients again after a failed attempt. After the last attempt the job
/// continues without an answer. Returns the number of attempts that remain.
fn give_back(
    tx: &mut dyn Tx,
    exchange: &Exchange,
    holder: &str,
    now: Timestamp,
    said: Option<&str>,
) -> Result<u32> {
    let attempts = count_attempt(tx, exchange, holder, now)?;
    let left = limits::EXCHANGE_ATTEMPTS_MAX.saturating_sub(attempts);
    if left == 0 {
        put_aside(tx, exchange, now, said)?;
    } else {
        tx.exchanges_mut().reopen(&exchange.memory, &exchange.id)?;
    }
    Ok(left)
}

fn put_aside(tx: &mut dyn Tx, exchange: &Exchange, now: Timestamp, said: Option<&str>) -> Result<()> {
    tx.exchanges_mut().fail(&exchange.memory, &exchange.id, said)?;
    tx.jobs_mut().wake(&exchange.memory, &exchange.job, now).map(drop)
}

fn refused(bad: &BadReply, left: u32) -> Error {
    let remedy = match left {
        0 => "no attempt is left, and the deterministic half takes its place",
        _ => "mend it and bring it again",
    };
    Error::new(ErrorKind::Invalid, format!("the answer does not have the form that was asked for: {remedy}"))
        .on("output")
        .because(Reason::BadReply)
        .listing(bad.violations.clone())
}
