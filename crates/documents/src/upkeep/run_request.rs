//! The request of a run, and its limits. Both are checked before anything is read.

use std::collections::BTreeSet;

use loci_engine::consolidation::plan::Operation;
use loci_engine::consolidation::snapshot::reference_key;
use loci_engine::consolidation::validator::Bounds;
use loci_engine::document_text::path::DocumentPath;
use loci_model::{Error, Result, limits};
use serde::{Deserialize, Serialize};

use crate::trees::tree::TreeAsk;

/// The maximum number of characters of the additional instructions for a model.
const INSTRUCTIONS_CHARS_MAX: usize = 4_096;
/// The maximum number of paths in the scope of a run.
const PATHS_MAX: usize = 1_000;

/// The part of a tree that a run considers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunScope {
    /// The documents that changed since the last applied run. They are compared with all documents.
    #[default]
    SinceLast,
    /// All documents of the tree.
    All,
    /// The documents at these paths and below them.
    Paths(Vec<String>),
}

/// The planner that a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannerChoice {
    /// Rules, and then a model if the memory has one.
    #[default]
    Auto,
    /// Only rules.
    Deterministic,
    /// Rules and a model. The run is rejected if the memory has no model.
    Llm,
}

/// The limits of a run. None may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// The maximum number of documents in one part of the tree that a model reads.
    pub max_files: u64,
    /// The maximum size of one part of the tree that a model reads, in bytes.
    pub max_input_bytes: u64,
    /// The maximum number of actions in the plan.
    pub max_actions: u64,
    /// The maximum number of directories below `knowledge/` after the run.
    pub max_directories: u64,
    /// The maximum number of model calls for one part of the tree.
    pub max_turns: u64,
    /// The maximum number of tokens in all model calls of the run. `None` means no limit.
    pub max_tokens: Option<u64>,
    /// The maximum time from the start of the run to the last answer of the model, in milliseconds.
    /// `None` means no limit.
    pub timeout_ms: Option<u64>,
    /// True to divide a tree that is too large for one model call into parts. Otherwise the run is
    /// rejected.
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
    /// Rejects invalid limits, and those above the permitted maximum.
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

    /// Returns the limits for the validation of a plan of these operations. Without a model the
    /// whole tree may be read.
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

/// The request of a consolidation run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsolidationAsk {
    /// The tree to consolidate.
    pub tree: TreeAsk,
    /// The operations that the plan may contain. `None` means [`Operation::DEFAULT`].
    pub operations: Option<Vec<Operation>>,
    /// The part of the tree that the run considers.
    pub scope: RunScope,
    /// The planner that the run uses.
    pub planner: PlannerChoice,
    /// True to make only the plan.
    pub dry_run: bool,
    /// The additional instructions for the model.
    pub instructions: Option<String>,
    /// The limits of the run.
    pub limits: RunLimits,
}

impl ConsolidationAsk {
    /// Returns the request of a plan of the default operations for a tree.
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

    /// Returns the operations, in the order of their execution.
    ///
    /// # Errors
    /// `Invalid` for a violated rule, naming the member.
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
    /// Returns the keys of the scope's paths; none if it has no paths.
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
