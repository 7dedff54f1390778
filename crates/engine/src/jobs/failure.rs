//! Failures of jobs: the text of the reason, and the time at which a job is retried.

use loci_model::job::Job;
use loci_model::{Error, ErrorKind, Timestamp, limits};

use super::JobAttemptEnd;
use crate::Engine;
use crate::hooks::JobPolicy;
use crate::language_models::Unanswered;

/// The pause after the first failure of a job, in milliseconds. Each later pause is four times as
/// long.
const FIRST_PAUSE_MS: i64 = 500;
/// The maximum pause before a job is retried, in milliseconds.
const LONGEST_PAUSE_MS: i64 = 60_000;

/// The pauses before the retries of a job whose policy allows only a few tries, in milliseconds.
/// Their number is the number of retries.
const LATER_PAUSES_MS: &[i64] = &[1_000, 2_000, 4_000];
/// The maximum random variation of such a pause, in percent.
const LATER_SPREAD: i64 = 20;

/// The maximum time that a model can ask the server to wait before a retry, in milliseconds.
const LONGEST_WANTED_MS: i64 = 3_600_000;

/// Error code of a job whose namespace cannot be determined.
pub(super) const NAMESPACE: &str = "NAMESPACE_VARIABLE_MISSING";

/// Returns the reason of a failed job: the error code, then `: ` and an explanation.
pub(super) fn reason(error: &Error) -> String {
    let code = match error.kind {
        ErrorKind::Unavailable => "STORE_UNAVAILABLE",
        ErrorKind::Throttled => "LTM_RATE_EXCEEDED",
        ErrorKind::Upstream => "MODEL_UNAVAILABLE",
        ErrorKind::NotFound | ErrorKind::Conflict => "STATE_CHANGED",
        ErrorKind::Invalid | ErrorKind::TooLarge => "CONTENT_REFUSED",
        ErrorKind::Denied | ErrorKind::Unauthenticated => "ACCESS_DENIED",
        ErrorKind::Bug => "INTERNAL_ERROR",
    };
    format!("{code}: {}", error.message)
}

/// Returns the time at which a job is retried after its `attempts`th failure; `None` if it is given
/// up. While a part of the server is unavailable, a job is retried without limit at the maximum
/// pause. A job of few tries is given up after three retries on any failure, and becomes a dead
/// letter.
pub(super) fn retry_at(
    policy: JobPolicy,
    error: &Error,
    attempts: u32,
    now: Timestamp,
    random: u8,
) -> Option<Timestamp> {
    if policy.has_few_tries {
        return later_pause(attempts, random).map(|pause| now.plus_millis(pause));
    }
    if attempts >= limits::JOB_ATTEMPTS_MAX && !error.is_retryable() {
        return None;
    }
    Some(now.plus_millis(pause(attempts, random)))
}

/// Returns the end of a job whose model is asked again later; `None` if a retry cannot help.
pub fn asked_again(engine: &Engine, job: &Job, unanswered: &Unanswered) -> Option<JobAttemptEnd> {
    let [random, ..] = engine.ids().random();
    let retry_at = ask_again_at(unanswered, job.attempts, engine.now(), random)?;
    Some(JobAttemptEnd::Unanswered { reason: unanswered.reason(), messages: Vec::new(), retry_at })
}

/// Returns the time of the retry after a model gave no answer for the `attempts`th time, not before
/// the time that the model requests; `None` if the job gives up. Unlike a store, a model may never
/// return, and deterministic extraction can replace it.
fn ask_again_at(unanswered: &Unanswered, attempts: u32, now: Timestamp, random: u8) -> Option<Timestamp> {
    if unanswered.permanent || attempts >= limits::JOB_ATTEMPTS_MAX {
        return None;
    }
    let wanted = unanswered.retry_after_ms.map_or(0, |millis| i64::try_from(millis).unwrap_or(i64::MAX));
    Some(now.plus_millis(pause(attempts, random).max(wanted.min(LONGEST_WANTED_MS))))
}

fn later_pause(attempts: u32, random: u8) -> Option<i64> {
    let nth = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let pause = LATER_PAUSES_MS.get(nth)?;
    let spread = i64::from(random) * 2 * LATER_SPREAD / 255 - LATER_SPREAD;
    Some(pause + pause * spread / 100)
}

fn pause(attempts: u32, random: u8) -> i64 {
    let steps = attempts.saturating_sub(1).min(8);
    let pause = FIRST_PAUSE_MS.saturating_mul(1 << (2 * steps)).min(LONGEST_PAUSE_MS);
    // Up to a quarter longer, so that simultaneous failures are not retried simultaneously.
    pause.saturating_add(pause / 4 * i64::from(random) / 255)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let now = Timestamp::clamped(1_000_000);
        let pause = |error: &Error, attempts, random| {
            retry_at(JobPolicy::default(), error, attempts, now, random).map(|at| at.millis() - now.millis())
        };
        let bug = Error::bug("x");
        assert_eq!(pause(&bug, 1, 0), Some(500));
        assert_eq!(pause(&bug, 1, 255), Some(625));
        assert_eq!(pause(&bug, 2, 0), Some(2_000));
        assert_eq!(pause(&bug, 4, 0), Some(32_000));
        assert_eq!(pause(&bug, 5, 0), None);
        assert_eq!(pause(&Error::unavailable("disk full"), 99, 0), Some(60_000));
    }

    #[test]
    fn a37_three_more_tries_and_then_none() {
        let now = Timestamp::clamped(1_000_000);
        let policy = JobPolicy { has_few_tries: true, ..JobPolicy::default() };
        let check = |attempts, random, expect: Option<i64>| {
            for error in [Error::unavailable("the disk is full"), Error::bug("x")] {
                let at = retry_at(policy, &error, attempts, now, random).map(|at| at.millis() - now.millis());
                assert_eq!(at, expect, "{attempts} {random}");
            }
        };
        check(1, 0, Some(800));
        check(1, 255, Some(1_200));
        check(2, 0, Some(1_600));
        check(3, 255, Some(4_800));
        check(4, 0, None);
    }

    #[test]
    fn models_are_asked_again_a_few_times() {
        use crate::language_models::Why;
        let now = Timestamp::clamped(1_000_000);
        let check = |permanent, retry_after_ms, attempts, expect: Option<i64>| {
            let explanation = String::new();
            let unanswered =
                Unanswered { code: "X", explanation, permanent, retry_after_ms, why: Why::Service };
            let found = ask_again_at(&unanswered, attempts, now, 0).map(|at| at.millis() - now.millis());
            assert_eq!(found, expect, "{permanent} {retry_after_ms:?} {attempts}");
        };
        check(false, None, 1, Some(500));
        check(false, None, 4, Some(32_000));
        check(false, None, 5, None);
        check(false, Some(90_000), 1, Some(90_000));
        check(false, Some(10), 2, Some(2_000));
        check(false, Some(u64::MAX), 2, Some(LONGEST_WANTED_MS));
        check(true, Some(10), 1, None);
    }

    #[test]
    fn reasons() {
        assert_eq!(reason(&Error::unavailable("the disk is full")), "STORE_UNAVAILABLE: the disk is full");
        assert_eq!(reason(&Error::bug("odd")), "INTERNAL_ERROR: odd");
    }
}
