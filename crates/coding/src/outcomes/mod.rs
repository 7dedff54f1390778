//! Outcomes of tasks: a forge, or a client that watches one, reports events of pull requests,
//! branches and checks. Each task has one outcome with a grade and its history.
//!
//! | file | idea |
//! |---|---|
//! | `grading` | the grade, by its table: pure |
//! | `rounds`, `seeing`, `reverting`, `trailers` | parsing of a forge's reports: pure |
//! | `standing` | the effective reverts, and reverts of reverts: pure |
//! | `mapping` | the tasks of a pull request, and of a commit |
//! | `recording` | writes an outcome, and updates the task's episode |
//! | `pull_request_seen`, `branch_pushed`, `checks_ended` | reported events |
//! | `resting` | inactivity |
//! | `taking_back` | applies a revert to the reverted outcomes |
//! | `unmatched` | events that arrive before their subject |
//! | `task_outcome` | reads an outcome, and sets it by hand |
//!
//! Reports may arrive twice, late and in any order: facts are replaced, never incremented, and a
//! report older than the known state changes nothing.

mod branch_pushed;
mod checks_ended;
pub(crate) mod grading;
pub(crate) mod mapping;
mod pull_request_seen;
mod recording;
mod resting;
mod reverting;
mod rounds;
mod seeing;
mod standing;
mod taking_back;
mod task_outcome;
mod trailers;
mod unmatched;

pub(super) use branch_pushed::says_revert;
pub use pull_request_seen::PullRequestSeen;
pub(crate) use recording::noted_on;
pub(super) use task_outcome::outcome_of;
pub use task_outcome::{OutcomeByHand, OutcomeSet};
pub(super) use trailers::task_ids;
pub(crate) use unmatched::Unmatched;

use loci_model::facts::repository::Repository;
use loci_model::ledger::Shelved;
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
