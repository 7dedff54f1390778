//! A consolidation run: the request, the plan, the status of each action, and the changes. It is a
//! row of the ledger. Texts of actions are kept only while they may still be applied; applied texts
//! are in versions.

use loci_api::documents::consolidation::{ConsolidationUsage, ConsolidationViolation};
use loci_engine::consolidation::plan::{Action, Operation};
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::record::TrustTier;
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{ActorId, JobId, MemoryId, RecordId, Timestamp};
use serde::{Deserialize, Serialize};

use super::run_request::{PlannerChoice, RunLimits, RunScope};

/// A consolidation run for a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsolidationRun {
    /// The memory of the tree.
    pub memory: MemoryId,
    /// The namespace of the tree, in normal form.
    pub namespace: String,
    /// The id of the run.
    pub id: String,
    /// The operations that the plan may contain, in the order in which they run.
    pub operations: Vec<Operation>,
    /// The part of the tree that the run considers.
    pub scope: RunScope,
    /// The planner that the request names.
    pub choice: PlannerChoice,
    /// The planner that made the plan: rules or a prompt, with their version.
    pub planner: String,
    /// True if the request asked only for a plan.
    pub dry_run: bool,
    /// The additional instructions of the caller for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The limits of the run.
    pub limits: RunLimits,
    /// The status of the run.
    pub status: RunStatus,
    /// The sequence of the memory at the state for which the plan was made.
    pub snapshot_sequence: u64,
    /// The sequence of the memory up to which the run considered the tree: that of its first plan.
    /// A new plan for conflicts considers only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_sequence: Option<u64>,
    /// The sequence of the memory after the last applied change. `None` before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_sequence: Option<u64>,
    /// The actions of the plan.
    pub actions: Vec<RunAction>,
    /// The findings that no action resolves, for a person to review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<RunReview>,
    /// The violations because of which the plan cannot be applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<ConsolidationViolation>,
    /// A sentence about the effect of the plan.
    pub summary: String,
    /// The report of the plan: numbers before and after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// The tokens and the cost of the model.
    #[serde(default)]
    pub usage: ConsolidationUsage,
    /// The number of times that the plan was made again because the tree had changed.
    #[serde(default)]
    pub replans: u32,
    /// The paths of the documents that had changed when the plan was last applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// The versions that the run wrote, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<RunChange>,
    /// The id of the run that this run reverts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// The id of the run that reverted this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// The reason why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The entries of the run in the changelog.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changelog: String,
    /// The sequences of the memory after the changelog entries, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changelog_sequences: Vec<u64>,
    /// The job that makes the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The name of the caller who requested the run.
    pub by: String,
    /// True if that caller has a grant of admin on the namespace. Only then may the run change
    /// documents in `system/`.
    pub by_admin: bool,
    /// The time at which the run was requested.
    pub created_at: Timestamp,
    /// The time at which the run was last changed.
    pub updated_at: Timestamp,
    /// The actor of the caller who requested the run.
    pub actor: ActorId,
}

/// The state of a document when a plan read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReadState {
    /// The path of the document.
    pub path: String,
    /// The record of the document.
    pub record: RecordId,
    /// The version of the record.
    pub version: u32,
    /// The SHA-256 of the document as a file.
    pub file_sha256: String,
    /// The tier of trust in the document.
    pub tier: TrustTier,
}

/// An action of a consolidation run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAction {
    /// The id of the action within its run.
    pub id: String,
    /// The operation that planned the action.
    pub operation: Operation,
    /// The change that the action makes.
    pub action: Action,
    /// The status of the action.
    pub status: ActionStatus,
    /// The reason why a person must decide on the action. `None` if it needs no decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// The documents of the action, in the state in which the plan read them.
    pub seen: Vec<DocumentReadState>,
    /// True if a model wrote the texts of the action.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// Two documents that a person should review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReview {
    /// The reason for the review.
    pub reason: String,
    /// The paths of the documents.
    pub paths: Vec<String>,
    /// The id of the conflict that was recorded for the documents, if they belong to a repository's
    /// memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
}

/// A version of a document that a run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunChange {
    /// The record of the document.
    pub record: RecordId,
    /// The path of the document after the change, or its last one if it was archived.
    pub path: String,
    /// The version before the change. `None` if the run created the document.
    pub before: Option<u32>,
    /// The version that the run wrote.
    pub after: u32,
}

impl ConsolidationRun {
    /// Returns the action with this id.
    #[must_use]
    pub fn action(&self, id: &str) -> Option<&RunAction> {
        self.actions.iter().find(|one| one.id == id)
    }

    /// Removes the texts of actions that will not be applied any more.
    pub(super) fn drop_words(&mut self) {
        let is_over = matches!(
            self.status,
            RunStatus::Failed | RunStatus::Cancelled | RunStatus::Reverted | RunStatus::Conflict
        );
        for one in &mut self.actions {
            let is_open = matches!(one.status, ActionStatus::Planned | ActionStatus::Held) && !is_over;
            if !is_open {
                one.drop_words();
            }
        }
    }
}

impl RunAction {
    /// Returns the paths that the action reads and writes.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.action.reads().into_iter().chain(self.action.writes())
    }

    pub(super) fn drop_words(&mut self) {
        match &mut self.action {
            Action::Merge { words, .. } | Action::Update { words, .. } | Action::Create { words, .. } => {
                *words = loci_engine::consolidation::plan::Words::default();
            }
            Action::Supersede { .. } | Action::Move { .. } | Action::Archive { .. } => {}
        }
    }
}

impl LedgerNoun for ConsolidationRun {
    const SHELF: Shelf = Shelf::named("consolidation_run");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.id.clone()
    }

    fn subject(&self) -> Option<String> {
        Some(self.namespace.clone())
    }

    fn at(&self) -> Timestamp {
        self.created_at
    }
}
