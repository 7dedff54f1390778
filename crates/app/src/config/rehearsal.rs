//! `[rehearsal]`: a server of another day than the machine's, to see today what will be found, kept and forgotten then. Never over memories
//! that are needed: what is written meanwhile is of that day.

use anyhow::{Result, bail};
use loci_model::limits::REHEARSAL_DAYS_MAX;
use serde::{Deserialize, Serialize};

/// `[rehearsal]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalSection {
    /// Whole days by which the clock goes ahead of the machine's; 0: it is the machine's.
    pub clock_ahead_days: u32,
    /// The memories are a copy: what expires until that day is gone from them for good.
    pub over_a_copy: bool,
}

impl RehearsalSection {
    /// What it must be.
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
