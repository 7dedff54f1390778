//! The rate limit of repeated warnings while the memory is offline: each kind once a minute.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

const MINUTE_MS: i64 = 60_000;

/// The time of the last warning of each kind.
#[derive(Default)]
pub(super) struct Notices(Mutex<BTreeMap<&'static str, i64>>);

impl Notices {
    /// True if this kind was not logged for a minute; it then counts as logged.
    pub(super) fn is_due(&self, kind: &'static str, now_ms: i64) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back must not suppress it.
        let is_recent = told.get(kind).is_some_and(|last| (*last..last + MINUTE_MS).contains(&now_ms));
        if !is_recent {
            told.insert(kind, now_ms);
        }
        !is_recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_once_a_minute() {
        let notices = Notices::default();
        let check =
            |kind, now_ms, expect| assert_eq!(notices.is_due(kind, now_ms), expect, "{kind} {now_ms}");
        check("save", 0, true);
        check("save", 59_999, false);
        check("retrieve", 59_999, true);
        check("save", 60_000, true);
        check("save", 60_001, false);
        check("save", 30_000, true);
    }
}
