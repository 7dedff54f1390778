//! What is asked for of a run, and how large it may be. Checked before anything is read.

use std::collections::BTreeSet;

use loci_engine::consolidation::plan::Operation;
use loci_engine::consolidation::snapshot::reference_key;
use loci_engine::consolidation::validator::Bounds;
use loci_engine::document_text::path::DocumentPath;
use loci_model::{Error, Result, limits};
use serde::{Deserialize, Serialize};

use crate::trees::tree::TreeAsk;

/// Characters of what a model is told beside.
const INSTRUCTIONS_CHARS_MAX: usize = 4_096;
/// Paths of a scope.
const PATHS_MAX: usize = 1_000;

/// What of a tree is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunScope {
    /// What changed since the last run that was applied, beside everything else.
    #[default]
    SinceLast,
    /// Everything.
    All,
    /// What lies at these paths and below them.
    Paths(Vec<String>),
}

/// Who plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerChoice {
    /// Rules, and a model behind them where the memory asks one.
    #[default]
    Auto,
    /// Rules alone.
    Deterministic,
    /// Rules and a model: refused where none is asked.
    Llm,
}

/// How large a run may be. None is nought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Documents that a model is shown at once.
    pub max_files: u64,
    /// Bytes of them.
    pub max_input_bytes: u64,
    /// Actions of the plan.
    pub max_actions: u64,
    /// Directories below `knowledge/` afterwards.
    pub max_directories: u64,
    /// Calls of the model for what it is shown at once.
    pub max_turns: u64,
    /// Tokens of all calls.
    pub max_tokens: Option<u64>,
    /// Milliseconds from its beginning until a model has answered all; what prices are is not known here, so tokens and time stand for cost.
    pub timeout_ms: Option<u64>,
    /// What is larger is parted; else it is refused.
    pub cluster: bool,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            max_files: limits::PLAN_FILES_MAX as u64,
            max_input_bytes: limits::PLAN_INPUT_BYTES_MAX as u64,
            max_actions: limits::PLAN_ACTIONS_MAX as u64,
            max_directories: 8,
            max_turns: 3,
            max_tokens: None,
            timeout_ms: None,
            cluster: true,
        }
    }
}

impl RunLimits {
    /// Refuses what is no limit, and what is over the most there may be.
    ///
    /// # Errors
    /// `Invalid`, naming the limit.
    pub fn check(&self) -> Result<()> {
        for (name, value, most) in [
            ("max_files", self.max_files, limits::PLAN_FILES_MOST),
            ("max_input_bytes", self.max_input_bytes, limits::PLAN_INPUT_BYTES_MOST),
            ("max_actions", self.max_actions, limits::PLAN_ACTIONS_MOST),
            ("max_directories", self.max_directories, limits::PLAN_DIRECTORIES_MOST),
            ("max_turns", self.max_turns, limits::PLAN_TURNS_MOST),
            ("max_tokens", self.max_tokens.unwrap_or(1), u64::MAX),
            ("timeout_ms", self.timeout_ms.unwrap_or(1), i64::MAX.unsigned_abs()),
        ] {
            if value == 0 || value > most {
                let rule = format!("{name} must be a whole number of 1 to {most}");
                return Err(Error::invalid(format!("limits.{name}"), rule));
            }
        }
        Ok(())
    }

    /// What a plan of these operations is judged by; without a model the whole tree may be read.
    #[must_use]
    pub fn bounds(&self, operations: &[Operation], system_tokens: u32) -> Bounds {
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        Bounds {
            operations: operations.iter().copied().collect(),
            files_max: usize::MAX,
            input_bytes_max: usize::MAX,
            actions_max: size(self.max_actions),
            directories_max: size(self.max_directories),
            system_tokens_max: Some(system_tokens),
            ..Bounds::default()
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsolidationAsk {
    /// The tree.
    pub tree: TreeAsk,
    /// The permitted operations; `None`: [`Operation::DEFAULT`].
    pub operations: Option<Vec<Operation>>,
    /// What is looked at.
    pub scope: RunScope,
    /// Who plans.
    pub planner: PlannerChoice,
    /// Only the plan.
    pub dry_run: bool,
    /// What the model is told beside.
    pub instructions: Option<String>,
    /// How large it may be.
    pub limits: RunLimits,
}

impl ConsolidationAsk {
    /// A plan of the default operations for a tree.
    #[must_use]
    pub fn of(tree: TreeAsk) -> Self {
        Self {
            tree,
            operations: None,
            scope: RunScope::default(),
            planner: PlannerChoice::default(),
            dry_run: true,
            instructions: None,
            limits: RunLimits::default(),
        }
    }

    /// The operations, in the order in which they are done.
    ///
    /// # Errors
    /// `Invalid` for what breaks a rule, naming the member.
    pub fn checked(&self) -> Result<Vec<Operation>> {
        self.limits.check()?;
        let operations: BTreeSet<Operation> = match &self.operations {
            Some(named) => named.iter().copied().collect(),
            None => Operation::DEFAULT.into(),
        };
        if operations.is_empty() {
            let rule = "operations must name at least one, or be left out for resolve_contradictions, deduplicate and \
                        reorganize";
            return Err(Error::invalid("operations", rule));
        }
        let characters = self.instructions.as_deref().map_or(0, |text| text.chars().count());
        if characters > INSTRUCTIONS_CHARS_MAX {
            let rule = format!("instructions must have at most {INSTRUCTIONS_CHARS_MAX} characters");
            return Err(Error::invalid("instructions", rule));
        }
        if let RunScope::Paths(paths) = &self.scope {
            if !(1..=PATHS_MAX).contains(&paths.len()) {
                let rule = format!("scope.paths must name 1 to {PATHS_MAX} paths");
                return Err(Error::invalid("scope.paths", rule));
            }
            for path in paths {
                DocumentPath::parse(path).map_err(|error| error.on("scope.paths"))?;
            }
        }
        Ok(operations.into_iter().collect())
    }
}

impl RunScope {
    /// Its paths as they are compared; none where it has none.
    pub(super) fn keys(&self) -> Option<Vec<String>> {
        match self {
            Self::Paths(paths) => Some(paths.iter().map(|path| reference_key(path)).collect()),
            Self::SinceLast | Self::All => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_never_nought() {
        let check = |change: fn(&mut RunLimits), expect: Option<&str>| {
            let mut limits = RunLimits::default();
            change(&mut limits);
            assert_eq!(limits.check().err().and_then(|error| error.field).as_deref(), expect);
        };
        check(|_| {}, None);
        check(|limits| limits.max_files = 0, Some("limits.max_files"));
        check(|limits| limits.max_input_bytes = 0, Some("limits.max_input_bytes"));
        check(|limits| limits.max_actions = 0, Some("limits.max_actions"));
        check(|limits| limits.max_actions = loci_model::limits::PLAN_ACTIONS_MOST, None);
        check(
            |limits| limits.max_actions = loci_model::limits::PLAN_ACTIONS_MOST + 1,
            Some("limits.max_actions"),
        );
        check(|limits| limits.max_directories = 0, Some("limits.max_directories"));
        check(|limits| limits.max_turns = 0, Some("limits.max_turns"));
        check(|limits| limits.max_tokens = Some(0), Some("limits.max_tokens"));
        check(|limits| limits.timeout_ms = Some(0), Some("limits.timeout_ms"));
    }
}
