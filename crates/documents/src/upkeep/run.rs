//! A run: what was asked for, what is planned, where each action stands, and what was changed. An entry of the ledger. The words of actions
//! are kept as long as they may still be written, no longer: what was written is in versions.

use loci_api::documents::consolidation::{ConsolidationUsage, ConsolidationViolation};
use loci_engine::consolidation::plan::{Action, Operation};
use loci_model::ledger::{Shelf, Shelved};
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
    /// What may be done, in the order in which it is.
    pub operations: Vec<Operation>,
    /// What is looked at.
    pub scope: RunScope,
    /// Who was to plan.
    pub choice: PlannerChoice,
    /// Who planned: rules or a prompt, in their version.
    pub planner: String,
    /// Only the plan was asked for.
    pub dry_run: bool,
    /// What the model is told beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// How large it may be.
    pub limits: RunLimits,
    /// Where it stands.
    pub status: RunStatus,
    /// The sequence that was planned on.
    pub snapshot_sequence: u64,
    /// The sequence that was looked at up to: that of the first plan. What is planned anew looks at a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covered_sequence: Option<u64>,
    /// The sequence behind what was done last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_sequence: Option<u64>,
    /// What is to be done.
    pub actions: Vec<RunAction>,
    /// What a person should look at, and no action settles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<RunReview>,
    /// Why there is no plan that may be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<ConsolidationViolation>,
    /// What it does, in a sentence.
    pub summary: String,
    /// What it gains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<serde_json::Value>,
    /// What the model cost.
    #[serde(default)]
    pub usage: ConsolidationUsage,
    /// How often it was planned anew because the tree had changed.
    #[serde(default)]
    pub replans: u32,
    /// Documents that were in the way when it was last tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
    /// Versions that it wrote, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<RunChange>,
    /// The run that it undoes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<String>,
    /// The run that undid it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverted_by: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Its entries in the changelog.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changelog: String,
    /// The sequence of the tree behind each of these entries, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changelog_sequences: Vec<u64>,
    /// The job that plans it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Who asked, by name.
    pub by: String,
    /// Whether they administer the namespace: what is always loaded is theirs alone.
    pub by_admin: bool,
    /// When it began.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
    /// Whose it is.
    pub actor: ActorId,
}

/// A document as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Its path.
    pub path: String,
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// SHA-256 of its file.
    pub file_sha256: String,
    /// How far it was trusted.
    pub tier: TrustTier,
}

/// An action of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAction {
    /// Its id within the run.
    pub id: String,
    /// Of which operation it is.
    pub operation: Operation,
    /// What is to be done.
    pub action: Action,
    /// Where it stands.
    pub status: ActionStatus,
    /// Why a person decides first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
    /// The documents it is about, as they were read.
    pub seen: Vec<Seen>,
    /// Its words are a model's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
}

/// Two documents that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunReview {
    /// Why.
    pub reason: String,
    /// The documents.
    pub paths: Vec<String>,
    /// The conflict that was noted of it, in a repository's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
}

/// A version that a run wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunChange {
    /// The record.
    pub record: RecordId,
    /// Where it lay, or lies since.
    pub path: String,
    /// The version before; none where the run made it.
    pub before: Option<u32>,
    /// The version since.
    pub after: u32,
}

impl ConsolidationRun {
    /// The action of an id.
    #[must_use]
    pub fn action(&self, id: &str) -> Option<&RunAction> {
        self.actions.iter().find(|one| one.id == id)
    }

    /// Takes out the words that are not to be written any more.
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
    /// The paths that it reads and writes.
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

impl Shelved for ConsolidationRun {
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
