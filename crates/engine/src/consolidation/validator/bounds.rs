//! Size limits of a plan and of its basis. Limits are never zero.

use std::collections::BTreeSet;

use loci_model::{Error, Result, limits};

use super::super::plan::Operation;
use super::{RuleCode, ValidationInput};

/// The limits that the validator applies to one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The operations that the caller requested; other kinds of changes are rejected.
    pub operations: BTreeSet<Operation>,
    /// True for a plan that extraction makes, which may create records and supersede existing
    /// ones.
    pub extracts: bool,
    /// The maximum number of documents that a plan may be based on.
    pub files_max: usize,
    /// Maximum size of these documents in bytes.
    pub input_bytes_max: usize,
    /// Maximum number of actions.
    pub actions_max: usize,
    /// Maximum number of directories below `knowledge/` after the plan.
    pub directories_max: usize,
    /// The minimum number of documents from which a document with counts may be derived.
    pub derived_min: usize,
    /// The number of documents in the whole tree, if the plan covers only a part of it.
    pub tree_documents: Option<usize>,
    /// The maximum number of tokens of all documents below `knowledge/system/` after the plan;
    /// `None` for no limit.
    pub system_tokens_max: Option<u32>,
    /// True if a model wrote the texts of the plan: they are then checked for injections and
    /// secrets.
    pub by_model: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            operations: Operation::DEFAULT.into(),
            extracts: false,
            files_max: limits::PLAN_FILES_MAX,
            input_bytes_max: limits::PLAN_INPUT_BYTES_MAX,
            actions_max: limits::PLAN_ACTIONS_MAX,
            directories_max: 8,
            derived_min: 2,
            tree_documents: None,
            system_tokens_max: None,
            by_model: false,
        }
    }
}

impl Bounds {
    /// Rejects limits of zero.
    ///
    /// # Errors
    /// `Invalid`, naming the limit.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [
            ("max_files", self.files_max),
            ("max_input_bytes", self.input_bytes_max),
            ("max_actions", self.actions_max),
            ("max_directories", self.directories_max),
        ] {
            if value == 0 {
                return Err(Error::invalid(format!("limits.{name}"), format!("{name} must be at least 1")));
            }
        }
        Ok(())
    }
}

pub(super) fn sizes(judging: &mut ValidationInput<'_>) {
    let actions = judging.plan.actions.len();
    if actions > judging.bounds.actions_max {
        let most = judging.bounds.actions_max;
        judging.refuse(
            RuleCode::Bounds,
            0,
            format!("the plan has {actions} actions, at most {most} are allowed"),
        );
    }
    let files = judging.snapshot.standing();
    if files > judging.bounds.files_max {
        let most = judging.bounds.files_max;
        judging.refuse(
            RuleCode::Bounds,
            0,
            format!("{files} documents were read, at most {most} are allowed"),
        );
    }
    let bytes: usize = judging.snapshot.documents.iter().map(|document| document.text.len()).sum();
    if bytes > judging.bounds.input_bytes_max {
        let most = judging.bounds.input_bytes_max;
        judging.refuse(RuleCode::Bounds, 0, format!("{bytes} bytes were read, at most {most} are allowed"));
    }
}
