//! Formats seconds since 1970 as RFC 3339, for the times in the walk's data. It reads only the
//! machine's clock.

use anyhow::{Context, Result};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds per day.
pub(super) const DAY_S: u64 = 86_400;

/// Returns the machine's time, in seconds since 1970.
pub(super) fn now_s() -> Result<u64> {
    Ok(SystemTime::now().duration_since(UNIX_EPOCH).context("a clock after 1970")?.as_secs())
}

/// Returns the time as RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(seconds: u64) -> String {
    let (mut days, within) = (seconds / DAY_S, seconds % DAY_S);
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let february = if days_of(year) == 366 { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (day, hour, minute, second) = (days + 1, within / 3_600, within / 60 % 60, within % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn days_of(year: u64) -> u64 {
    let leaps = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if leaps { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_all_kinds_of_years() {
        let check = |seconds: u64, expect: &str| assert_eq!(rfc3339(seconds), expect);
        check(0, "1970-01-01T00:00:00Z");
        check(951_827_696, "2000-02-29T12:34:56Z");
        check(1_709_164_800, "2024-02-29T00:00:00Z");
        check(1_798_761_599, "2026-12-31T23:59:59Z");
        check(4_107_542_400, "2100-03-01T00:00:00Z");
    }
}
