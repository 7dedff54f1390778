//! Reports on commits and pull requests that are not known yet. Deliveries arrive in any order, and
//! answers to polling arrive late, so these reports wait. Their number is bounded, and they expire
//! after thirty days.

use loci_model::facts::repository::Repository;
use loci_model::ledger::{LedgerNoun, Shelf};
use loci_model::ports::store::{LedgerPage, ReadTx, Tx};
use loci_model::tasks::pull_request::CheckSuite;
use loci_model::{ActorId, MemoryId, RepositoryId, Result, Timestamp, limits};
use serde::{Deserialize, Serialize};

use super::HeardRevert;

/// The number of further entries beyond the limit that one sweep removes.
const SWEPT: usize = 50;

/// A waiting report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WaitingReport {
    /// A revert.
    Revert(HeardRevert),
    /// The first ended check suite on a commit.
    Checks(CheckSuite),
}

impl WaitingReport {
    fn kind(&self) -> WaitingReportKind {
        match self {
            Self::Revert(_) => WaitingReportKind::Reverts,
            Self::Checks(_) => WaitingReportKind::Checks,
        }
    }
}

/// A kind of waiting report. Each has its own limit, so that many checks displace no revert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitingReportKind {
    Reverts,
    Checks,
}

impl WaitingReportKind {
    fn subject(self, repository: &RepositoryId) -> String {
        match self {
            Self::Reverts => format!("reverts/{repository}"),
            Self::Checks => format!("checks/{repository}"),
        }
    }

    fn most(self) -> usize {
        match self {
            Self::Reverts => limits::WAITING_REVERTS_MAX,
            Self::Checks => limits::WAITING_CHECKS_MAX,
        }
    }
}

/// A waiting report in its stored form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredWaitingReport {
    memory: MemoryId,
    actor: ActorId,
    repository: RepositoryId,
    pub(super) news: WaitingReport,
    heard_at: Timestamp,
}

impl LedgerNoun for StoredWaitingReport {
    const SHELF: Shelf = Shelf::named("unmatched");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        match &self.news {
            WaitingReport::Revert(heard) => {
                let by = heard.names.first().map_or("", String::as_str);
                format!("{}/{}/{by}", WaitingReportKind::Reverts.subject(&self.repository), heard.what)
            }
            WaitingReport::Checks(suite) => key_of_checks(&self.repository, &suite.head_sha),
        }
    }

    fn subject(&self) -> Option<String> {
        Some(self.news.kind().subject(&self.repository))
    }

    fn at(&self) -> Timestamp {
        self.heard_at
    }
}

fn key_of_checks(repository: &RepositoryId, sha: &str) -> String {
    format!("{}/{}", WaitingReportKind::Checks.subject(repository), sha.to_ascii_lowercase())
}

/// Stores a report with an unknown subject. A repetition does not extend its waiting time.
pub(super) fn keep(
    tx: &mut dyn Tx,
    (repository, actor): (&Repository, &ActorId),
    news: WaitingReport,
    now: Timestamp,
) -> Result<()> {
    let kind = news.kind();
    let (memory, id) = (repository.memory.clone(), repository.id.clone());
    let new = StoredWaitingReport { memory, actor: actor.clone(), repository: id, news, heard_at: now };
    let known = tx.ledger().noun::<StoredWaitingReport>(&new.memory, &new.key())?;
    let says_more = match (known.map(|known| known.news), &new.news) {
        (None, _) => true,
        (Some(WaitingReport::Checks(known)), WaitingReport::Checks(suite)) => {
            (suite.at, suite.id) < (known.at, known.id)
        }
        (Some(_), _) => false,
    };
    if !says_more {
        return Ok(());
    }
    tx.ledger_mut().put_noun(&new)?;
    let count = tx.ledger().count(&repository.memory, &StoredWaitingReport::SHELF, Some(actor))?;
    // If both kinds together are within the limit of one, this kind is, too.
    if usize::try_from(count).is_ok_and(|count| count <= kind.most()) {
        return Ok(());
    }
    sweep(tx, repository, kind, now)
}

