//! The job that converts unprocessed events of one actor and session to records of one strategy.
//!
//! It runs in rounds. A round reads events after the strategy's progress (`round.rs`, `window.rs`),
//! extracts (`candidates.rs`), embeds, finds near-duplicates, and writes all results and the
//! progress in one transaction. If the basis of a round changed meanwhile (the progress, or the
//! strategy's records in that namespace), it writes nothing and is planned again. A job that runs
//! twice, or in parallel to another, therefore writes once.
//!
//! If a model gives no answer after all tries, the deterministic extraction replaces it. The job
//! then fails with the reason and the affected messages, and extracts them again when it is
//! restarted.

mod candidates;
mod draft;
mod join;
mod neighbours;
mod resend;
mod round;
mod round_consolidation;
mod unread_messages;
mod window;
mod write;

use std::collections::HashMap;

use loci_model::job::{Job, JobMessage, JobWindow};
use loci_model::memory::settings::{ModelMode, WindowSettings};
use loci_model::ports::embedder::Vector;
use loci_model::ports::store::StoreExt;
use loci_model::{ActorId, Error, JobId, MemoryId, Result, SessionId, StrategyId, Timestamp};

pub(crate) use self::round::{messages_of, namespace_of};

use self::candidates::{GroupRead, ModelExtraction};
use self::draft::Draft;
use self::round::{Round, RoundDetails};
use self::round_consolidation::DraftOutcome;
use self::window::{Room, Unread};
use self::write::JobRemainder;
use super::{JobAttemptEnd, failure, lease, reflect};
use crate::Engine;
use crate::language_models::{Unanswered, Why};

/// The maximum number of times that a round is planned again because its data changed, before the
/// job pauses.
const PLANS_MAX: u32 = 6;
/// The pause of the job after that, in milliseconds.
const STEP_BACK_MS: i64 = 50;
/// The maximum number of events whose messages a failed job lists.
const NAMED_EVENTS_MAX: usize = 20;
/// Maximum number of messages that a failed job lists.
const NAMED_MESSAGES_MAX: usize = 100;

/// The strategy, actor and session of an extraction job.
#[derive(Debug, Clone)]
struct ExtractionScope {
    job: JobId,
    /// The name under which this process holds the job's lease.
    holder: String,
    memory: MemoryId,
    strategy: StrategyId,
    actor: ActorId,
    session: SessionId,
}

impl ExtractionScope {
    fn of(job: &Job) -> Result<Self> {
        match (&job.strategy, &job.actor, &job.session) {
            (Some(strategy), Some(actor), Some(session)) => Ok(Self {
                job: job.id.clone(),
                holder: lease::holder(job).to_owned(),
                memory: job.memory.clone(),
                strategy: strategy.clone(),
                actor: actor.clone(),
                session: session.clone(),
            }),
            _ => Err(Error::bug("an extraction job without strategy, actor or session")),
        }
    }
}

/// The vectors of texts in this try, so that a round that is planned again does not embed the
/// same texts again.
type Vectors = HashMap<String, Vector>;

/// Runs the job until no event is left to extract. It is not a failure if the memory, the
/// strategy or an event was removed meanwhile.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let mut run = ExtractionTry::begin(engine, job)?;
    while run.goes_on()
        && let Some(round) = round::read(engine, &run.place, &run.unread).await?
    {
        run.plans += 1;
        let (reads, fallback) = match run.read(&round).await? {
            ExtractionStep::Reads(reads) => (reads, None),
            ExtractionStep::Instead(reads, unanswered) => (reads, Some(unanswered)),
            ExtractionStep::Smaller => continue,
            ExtractionStep::End(ended) => return Ok(ended),
        };
        let drafts = draft::drafts(engine, &round, reads, &mut run.vectors).await?;
        if neighbours::complete(engine, &round, &drafts, &mut run.completed).await? {
            // The round was read before this write, so its decisions would be rejected.
            if run.plans >= PLANS_MAX {
                return Ok(run.step_back());
            }
            continue;
        }
        let drafts = neighbours::find(engine, &round, drafts).await?;
        let is_read = fallback.is_none();
        let (drafts, fallback) = match run.settle(&round, drafts, fallback).await? {
            RoundConsolidation::Settled(drafts, fallback) => (drafts, fallback),
            RoundConsolidation::End(ended) => return Ok(ended),
        };
        let leaving = run.leaving(&round, fallback.is_some(), is_read);
        let (told, unresolved, why) = (round.told.clone(), round.unresolved.clone(), round.reason.clone());
        let settings = round.memory.settings.window;
        if write::write(engine, round, drafts, leaving).await? {
            let by_window = told.window.is_some();
            run.written(told, fallback, unresolved, why);
            if by_window && run.stops_for_window(settings).await? {
                break;
            }
        } else if run.plans >= PLANS_MAX {
            return Ok(run.step_back());
        }
    }
    reflect::ask_where_due(engine, job).await?;
    Ok(run.ended())
}

