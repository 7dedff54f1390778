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
}

impl RehearsalSection {
    /// What it must be.
    pub(super) fn check(&self) -> Result<()> {
        if self.clock_ahead_days > REHEARSAL_DAYS_MAX {
            bail!("rehearsal.clock_ahead_days must be at most {REHEARSAL_DAYS_MAX}");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_years_and_a_day_are_too_far() {
        let check = |clock_ahead_days: u32, holds: bool| {
            assert_eq!(RehearsalSection { clock_ahead_days }.check().is_ok(), holds, "{clock_ahead_days}");
        };
        check(0, true);
        check(REHEARSAL_DAYS_MAX, true);
        check(REHEARSAL_DAYS_MAX + 1, false);
    }
}