/// Removes expired reports, and the oldest ones beyond the limit.
fn sweep(tx: &mut dyn Tx, repository: &Repository, kind: WaitingReportKind, now: Timestamp) -> Result<()> {
    let all = list(tx, repository, kind, kind.most() + SWEPT)?;
    let mut pushed_out = 0_usize;
    for (place, one) in all.iter().enumerate() {
        let is_old = is_old(one, now);
        if place >= kind.most() || is_old {
            tx.ledger_mut().remove(&one.memory, &StoredWaitingReport::SHELF, &one.key())?;
            pushed_out += usize::from(!is_old);
        }
    }
    if pushed_out > 0 {
        let (repo, what) = (repository.key.as_str(), kind.subject(&repository.id));
        tracing::warn!(repo, what, pushed_out, "too much waits for pull requests: the oldest was dropped");
    }
    Ok(())
}

fn is_old(one: &StoredWaitingReport, now: Timestamp) -> bool {
    one.heard_at.plus_millis(limits::WAITING_KEPT_MS) <= now
}

fn list(
    tx: &dyn ReadTx,
    repository: &Repository,
    kind: WaitingReportKind,
    limit: usize,
) -> Result<Vec<StoredWaitingReport>> {
    tx.ledger().nouns(&LedgerPage {
        memory: repository.memory.clone(),
        shelf: StoredWaitingReport::SHELF,
        actor: None,
        subject: Some(kind.subject(&repository.id)),
        after: None,
        limit,
    })
}

/// Returns the waiting reverts, the earliest first.
pub(super) fn reverts(tx: &dyn ReadTx, repository: &Repository, now: Timestamp) -> Result<Vec<HeardRevert>> {
    let all = list(tx, repository, WaitingReportKind::Reverts, limits::WAITING_REVERTS_MAX)?;
    let there = all.into_iter().rev().filter(|one| !is_old(one, now));
    let revert = |one: StoredWaitingReport| match one.news {
        WaitingReport::Revert(heard) => Some(heard),
        WaitingReport::Checks(_) => None,
    };
    Ok(there.filter_map(revert).collect())
}

/// Removes a revert whose subject is known by now.
pub(super) fn matched(
    tx: &mut dyn Tx,
    (repository, actor): (&Repository, &ActorId),
    heard: HeardRevert,
) -> Result<()> {
    let (memory, id, at) = (repository.memory.clone(), repository.id.clone(), heard.at);
    let news = WaitingReport::Revert(heard);
    let one = StoredWaitingReport { memory, actor: actor.clone(), repository: id, news, heard_at: at };
    tx.ledger_mut().remove(&one.memory, &StoredWaitingReport::SHELF, &one.key()).map(drop)
}

/// Returns the first ended suite on a commit among the waiting ones.
pub(super) fn checks_of(
    tx: &dyn ReadTx,
    repository: &Repository,
    sha: &str,
    now: Timestamp,
) -> Result<Option<CheckSuite>> {
    let (memory, key) = (&repository.memory, key_of_checks(&repository.id, sha));
    let Some(found) = tx.ledger().noun::<StoredWaitingReport>(memory, &key)?.filter(|one| !is_old(one, now))
    else {
        return Ok(None);
    };
    match found.news {
        WaitingReport::Checks(suite) => Ok(Some(suite)),
        WaitingReport::Revert(_) => Ok(None),
    }
}

/// Removes the checks of a commit whose pull request is known by now.
pub(super) fn checks_matched(tx: &mut dyn Tx, repository: &Repository, sha: &str) -> Result<()> {
    let key = key_of_checks(&repository.id, sha);
    tx.ledger_mut().remove(&repository.memory, &StoredWaitingReport::SHELF, &key).map(drop)
}

/// Removes expired reports, and returns the remaining reverts.
pub(super) fn swept(tx: &mut dyn Tx, repository: &Repository, now: Timestamp) -> Result<Vec<HeardRevert>> {
    sweep(tx, repository, WaitingReportKind::Reverts, now)?;
    sweep(tx, repository, WaitingReportKind::Checks, now)?;
    reverts(tx, repository, now)
}