/// The result of the extraction step of a round.
enum ExtractionStep {
    /// The records proposed for each group of the round.
    Reads(Vec<GroupRead>),
    /// The records that rules made because the model gave no answer, for the given reason.
    Instead(Vec<GroupRead>, Unanswered),
    /// The answer would be too long: a round with fewer messages must be read.
    Smaller,
    /// The try of the job ends in this way.
    End(JobAttemptEnd),
}

/// The result of the consolidation step of a round.
enum RoundConsolidation {
    /// The drafts with their decisions, and the failure if the model gave no answer in this step
    /// or in the extraction.
    Settled(Vec<Draft>, Option<Unanswered>),
    /// The try of the job ends in this way.
    End(JobAttemptEnd),
}

/// The state of one try of an extraction job.
struct ExtractionTry<'a> {
    engine: &'a Engine,
    job: &'a Job,
    place: ExtractionScope,
    unread: Unread,
    /// The messages that an earlier try stored for its question to the model, if any.
    fixed: Option<JobWindow>,
    /// The failure of the model in this try; it is then not asked again.
    out: Option<Unanswered>,
    /// The messages that rules extracted in place of the model, and the last reason.
    fell_back: Vec<JobMessage>,
    fallback_reason: Option<String>,
    /// The messages whose namespace cannot be determined, and the reason.
    failed: Vec<JobMessage>,
    reason: Option<String>,
    vectors: Vectors,
    completed: neighbours::EmbeddedNamespaces,
    plans: u32,
    /// The time at which events that arrived during this try are due for extraction.
    next: Option<Timestamp>,
}

impl<'a> ExtractionTry<'a> {
    fn begin(engine: &'a Engine, job: &'a Job) -> Result<Self> {
        let room = Room::whole(engine.settings.pipeline.input_tokens_max);
        // Messages that an earlier try failed on are read again, because the template or the model
        // may have changed.
        let only_again = job.unique_key.ends_with(&format!(" again {}", job.id));
        let unread = Unread { again: job.messages.clone(), only_again, window: job.window.clone(), room };
        Ok(Self {
            engine,
            job,
            place: ExtractionScope::of(job)?,
            unread,
            fixed: job.window.clone(),
            out: None,
            fell_back: Vec::new(),
            fallback_reason: None,
            failed: Vec::new(),
            reason: None,
            vectors: Vectors::new(),
            completed: neighbours::EmbeddedNamespaces::new(),
            plans: 0,
            next: None,
        })
    }

    /// Returns true if the job continues. A job that was restarted in parallel to a newer one of
    /// its session reads only old messages.
    fn goes_on(&self) -> bool {
        !self.unread.only_again || !self.unread.again.is_empty()
    }

    async fn read(&mut self, round: &Round) -> Result<ExtractionStep> {
        if round.told.mode == ModelMode::None {
            return Ok(ExtractionStep::Reads(candidates::deterministic(round, false)));
        }
        if let Some(out) = &self.out {
            return Ok(ExtractionStep::Instead(candidates::deterministic(round, true), out.clone()));
        }
        self.fix_window(round).await?;
        let unanswered =
            match candidates::by_model(self.engine, self.job, round, self.unread.room.tokens).await? {
                ModelExtraction::Made(reads) => return Ok(ExtractionStep::Reads(reads)),
                ModelExtraction::Waits => return Ok(ExtractionStep::End(JobAttemptEnd::Waits)),
                ModelExtraction::Unanswered(unanswered) => unanswered,
            };
        if unanswered.why == Why::CutOff && self.unread.room.halve(round.told.events, round.tokens()) {
            self.unread.window = None;
            return Ok(ExtractionStep::Smaller);
        }
        if let Some(ended) = self.asks_again(round, &unanswered) {
            return Ok(ExtractionStep::End(ended));
        }
        Ok(ExtractionStep::Instead(candidates::deterministic(round, true), unanswered))
    }

