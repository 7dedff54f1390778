//! The thresholds of the planner without a model (`[consolidation.deterministic]`).

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

/// The thresholds of similar, expired and unused documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlannerSettings {
    /// The minimum similarity of the shingles of two documents that may be merged, 0.5 to 1.
    pub near_jaccard: f32,
    /// The minimum share of the smaller document's shingles that the other one also has, 0.5 to 1.
    pub near_contained: f32,
    /// The number of days after which a document from an external source expires.
    pub external_days: u32,
    /// The number of days after which a document that safety checks flagged expires.
    pub flagged_days: u32,
    /// The number of days after which any other document expires.
    pub kept_days: u32,
    /// The number of days after the last read from which a document may count as unused.
    pub unused_days: u32,
    /// The maximum number of reads of a document that counts as unused.
    pub unused_reads: u64,
    /// The budget of the documents in `knowledge/system/`, in tokens.
    pub system_tokens: u32,
    /// The minimum number of reads of a document that is proposed for `knowledge/system/`.
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
    /// Checks that the thresholds are in their ranges.
    ///
    /// # Errors
    /// `Invalid`, naming the threshold that is out of range.
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
