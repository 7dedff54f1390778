//! `[consolidation]`: how trees of documents are put in order by themselves, and the thresholds of the rules.

use anyhow::Result;
use loci_documents::consolidating::PlannerSettings;
use loci_documents::upkeep::{AutoApply, UpkeepSettings};
use serde::{Deserialize, Serialize};

/// `[consolidation]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSection {
    /// Trees in which nothing was written for `idle_after_ms` are looked at.
    pub idle: bool,
    /// After so many milliseconds without a write.
    pub idle_after_ms: i64,
    /// And only after so many changes.
    pub changes_min: usize,
    /// Trees of more documents are looked at once a day; only plans come of it. Absent: none.
    pub documents_max: Option<usize>,
    /// Times at which trees are looked at, like `0 3 * * *`, in UTC. Absent: none.
    pub cron: Option<String>,
    /// What such a run may do: `none`, `safe`, `all`.
    pub auto_apply: AutoApply,
    /// Runs by the clock begin up to so many milliseconds later, each tree at a time of its own.
    pub jitter_ms: i64,
    /// Thresholds of the rules.
    pub deterministic: PlannerSettings,
}

impl Default for ConsolidationSection {
    fn default() -> Self {
        let usual = UpkeepSettings::default();
        Self {
            idle: usual.idle_after_ms.is_some(),
            idle_after_ms: usual.idle_after_ms.unwrap_or(600_000),
            changes_min: usual.changes_min,
            documents_max: usual.documents_max,
            cron: usual.cron,
            auto_apply: usual.auto_apply,
            jitter_ms: usual.jitter_ms,
            deterministic: usual.planner,
        }
    }
}

impl ConsolidationSection {
    /// Returns the settings of the upkeep of trees.
    pub fn settings(&self) -> UpkeepSettings {
        UpkeepSettings {
            planner: self.deterministic,
            idle_after_ms: self.idle.then_some(self.idle_after_ms),
            changes_min: self.changes_min,
            documents_max: self.documents_max,
            cron: self.cron.clone(),
            auto_apply: self.auto_apply,
            jitter_ms: self.jitter_ms,
        }
    }

    /// What it must be.
    pub(in crate::config) fn check(&self) -> Result<()> {
        self.settings().check().map_err(|error| {
            let field = error.field.clone().unwrap_or_default();
            anyhow::anyhow!("{field}: {}", error.message)
        })
    }
}
