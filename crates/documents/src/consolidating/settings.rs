//! The thresholds of the planner that asks no model (`[consolidation.deterministic]`).

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

/// When documents count as alike, old or unused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlannerSettings {
    /// From this similarity of their shingles on, two documents may be one.
    pub near_jaccard: f32,
    /// From this share of the smaller one's shingles on that the other has, too.
    pub near_contained: f32,
    /// Days after which what comes from outside is past its time.
    pub external_days: u32,
    /// Days after which what is flagged is.
    pub flagged_days: u32,
    /// Days after which everything else is.
    pub kept_days: u32,
    /// Days for which something is not used before it may go.
    pub unused_days: u32,
    /// Reads up to which it counts as not used.
    pub unused_reads: u64,
    /// Tokens of `knowledge/system/`.
    pub system_tokens: u32,
    /// Reads from which on a document is proposed for `knowledge/system/`.
    pub promote_reads: u64,
}

impl Default for PlannerSettings {
    fn default() -> Self {
        Self {
            near_jaccard: 0.9,
            near_contained: 0.95,
            external_days: 30,
            flagged_days: 7,
            kept_days: 365,
            unused_days: 90,
            unused_reads: 1,
            system_tokens: 1_000,
            promote_reads: 20,
        }
    }
}

impl PlannerSettings {
    /// Refuses thresholds that are none.
    ///
    /// # Errors
    /// `Invalid`, naming the threshold.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("near_jaccard", self.near_jaccard), ("near_contained", self.near_contained)] {
            if !(0.5..=1.0).contains(&value) {
                let rule = format!("{name} must be 0.5 to 1: below that, different documents would be one");
                return Err(Error::invalid(format!("consolidation.deterministic.{name}"), rule));
            }
        }
        for (name, value) in [
            ("external_days", self.external_days),
            ("flagged_days", self.flagged_days),
            ("kept_days", self.kept_days),
            ("unused_days", self.unused_days),
            ("system_tokens", self.system_tokens),
            ("promote_reads", u32::try_from(self.promote_reads).unwrap_or(u32::MAX)),
        ] {
            if value == 0 {
                let rule = format!("{name} must be at least 1");
                return Err(Error::invalid(format!("consolidation.deterministic.{name}"), rule));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_that_are_none() {
        let check = |change: fn(&mut PlannerSettings), expect: Option<&str>| {
            let mut settings = PlannerSettings::default();
            change(&mut settings);
            let field = settings.check().err().and_then(|error| error.field);
            assert_eq!(field.as_deref(), expect);
        };
        check(|_| {}, None);
        check(|settings| settings.near_jaccard = 0.5, None);
        check(|settings| settings.near_jaccard = f32::NAN, Some("consolidation.deterministic.near_jaccard"));
        check(|settings| settings.near_contained = 1.1, Some("consolidation.deterministic.near_contained"));
        check(|settings| settings.promote_reads = 0, Some("consolidation.deterministic.promote_reads"));
        check(|settings| settings.unused_days = 0, Some("consolidation.deterministic.unused_days"));
    }
}
