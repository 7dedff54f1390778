//! Pull mode for those who come: `question_next`, `question_answer`, `question_give_up`. A question is handed to one caller
//! at a time, under a lease; its answer is judged at once, by the grammar that the job uses.
//!
//! Answers are rows: the process that takes one need not be the one that runs the job. Only who may read and write the whole
//! memory sees its questions, for they hold what people said.

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
/// Questions come from other processes without a call: the table is looked at this often.
const LOOK_MS: u64 = 1_000;
/// A caller who brought an answer waits so long for the records.
const RECORDS_WAIT_MS: u64 = 5_000;
/// The end of a job in another process is looked for this often.
const END_LOOK_MS: u64 = 50;
/// Questions that too many tried are put aside one by one, at most so many in one look.
const PUT_ASIDE_MAX: usize = 100;

/// Characters of what somebody says who gives a question up.
const SAID_CHARS_MAX: usize = 200;

/// What a caller wants to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionAsk {
    /// Of this memory; `None`: of any that the caller may read and write whole.
    pub memory: Option<MemoryId>,
    /// Of these steps; empty: any.
    pub steps: Vec<Step>,
    /// How long it is theirs, 1,000 to 3,600,000.
    pub lease_ms: u64,
    /// How long to wait for one, at most 60,000.
    pub wait_ms: u64,
}

/// A question, and until when it is the caller's.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionTaken {
    /// The question.
    pub exchange: Exchange,
    /// The strategy that asks.
    pub strategy: Option<StrategyId>,
    /// The lease's end.
    pub lease_until: Timestamp,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionAnswered {
    /// Entries of the answer that became records; all that were read, while the job is not done.
    pub accepted: usize,
    /// Entries that became none: repeats, and what consolidation left out.
    pub discarded: usize,
    /// The records.
    pub records: Vec<RecordId>,
    /// Where the job stands: it may ask more, or not have come to an end yet.
    pub job: JobState,
    /// It waits for an answer to another question.
    pub waits: bool,
}

/// What is remembered of an answer that was taken; none of its content.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Taken {
    job: loci_model::JobId,
    entries: usize,
    at: Timestamp,
}

impl Engine {
    /// The oldest question that nobody has come for, for `lease_ms`; `None` if there is none within `wait_ms`.
    ///
    /// # Errors
    /// `Invalid` (`lease_ms`, `wait_ms`), `Denied` (a memory that the caller may not read and write whole).
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

    /// Looking is a read; only where there is a question, a write takes it.
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

    /// Takes an answer: judged at once, kept for the job, which goes on. Waits up to five seconds for the records.
    /// The same answer once more is answered the same.
    ///
    /// # Errors
    /// `Denied`, `NotFound` (the question: answered and done, given up, or never there), `TooLarge`, `Invalid` with reason
    /// `BadReply` and everything that is wrong in `details` (the question is open again), `Conflict` with reason
    /// `AlreadyAnswered` or `LeaseLost`.
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

    /// The caller cannot answer, and why (its first 200 characters are logged and told with the job): the question is open for others, unless too many tried; then the deterministic half
    /// takes its place.
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

    /// Waits for the end of the job, and says what the answer became.
    async fn answered(&self, memory: &MemoryId, taken: Taken) -> Result<QuestionAnswered> {
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

    /// Records of the job's session, or reflections of its namespace, that a caller's model made since then.
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

/// A question shows what people said, and its answer becomes records: it takes the right to both, on the whole memory.
fn require(caller: &Principal, memory: &MemoryId) -> Result<()> {
    access::require_whole(caller, memory, Capability::Read)?;
    access::require_whole(caller, memory, Capability::Write)
}

/// The memories whose questions are for a caller; none named: of any.
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

/// What an answer is remembered under: a question that is asked again, for its answer was none, takes another.
fn token(id: &ExchangeId, turn: u32, output: &str) -> Result<ClientToken> {
    ClientToken::new(format!("{id} {turn}"), &json!({ "output": output }))
}

/// What became of the same answer when it was brought before; an error where the question took another. Of a question that
/// is there the turn it is asked now counts, of one that is done every turn.
fn taken_before(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    id: &ExchangeId,
    output: &str,
    now: Timestamp,
) -> Result<Option<Taken>> {
    let turns = match tx.exchanges().get(memory, id)? {
        Some(exchange) => exchange.turn..=exchange.turn,
        None => 1..=limits::EXCHANGE_ATTEMPTS_MAX,
    };
    let mut took_another = false;
    for turn in turns {
        match recall::<Taken>(tx, Some(&token(id, turn, output)?), Some(memory), OPERATION, now)? {
            Replay::Same(first) => return Ok(Some(first)),
            Replay::Other(_) => took_another = true,
            Replay::Fresh => {}
        }
    }
    if took_another { Err(already_answered()) } else { Ok(None) }
}

/// Keeps a good answer for the job, which goes on, and remembers it.
fn take(
    tx: &mut dyn Tx,
    exchange: &Exchange,
    reply: &JobResult,
    entries: usize,
    now: Timestamp,
) -> Result<Taken> {
    let kept = StoredReply {
        text: reply.output.clone(),
        model: reply.model.clone().map(kept),
        usage: Usage::default(),
    };
    tx.exchanges_mut().answer(&exchange.memory, &exchange.id, &kept)?;
    tx.jobs_mut().wake(&exchange.memory, &exchange.job, now)?;
    let taken = Taken { job: exchange.job.clone(), entries, at: now };
    let token = token(&exchange.id, exchange.turn, &reply.output)?;
    let expires = now.plus_millis(limits::IDEMPOTENCY_MS);
    remember(tx, Some(&token), Some(&exchange.memory), OPERATION, &taken, expires)?;
    Ok(taken)
}

/// Millionths of a dollar, for counting.
fn microusd(cost_usd: f64) -> u64 {
    // Checked to be a number from 0; what is too much for a count is the most there is.
    (cost_usd * 1e6).round() as u64
}

/// What somebody said who gave a question up, in one line.
fn shortened(error: &str) -> String {
    kept(error.to_owned())
        .chars()
        .take(SAID_CHARS_MAX)
        .map(|char| if char.is_control() { ' ' } else { char })
        .collect()
}

/// The question, if the caller may answer it now: the first good answer counts, but not against another's lease.
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

/// Counts an answer of someone who never came for the question: an attempt all the same. How many there were.
fn count_attempt(tx: &mut dyn Tx, exchange: &Exchange, holder: &str, now: Timestamp) -> Result<u32> {
    if exchange.state != ExchangeState::Open {
        return Ok(exchange.attempts);
    }
    tx.exchanges_mut().lease(&exchange.memory, &exchange.id, holder, now, now)?;
    Ok(exchange.attempts.saturating_add(1))
}

/// The question is open again after an attempt; after the last one its job goes on without. How many attempts are left.
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
