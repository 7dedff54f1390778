//! The job that derives reflections from several episodes: one per strategy, namespace of
//! reflections and size of the window.
//!
//! Its input is fixed before a model is asked (`window.rs`), so a repeated try asks the same
//! question and uses a stored answer. The engine itself counts episodes
//! (`strategies::reflection_model`). Records and the end of the job are one write (`write.rs`),
//! which changes nothing if its basis changed. `reflection_schedule.rs` schedules the job.
//!
//! Reflections have no deterministic alternative: if no model answers, the job fails with the
//! reason, and can be restarted.

mod draft;
mod reflection_schedule;
mod window;
mod write;

use loci_model::job::exchange::Step;
use loci_model::job::{Job, JobWindow};
use loci_model::ports::observe::StepObservation;
use loci_model::ports::store::StoreExt;
use loci_model::{Error, MemoryId, Namespace, Result, StrategyId, Timestamp, limits};

pub use reflection_schedule::ReflectionAsk;
pub(super) use reflection_schedule::ask_where_due;
pub(crate) use window::made_since;
pub use write::{close, nothing as closed};

use self::window::ReflectionInput;
use super::{JobAttemptEnd, failure, lease};
use crate::Engine;
use crate::language_models::{QuestionOutcome, Unanswered, ask};
use crate::strategies::episodes::reflection_model;

/// The maximum number of times that a reflection is planned again because its data changed,
/// before the job pauses.
const PLANS_MAX: u32 = 6;
/// The pause of the job after that, in milliseconds.
const STEP_BACK_MS: i64 = 50;
/// The explanation of a job that failed because no model answered.
const NO_OTHER_HALF: &str =
    "reflections have no deterministic half: nothing was written, start the job again";

/// The parameters of a reflection job, which are encoded in its key.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReflectionParameters {
    memory: MemoryId,
    strategy: StrategyId,
    namespace: Namespace,
    /// The maximum number of episodes that the reflection considers.
    size: usize,
}

impl ReflectionParameters {
    fn key(&self) -> String {
        format!("reflect {} {} {}", self.size, self.strategy, self.namespace.as_str())
    }

    fn of(job: &Job) -> Result<Self> {
        let odd = || Error::bug("a reflection whose key says nothing");
        let mut parts = job.unique_key.splitn(4, ' ').skip(1);
        let size = parts.next().and_then(|size| size.parse().ok()).ok_or_else(odd)?;
        let strategy = StrategyId::parse(parts.next().ok_or_else(odd)?)?;
        let namespace = Namespace::parse(parts.next().ok_or_else(odd)?)?;
        Ok(Self { memory: job.memory.clone(), strategy, namespace, size })
    }
}

/// Runs until the answer is written. A memory, strategy or model that was removed meanwhile is no
/// failure.
pub(super) async fn run(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let started = engine.clock.monotonic_us();
    let ended = try_once(engine, job).await;
    let outcome = match &ended {
        Ok(JobAttemptEnd::Done | JobAttemptEnd::Noted | JobAttemptEnd::Again(_)) => "ok",
        Ok(JobAttemptEnd::Waits) => "waits",
        Ok(JobAttemptEnd::Unanswered { .. } | JobAttemptEnd::Failed(..) | JobAttemptEnd::FellBack(..)) => {
            "unanswered"
        }
        Err(_) => "error",
    };
    engine.observe.step(&StepObservation {
        step: "reflect",
        strategy: Some(loci_model::memory::strategy::StrategyBase::Episodic),
        outcome,
        elapsed_us: engine.clock.monotonic_us().saturating_sub(started),
    });
    ended
}

