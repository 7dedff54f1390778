//! How large a plan, and what it was made on, may be. Limits are never nought.

use std::collections::BTreeSet;

use loci_model::{Error, Result, limits};

use super::super::plan::Operation;
use super::{Judging, RuleCode};

/// The bounds of one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// What was asked for.
    pub operations: BTreeSet<Operation>,
    /// Extraction: new records may be made and superseding is its work.
    pub extracts: bool,
    /// Documents read.
    pub files_max: usize,
    /// Bytes of them.
    pub input_bytes_max: usize,
    /// Actions.
    pub actions_max: usize,
    /// Directories below `knowledge/` afterwards.
    pub directories_max: usize,
    /// A derived statement with counts rests on so many documents at least.
    pub derived_min: usize,
    /// Documents of the whole tree, where the plan was made on a part of it.
    pub tree_documents: Option<usize>,
    /// Tokens that `knowledge/system/` may have afterwards.
    pub system_tokens_max: Option<u32>,
    /// The words are a model's: they are looked through for injection and secrets.
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
    /// Refuses limits of nought.
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

pub(super) fn sizes(judging: &mut Judging<'_>) {
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
