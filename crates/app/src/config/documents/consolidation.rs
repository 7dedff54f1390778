//! `[consolidation]`: the automatic consolidation of document trees, and the thresholds of the
//! rules.

use anyhow::Result;
use loci_documents::consolidation::PlannerSettings;
use loci_documents::upkeep::{AutoApply, UpkeepSettings};
use serde::{Deserialize, Serialize};

/// `[consolidation]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsolidationSection {
    /// True to consolidate trees without a write for `idle_after_ms`.
    pub idle: bool,
    /// The time in milliseconds without a write.
    pub idle_after_ms: i64,
    /// The minimum number of changes.
    pub changes_min: usize,
    /// The number of documents above which a tree is checked once a day and only planned. Absent
    /// means no limit.
    pub documents_max: Option<usize>,
    /// The schedule of runs, like `0 3 * * *`, in UTC. Absent means no schedule.
    pub cron: Option<String>,
    /// The automatically applied actions: `none`, `safe`, `all`.
    pub auto_apply: AutoApply,
    /// The maximum delay of scheduled runs in milliseconds. Each tree has its own delay.
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
    /// Returns the settings of the consolidation of trees.
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

    /// Checks the section.
    pub(in crate::config) fn check(&self) -> Result<()> {
        self.settings().check().map_err(|error| {
            let field = error.field.clone().unwrap_or_default();
            anyhow::anyhow!("{field}: {}", error.message)
        })
    }
}