async fn try_once(engine: &Engine, job: &Job) -> Result<JobAttemptEnd> {
    let place = ReflectionParameters::of(job)?;
    let opened_at = opened(engine, job, place.size).await?;
    for _ in 0..PLANS_MAX {
        let Some(look) = window::look(engine, &place, opened_at).await? else {
            return write::nothing(engine, job).await;
        };
        if look.is_too_little() {
            return write::nothing(engine, job).await;
        }
        let tokens_max = engine.settings.pipeline.input_tokens_max;
        let titles: Vec<String> = look.titles();
        let question = reflection_model::question(&look.episodes, &titles, &look.reflection, tokens_max)
            .ok_or_else(|| Error::bug("a prompt without a name"))?;
        let read = |reply: &str| reflection_model::insights(reply);
        let (insights, by) = match ask(engine, job, look.mode, Step::Reflect, &question, &read).await? {
            QuestionOutcome::Read(insights, by) => (insights, by),
            QuestionOutcome::Off => return write::nothing(engine, job).await,
            QuestionOutcome::Waits => return Ok(JobAttemptEnd::Waits),
            QuestionOutcome::Unanswered(unanswered) => return unanswered_end(engine, job, &unanswered).await,
        };
        let Some(ground) = window::ground(engine, &place, &look).await? else { continue };
        let drafts = draft::drafts(engine, &place, &look, &ground, insights, &by.making()).await?;
        if write::write(engine, job, &look, &ground, drafts).await? {
            return Ok(JobAttemptEnd::Noted);
        }
    }
    Ok(JobAttemptEnd::Again(engine.clock.now().plus_millis(STEP_BACK_MS)))
}

/// Returns the time at which the window was opened. Every try of the job uses the state at that
/// time.
pub async fn opened(engine: &Engine, job: &Job, size: usize) -> Result<Timestamp> {
    if let Some(window) = &job.window {
        return Ok(window.opened_at);
    }
    let opened_at = engine.clock.now();
    let window = JobWindow { from: 0, to: size as u64, notice: None, opened_at };
    let held_by = job.clone();
    let held = engine
        .store
        .write(move |tx| {
            let (memory, id) = (&held_by.memory, &held_by.id);
            tx.jobs_mut().set_window(memory, id, lease::holder(&held_by), Some(&window))
        })
        .await?;
    if held { Ok(opened_at) } else { Err(Error::conflict("the job is another runner's by now")) }
}

/// Returns the end of a job whose model gave no answer. The model is asked again if that may help.
/// Otherwise the question is removed, and a restart opens a new window.
async fn unanswered_end(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Result<JobAttemptEnd> {
    if let Some(ended) = failure::asked_again(engine, job, unanswered) {
        return Ok(ended);
    }
    engine.observe.extraction_failed(loci_model::memory::strategy::StrategyBase::Episodic, unanswered.code);
    write::close(engine, job).await?;
    Ok(JobAttemptEnd::Failed(format!("{}; {NO_OTHER_HALF}", unanswered.reason()), Vec::new()))
}

/// The number of episodes that a reflection considers by default.
const WINDOW_DEFAULT: u32 = 50;

const _: () = assert!(WINDOW_DEFAULT as usize <= limits::REFLECT_WINDOW_MAX);

impl ReflectionInput {
    /// Returns true if there are fewer episodes than a reflection requires, so that the model need
    /// not be asked.
    fn is_too_little(&self) -> bool {
        self.episodes.len() < self.min_episodes as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_say_what_jobs_are_about() {
        let place = ReflectionParameters {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            strategy: StrategyId::parse("episodes-0123456789").unwrap(),
            namespace: Namespace::parse("/episodes/org/user:1/").unwrap(),
            size: 50,
        };
        let key = place.key();
        assert_eq!(key, "reflect 50 episodes-0123456789 /episodes/org/user:1/");
        let job = |key: &str| Job {
            id: loci_model::JobId::parse("0192d1e8-7b7a-7c3e-8f00-000000000000").unwrap(),
            memory: place.memory.clone(),
            kind: loci_model::job::JobKind::REFLECT,
            unique_key: key.to_owned(),
            strategy: None,
            actor: None,
            session: None,
            state: loci_model::job::JobState::Running,
            due: Timestamp::EPOCH,
            lease_host: None,
            lease_until: None,
            rerun: false,
            attempts: 1,
            failure_reason: None,
            messages: Vec::new(),
            waits: false,
            window: None,
            fallback: false,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        };
        assert_eq!(ReflectionParameters::of(&job(&key)).unwrap(), place);
        assert!(ReflectionParameters::of(&job("reflect 50")).is_err());
    }
}
