//! What becomes of a job that failed: its reason in the wire's form, and when it is tried again.

use loci_model::{Error, ErrorKind, Timestamp, limits};

/// The first pause; each later one is four times as long.
const FIRST_PAUSE_MS: i64 = 500;
/// The longest pause.
const LONGEST_PAUSE_MS: i64 = 60_000;

/// Code of a job whose namespace cannot be told.
pub(super) const NAMESPACE: &str = "NAMESPACE_VARIABLE_MISSING";

/// Code of a job that this version cannot do.
pub(super) const UNSUPPORTED: &str = "NOT_SUPPORTED";

/// A code, then `: ` and a plain explanation (agentcore-wire.md §13).
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

/// When a job that failed for the `attempts`th time is tried again; `None`: given up. A part that is out of service
/// comes back: such a job is tried for ever, at the longest pause.
pub(super) fn retry_at(error: &Error, attempts: u32, now: Timestamp, random: u8) -> Option<Timestamp> {
    if attempts >= limits::JOB_ATTEMPTS_MAX && !error.is_retryable() {
        return None;
    }
    let steps = attempts.saturating_sub(1).min(8);
    let pause = FIRST_PAUSE_MS.saturating_mul(1 << (2 * steps)).min(LONGEST_PAUSE_MS);
    // Up to a quarter longer, so that jobs that failed together do not come back together.
    Some(now.plus_millis(pause.saturating_add(pause / 4 * i64::from(random) / 255)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let now = Timestamp::clamped(1_000_000);
        let pause = |error: &Error, attempts, random| {
            retry_at(error, attempts, now, random).map(|at| at.millis() - now.millis())
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
    fn reasons() {
        assert_eq!(reason(&Error::unavailable("the disk is full")), "STORE_UNAVAILABLE: the disk is full");
        assert_eq!(reason(&Error::bug("odd")), "INTERNAL_ERROR: odd");
    }
}
