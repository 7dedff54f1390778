//! `[rehearsal]`: a server with a clock ahead of the machine's, which shows today what searches
//! will find and retention will remove on that day. Use it only on copies, because new data carries
//! the date of that day.

use anyhow::{Result, bail};
use loci_model::limits::REHEARSAL_DAYS_MAX;
use serde::{Deserialize, Serialize};

/// `[rehearsal]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalSection {
    /// Whole days by which the clock is ahead of the machine's. 0 means the machine's clock.
    pub clock_ahead_days: u32,
    /// Confirms that the memories are a copy: data that expires until that day is removed
    /// permanently.
    pub over_a_copy: bool,
}

impl RehearsalSection {
    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        if self.clock_ahead_days > REHEARSAL_DAYS_MAX {
            bail!("rehearsal.clock_ahead_days must be at most {REHEARSAL_DAYS_MAX}");
        }
        if self.clock_ahead_days > 0 && !self.over_a_copy {
            bail!(
                "rehearsal.clock_ahead_days takes away for good what expires until that day: serve a copy, and say so with \
                 rehearsal.over_a_copy = true"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_of_a_copy_and_ten_years_and_a_day_are_too_far() {
        let check = |clock_ahead_days: u32, over_a_copy: bool, holds: bool| {
            let section = RehearsalSection { clock_ahead_days, over_a_copy };
            assert_eq!(section.check().is_ok(), holds, "{clock_ahead_days} {over_a_copy}");
        };
        check(0, false, true);
        check(1, false, false);
        check(REHEARSAL_DAYS_MAX, true, true);
        check(REHEARSAL_DAYS_MAX + 1, true, false);
    }
}
