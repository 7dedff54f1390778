//! Outcomes of tasks: a forge, or a client that watches one, reports events of pull requests,
//! branches and checks. Each task has one outcome with a grade and its history.
//!
//! | file | idea |
//! |---|---|
//! | `grades` | the grade, by its table: pure |
//! | `rounds`, `report_merge`, `revert_messages`, `trailers` | parsing of a forge's reports: pure |
//! | `revert_state` | the effective reverts, and reverts of reverts: pure |
//! | `task_match` | the tasks of a pull request, and of a commit |
//! | `outcome_write` | writes an outcome, and updates the task's episode |
//! | `pull_request_report`, `branch_push`, `check_suites` | reported events |
//! | `inactive_pull_requests` | inactivity |
//! | `revert_effects` | applies a revert to the reverted outcomes |
//! | `unmatched_reports` | events that arrive before their subject |
//! | `task_outcome` | reads an outcome, and sets it by hand |
//!
//! Reports may arrive twice, late and in any order: facts are replaced, never incremented, and a
//! report older than the known state changes nothing.

mod branch_push;
mod check_suites;
pub(crate) mod grades;
mod inactive_pull_requests;
mod outcome_write;
mod pull_request_report;
mod report_merge;
mod revert_effects;
mod revert_messages;
mod revert_state;
mod rounds;
pub(crate) mod task_match;
mod task_outcome;
mod trailers;
mod unmatched_reports;

pub(super) use branch_push::says_revert;
pub(crate) use outcome_write::noted_on;
pub use pull_request_report::PullRequestSeen;
pub(super) use task_outcome::outcome_of;
pub use task_outcome::{OutcomeByHand, OutcomeSet};
pub(super) use trailers::task_ids;
pub(crate) use unmatched_reports::StoredWaitingReport;

use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx};
use loci_model::tasks::outcome::Outcome;
use loci_model::{ActorId, Error, MemoryId, RepositoryId, Result, Timestamp};
use serde::{Deserialize, Serialize};

/// The maximum number of outcomes that are searched for a commit that only they name: the newest.
const LOOKED_THROUGH_MAX: usize = 500;
/// The maximum number of tasks of one pull request.
const TASKS_MAX: usize = 50;

/// A revert reported by a push or by a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HeardRevert {
    /// The reverted commit, or `#` and the number of the reverted pull request.
    what: String,
    /// The names of the revert itself, in the same form.
    names: Vec<String>,
    /// The tip of the push that contained it.
    tip: Option<String>,
    /// The time of the report.
    at: Timestamp,
}

/// Returns the newest outcomes of an actor.
fn newest(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId) -> Result<Vec<Outcome>> {
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: Outcome::SHELF,
        actor: Some(actor.clone()),
        subject: None,
        after: None,
        limit: LOOKED_THROUGH_MAX,
    })
}

/// Returns the outcomes of a pull request.
fn of_pull_request(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    repository: &RepositoryId,
    pr: u64,
) -> Result<Vec<Outcome>> {
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: Outcome::SHELF,
        actor: None,
        subject: Some(Outcome::subject_of(repository, pr)),
        after: None,
        limit: TASKS_MAX,
    })
}

/// Returns the repository of a report.
fn heard_of(tx: &dyn ReadTx, memory: &MemoryId, id: &RepositoryId) -> Result<Repository> {
    let unknown = || Error::not_found("the repository is not registered here any more").on("repo");
    tx.repositories().get(memory, id)?.ok_or_else(unknown)
}
