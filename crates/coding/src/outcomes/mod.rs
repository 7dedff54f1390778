//! What came of tasks: a forge, or whoever watches one, says what happened to pull requests,
//! branches and checks; each task has one outcome, graded, with its history.
//!
//! | file | idea |
//! |---|---|
//! | `grading` | the grade, by its table: pure |
//! | `rounds`, `seeing`, `reverting`, `trailers` | what is read out of what a forge says: pure |
//! | `standing` | what counts of reverts, and of their reverts: pure |
//! | `mapping` | whose a pull request is, and a commit |
//! | `recording` | writing an outcome, and telling its task's episode |
//! | `pull_request_seen`, `branch_pushed`, `checks_ended`, `resting` | what is heard, and what is not heard any more |
//! | `taking_back` | a revert, on what it takes back |
//! | `unmatched` | what is heard before what it is about |
//! | `task_outcome` | an outcome looked at, and set by hand |
//!
//! What is heard may come twice, late and in any order: facts are replaced, never counted up, and what is older than what is known
//! changes nothing.

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

/// Outcomes that are looked through for a commit that only they name: the newest.
const LOOKED_THROUGH_MAX: usize = 500;
/// Tasks of one pull request.
const TASKS_MAX: usize = 50;

/// A revert, as it is heard of: by a push, or by a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct HeardRevert {
    /// What it takes back: a commit, or `#` and a pull request's number.
    what: String,
    /// What it is called, by the same.
    names: Vec<String>,
    /// The tip of the push that it came with.
    tip: Option<String>,
    /// When.
    at: Timestamp,
}

/// The newest outcomes of an actor.
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

/// The outcomes of a pull request.
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

/// The repository that something is heard of.
fn heard_of(tx: &dyn ReadTx, memory: &MemoryId, id: &RepositoryId) -> Result<Repository> {
    let unknown = || Error::not_found("the repository is not registered here any more").on("repo");
    tx.repositories().get(memory, id)?.ok_or_else(unknown)
}
