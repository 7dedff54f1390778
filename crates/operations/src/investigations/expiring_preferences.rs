//! Preferences that expire soon: a start lists them, so that users can restate those they still
//! want. Preferences declared in a file do not expire while the file declares them. Pure.

use std::collections::BTreeMap;

use loci_model::Timestamp;

use crate::SrePreferences;
use crate::preferences::current_set::IN_FORCE;

/// The number of days before expiry in which a preference is listed.
const DAYS: u32 = 14;
/// The maximum number of listed preferences, first to expire first. The rest is only counted.
const NAMED_MAX: usize = 20;

/// Returns a warning about preferences that expire within two weeks. `None` if there are none.
pub(super) fn ending(wanted: &BTreeMap<String, SrePreferences>, now: Timestamp) -> Option<String> {
    let soon = now.plus_days(DAYS);
    let mut ends: Vec<(Timestamp, String)> = Vec::new();
    for (kind, one) in wanted {
        for entry in one.entries.iter().filter(|entry| entry.state == IN_FORCE) {
            let end = entry.record.expires_at.filter(|end| *end <= soon);
            ends.extend(end.map(|end| (end, format!("{kind} {}", entry.key))));
        }
    }
    if ends.is_empty() {
        return None;
    }
    ends.sort();
    let named: Vec<String> =
        ends.iter().take(NAMED_MAX).map(|(end, name)| format!("{name} on {}", end.civil().date())).collect();
    let more = ends.len().saturating_sub(NAMED_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("preferences: {}{rest} will expire: say them again to keep them", named.join(", ")))
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit_ports::samples;
    use serde_json::{Map, json};

    use super::*;
    use crate::SrePreference;

    fn wanted(keys: &[(String, &'static str, Option<Timestamp>)]) -> BTreeMap<String, SrePreferences> {
        let memory = MemoryId::parse("sre-0123456789").unwrap();
        let entry = |(key, state, expires_at): &(String, &'static str, Option<Timestamp>)| {
            let mut record = samples::record(&memory, 1, "x").unwrap();
            record.expires_at = *expires_at;
            SrePreference { key: key.clone(), value: json!(1), source: "human", state, record }
        };
        let one = SrePreferences { value: Map::new(), entries: keys.iter().map(entry).collect() };
        BTreeMap::from([("style".to_owned(), one)])
    }

    #[test]
    fn what_ends_within_two_weeks_is_named() {
        let now = Timestamp::parse("2026-11-20T10:00:00Z").unwrap();
        let check = |state: &'static str, days: Option<u32>, more_ms: i64, expect: Option<&str>| {
            let end = days.map(|days| now.plus_days(days).plus_millis(more_ms));
            let told = ending(&wanted(&[("report_format".to_owned(), state, end)]), now);
            let expect = expect.map(|day| {
                format!("preferences: style report_format on {day} will expire: say them again to keep them")
            });
            assert_eq!(told, expect, "{state} {days:?}");
        };
        check(IN_FORCE, Some(14), 0, Some("2026-12-04"));
        check(IN_FORCE, Some(14), 1, None);
        check(IN_FORCE, Some(1), 0, Some("2026-11-21"));
        // Declared, conflicting and pending preferences.
        check(IN_FORCE, None, 0, None);
        check("conflict", Some(1), 0, None);
        check("pending_confirmation", Some(1), 0, None);
    }

    #[test]
    fn many_are_counted() {
        let now = Timestamp::parse("2026-11-20T10:00:00Z").unwrap();
        let keys: Vec<_> = (0..=NAMED_MAX).map(|at| (format!("key_{at:02}"), IN_FORCE, Some(now))).collect();
        let told = ending(&wanted(&keys), now).unwrap();
        assert!(told.contains("style key_19 on 2026-11-20 and 1 more will expire"), "{told}");
        assert!(!told.contains("key_20"), "{told}");
    }
}