    /// Returns the end of the try if the model is asked again later; `None` if the deterministic
    /// extraction replaces it now.
    fn asks_again(&mut self, round: &Round, unanswered: &Unanswered) -> Option<JobAttemptEnd> {
        if let Some(mut ended) = failure::asked_again(self.engine, self.job, unanswered) {
            if let JobAttemptEnd::Unanswered { messages, .. } = &mut ended {
                *messages = self.owed(round, true);
            }
            return Some(ended);
        }
        tracing::warn!(job = %self.job.id, code = unanswered.code, "the deterministic half takes the model's place");
        self.engine.observe.extraction_failed(round.strategy.base, unanswered.code);
        if unanswered.why == Why::Service {
            self.out = Some(unanswered.clone());
        }
        None
    }

    /// Consolidates the drafts. After deterministic extraction, rules alone decide.
    async fn settle(
        &mut self,
        round: &Round,
        drafts: Vec<Draft>,
        fallback: Option<Unanswered>,
    ) -> Result<RoundConsolidation> {
        let by_rules = ModelMode::None;
        let mode = if fallback.is_some() { by_rules } else { round.told.mode };
        let settling = round_consolidation::DraftConsolidation { engine: self.engine, job: self.job, round };
        let unanswered = match settling.settle(&drafts, mode).await? {
            DraftOutcome::Decided(decisions) => {
                return Ok(RoundConsolidation::Settled(settling.put(drafts, decisions), fallback));
            }
            DraftOutcome::Waits => return Ok(RoundConsolidation::End(JobAttemptEnd::Waits)),
            DraftOutcome::Unanswered(unanswered) => unanswered,
        };
        if let Some(ended) = self.asks_again(round, &unanswered) {
            return Ok(RoundConsolidation::End(ended));
        }
        match settling.settle(&drafts, by_rules).await? {
            DraftOutcome::Decided(decisions) => {
                let mut drafts = settling.put(drafts, decisions);
                drafts.iter_mut().for_each(Draft::give_way_later);
                Ok(RoundConsolidation::Settled(drafts, Some(unanswered)))
            }
            DraftOutcome::Waits | DraftOutcome::Unanswered(_) => Err(Error::bug("rules alone ask nobody")),
        }
    }

    /// Stores the messages of the round before a model is asked, so that later events do not change
    /// the question.
    async fn fix_window(&mut self, round: &Round) -> Result<()> {
        let Some(window) = &round.told.window else { return Ok(()) };
        if self.fixed.as_ref() == Some(window) {
            return Ok(());
        }
        let (ExtractionScope { memory, job, holder, .. }, fixed) = (self.place.clone(), window.clone());
        let held = self
            .engine
            .store
            .write(move |tx| tx.jobs_mut().set_window(&memory, &job, &holder, Some(&fixed)))
            .await?;
        if !held {
            return Err(Error::conflict("the job is another runner's by now"));
        }
        self.fixed = Some(window.clone());
        self.unread.window = Some(window.clone());
        Ok(())
    }

    /// Returns the messages that remain to be read after this round, including the round's own if
    /// it failed.
    fn owed(&self, round: &Round, with_round: bool) -> Vec<JobMessage> {
        let own = if with_round { &round.told.messages } else { &round.unresolved };
        let messages = self.failed.iter().chain(&self.fell_back).chain(own).chain(&round.told.left);
        unread_messages::distinct(&self.job.id, messages.cloned())
    }

    /// Returns the data that the round leaves on its job. `is_read`: the model extracted the round,
    /// even if the rules consolidated it.
    fn leaving(&self, round: &Round, fallback: bool, is_read: bool) -> JobRemainder {
        let by_model = round.told.mode != ModelMode::None;
        let owed = self.owed(round, fallback);
        let is_owed = !owed.is_empty() || !self.job.messages.is_empty();
        JobRemainder {
            tidies: by_model || self.fixed.is_some() || is_owed,
            owed,
            replaces: if is_read { round.told.replaces.clone() } else { Vec::new() },
        }
    }

