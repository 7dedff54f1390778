//! Settings of automatic upkeep, and the thresholds of the rules.

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

use super::schedule::cron::Cron;
use crate::consolidation::PlannerSettings;

/// The actions that an automatic run may apply without a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutoApply {
    /// The run applies no actions: it makes a plan, and people decide.
    #[default]
    None,
    /// The run applies merges of duplicates that rules find.
    Safe,
    /// The run applies all actions that need no decision.
    All,
}

/// The settings of the automatic consolidation of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct UpkeepSettings {
    /// The thresholds of the rules.
    pub planner: PlannerSettings,
    /// The time without writes after which a changed tree is consolidated, in milliseconds. `None`
    /// disables this.
    pub idle_after_ms: Option<i64>,
    /// The minimum number of changes for a run after a time without writes.
    pub changes_min: usize,
    /// The number of documents above which a plan for the tree is made once a day, even without
    /// changes. Such a plan is never applied automatically.
    pub documents_max: Option<usize>,
    /// The times of scheduled runs, as a cron expression in UTC.
    pub cron: Option<String>,
    /// The actions that an automatic run may apply without a person.
    pub auto_apply: AutoApply,
    /// The maximum delay of a scheduled run, in milliseconds. Each tree has its own delay, so that
    /// not all run at once.
    pub jitter_ms: i64,
}

impl Default for UpkeepSettings {
    fn default() -> Self {
        Self {
            planner: PlannerSettings::default(),
            idle_after_ms: Some(600_000),
            changes_min: 20,
            documents_max: None,
            cron: None,
            auto_apply: AutoApply::None,
            jitter_ms: 60_000,
        }
    }
}

impl UpkeepSettings {
    /// Rejects invalid settings.
    ///
    /// # Errors
    /// `Invalid`, naming the setting.
    pub fn check(&self) -> Result<()> {
        self.planner.check()?;
        self.cron.as_deref().map(Cron::parse).transpose()?;
        let least = |name: &str, value: i64, least: i64| {
            if value < least {
                let rule = format!("{name} must be at least {least}");
                return Err(Error::invalid(format!("consolidation.{name}"), rule));
            }
            Ok(())
        };
        least("idle_after_ms", self.idle_after_ms.unwrap_or(1), 1)?;
        least("changes_min", i64::try_from(self.changes_min).unwrap_or(i64::MAX), 1)?;
        least("documents_max", self.documents_max.map_or(1, |most| i64::try_from(most).unwrap_or(1)), 1)?;
        least("jitter_ms", self.jitter_ms, 0)
    }
}
