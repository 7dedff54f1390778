//! Settings of automatic upkeep, and the thresholds of the rules.

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

use super::schedule::cron::Cron;
use crate::consolidation::PlannerSettings;

/// The actions that an automatic run may apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutoApply {
    /// None: it only plans, and people decide.
    #[default]
    None,
    /// Merges of duplicates that rules find.
    Safe,
    /// All actions that are not held.
    All,
}

/// Settings of the upkeep of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct UpkeepSettings {
    /// Thresholds of the rules.
    pub planner: PlannerSettings,
    /// The time without writes after which a tree is due, in milliseconds; `None`: never.
    pub idle_after_ms: Option<i64>,
    /// The minimum of changes for such a run.
    pub changes_min: usize,
    /// The number of documents above which a tree is planned once a day, regardless of changes;
    /// such a plan is never applied automatically.
    pub documents_max: Option<usize>,
    /// The scheduled times, as a cron expression.
    pub cron: Option<String>,
    /// The actions that an automatic run may apply.
    pub auto_apply: AutoApply,
    /// The maximum delay of a scheduled run, in milliseconds; each tree has its own delay.
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