    fn written(
        &mut self,
        told: RoundDetails,
        fallback: Option<Unanswered>,
        unresolved: Vec<JobMessage>,
        why: Option<String>,
    ) {
        if let Some(Unanswered { code, explanation, .. }) = fallback {
            self.fallback_reason = Some(format!("{code}: {explanation}; the deterministic half ran"));
            let fell_back = std::mem::take(&mut self.fell_back).into_iter().chain(told.messages);
            self.fell_back = unread_messages::distinct(&self.job.id, fell_back);
        }
        if told.resent > 0 {
            self.engine.observe.resent(told.resent);
        }
        let failed = std::mem::take(&mut self.failed).into_iter().chain(unresolved);
        self.failed = unread_messages::distinct(&self.job.id, failed);
        self.reason = why.or(self.reason.take());
        self.unread.again = told.left;
        self.unread.window = None;
        self.unread.room = Room::whole(self.engine.settings.pipeline.input_tokens_max);
        self.fixed = None;
        self.vectors.clear();
        self.plans = 0;
    }

    /// Returns true if only events that arrived meanwhile are left and their window is still open.
    /// A job with a failure continues, because its end is reported once.
    async fn stops_for_window(&mut self, settings: WindowSettings) -> Result<bool> {
        if !self.fell_back.is_empty() || !self.failed.is_empty() {
            return Ok(false);
        }
        let claimed = self.job.updated_at;
        let since = self.job.window.as_ref().map_or(claimed, |window| window.opened_at.min(claimed));
        let (place, now) = (self.place.clone(), self.engine.clock.now());
        self.next =
            self.engine.store.read(move |tx| window::closes(tx, (&place, &settings), since, now)).await?;
        Ok(self.next.is_some())
    }

    /// Ends the try after repeated conflicts with other writers. The pending messages stay with the
    /// job.
    fn step_back(&self) -> JobAttemptEnd {
        let then = self.engine.clock.now().plus_millis(STEP_BACK_MS);
        let owed = self.failed.iter().chain(&self.fell_back).chain(&self.unread.again);
        let messages = unread_messages::distinct(&self.job.id, owed.cloned());
        if messages.is_empty() {
            return JobAttemptEnd::Again(then);
        }
        let reason = "STATE_CHANGED: others changed the same records again and again".to_owned();
        JobAttemptEnd::Unanswered { reason, messages, retry_at: then }
    }

    fn ended(self) -> JobAttemptEnd {
        let Self { job, failed, reason, fell_back, fallback_reason, next, .. } = self;
        let messages = unread_messages::distinct(&job.id, fell_back.into_iter().chain(failed));
        match (fallback_reason, reason) {
            (None, None) => next.map_or(JobAttemptEnd::Done, JobAttemptEnd::Again),
            (None, Some(reason)) => {
                JobAttemptEnd::Failed(format!("{}: {reason}", failure::NAMESPACE), messages)
            }
            (Some(reason), _) => JobAttemptEnd::FellBack(reason, messages),
        }
    }
}

/// Returns the messages that a job would read next.
pub(super) async fn messages(engine: &Engine, job: &Job) -> Result<Vec<JobMessage>> {
    if job.kind != loci_model::job::JobKind::EXTRACT {
        return Ok(Vec::new());
    }
    let place = ExtractionScope::of(job)?;
    let now = engine.clock.now();
    let (kept, events) = engine
        .store
        .read(move |tx| {
            let read = tx.events().progress(&place.memory, &place.strategy, &place.actor, &place.session)?;
            let (memory, actor, session) = (&place.memory, &place.actor, &place.session);
            let events = tx.events().unprocessed(memory, actor, session, read, NAMED_EVENTS_MAX, now)?;
            // Messages that must be read again must outlive the failure.
            let mut kept = tx.jobs().get(memory, &place.job)?.map(|job| job.messages).unwrap_or_default();
            kept.retain(|message| !events.iter().any(|event| event.id == message.event));
            Ok((kept, events))
        })
        .await?;
    let mut messages: Vec<JobMessage> = events.iter().flat_map(round::messages_of).collect();
    messages.truncate(NAMED_MESSAGES_MAX);
    Ok(kept.into_iter().chain(messages).collect())
}
