//! A run: the request, the plan, the status of each action, and the changes. It is an entry of the
//! ledger. Texts of actions are kept only while they may still be written; written texts are in
//! versions.

use loci_api::documents::consolidation::{ConsolidationUsage, ConsolidationViolation};
use loci_engine::consolidation::plan::{Action, Operation};
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::record::TrustTier;
use loci_model::trees::consolidation_run::{ActionStatus, RunStatus};
use loci_model::{ActorId, JobId, MemoryId, RecordId, Timestamp};
use serde::{Deserialize, Serialize};

use super::run_request::{PlannerChoice, RunLimits, RunScope};

/// A run over a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsolidationRun {
    /// The memory.
    pub memory: MemoryId,
    /// The namespace, in its normal form.
    pub namespace: String,
    /// The id.
    pub id: String,
    /// The permitted operations, in the order of their execution.
    pub operations: Vec<Operation>,
    /// The part of the tree that is considered.
    pub scope: RunScope,
    /// The requested planner.
    pub choice: PlannerChoice,
    /// The planner: rules or a prompt, with their version.
    pub planner: String,
    /// True if only the plan was requested.
    pub dry_run: bool,
    /// The additional instructions for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The limits.
    pub limits: RunLimits,
    /// The status.
    pub status: RunStatus,
    /// The sequence of the state that was planned on.
    pub snapshot_sequence: u64,
    /// The sequence up to which the run considered the tree: that of the first plan. A replan
    /// considers only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_sequence: Option<u64>,
    /// The sequence after the last applied change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_sequence: Option<u64>,
    /// The actions.
    pub actions: Vec<RunAction>,
    /// The findings for a person that no action resolves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<RunReview>,
    /// The violations that prevent the plan from being applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<ConsolidationViolation>,
    /// The effect, in a sentence.
    pub summary: String,
    /// The report of the gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// The usage of the model.
    #[serde(default)]
    pub usage: ConsolidationUsage,
    /// The number of replans because the tree had changed.
    #[serde(default)]
    pub replans: u32,
    /// The documents that conflicted at the last attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// The versions that it wrote, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<RunChange>,
    /// The run that it reverts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// The run that reverted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// The reason of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The entries in the changelog.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changelog: String,
    /// The tree's sequences after these entries, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changelog_sequences: Vec<u64>,
    /// The job that plans it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The name of the requester.
    pub by: String,
    /// True if the requester administers the namespace: only administrators may change documents
    /// that are always loaded.
    pub by_admin: bool,
    /// The time of its start.
    pub created_at: Timestamp,
    /// The time of its last change.
    pub updated_at: Timestamp,
    /// The actor of the requester.
    pub actor: ActorId,
}

/// The state of a document when it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReadState {
    /// Its path.
    pub path: String,
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// The SHA-256 of its file.
    pub file_sha256: String,
    /// The trust tier.
    pub tier: TrustTier,
}

/// An action of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAction {
    /// Its id within the run.
    pub id: String,
    /// The operation that it belongs to.
    pub operation: Operation,
    /// The action itself.
    pub action: Action,
    /// The status.
    pub status: ActionStatus,
    /// The reason to hold it for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// The documents of the action, as they were read.
    pub seen: Vec<DocumentReadState>,
    /// True if its texts are a model's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// Two documents for a person to review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReview {
    /// The reason.
    pub reason: String,
    /// The documents.
    pub paths: Vec<String>,
    /// The conflict recorded for it, in a repository's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
}

/// A version that a run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunChange {
    /// The record.
    pub record: RecordId,
    /// The path, or the former one.
    pub path: String,
    /// The version before; none if the run created the document.
    pub before: Option<u32>,
    /// The version after.
    pub after: u32,
}

impl ConsolidationRun {
    /// Returns the action with an id.
    #[must_use]
    pub fn action(&self, id: &str) -> Option<&RunAction> {
        self.actions.iter().find(|one| one.id == id)
    }

    /// Removes the texts that will not be written any more.
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
    /// Returns the paths that it reads and writes.
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
