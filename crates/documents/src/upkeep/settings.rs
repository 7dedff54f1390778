//! How trees are kept in order where nobody asks, and the thresholds of the rules.

use loci_model::{Error, Result};
use serde::{Deserialize, Serialize};

use super::schedule::cron::Cron;
use crate::consolidating::PlannerSettings;

/// What a run that began by itself may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AutoApply {
    /// It plans, and people decide.
    #[default]
    None,
    /// What rules find to be said twice is made one.
    Safe,
    /// Everything that is not held.
    All,
}

/// Settings of the upkeep of trees.
#[derive(Debug, Clone, PartialEq)]
pub struct UpkeepSettings {
    /// Thresholds of the rules.
    pub planner: PlannerSettings,
    /// A tree in which nothing was written for so long is looked at; `None`: never by itself.
    pub idle_after_ms: Option<i64>,
    /// And only after so many changes.
    pub changes_min: usize,
    /// A tree of more documents is looked at, changes or not, once a day; only plans come of it.
    pub documents_max: Option<usize>,
    /// Minutes, hours, days at which trees are looked at.
    pub cron: Option<String>,
    /// What such a run may do.
    pub auto_apply: AutoApply,
    /// Runs by the clock begin up to so much later, each tree at a time of its own.
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
    /// Refuses what is no setting.
    ///
    /// # Errors
    /// `Invalid`, naming it.
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
