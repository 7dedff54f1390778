//! `facts_evidence`: the facts of a repository with the evidence that a verifier elsewhere needs:
//! anchors and claims. Nothing is verified or stored here, and the evidence does not state that a
//! fact holds.

use loci_engine::memories::existing;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{Error, RecordId, Result, Timestamp, limits};

use crate::Verified;
use crate::facts::fact_record::{Remembered, join};
use crate::reads::by_path::ByPath;
use crate::reads::search::FactSearch;
use crate::repositories::code_access::check_ref;
use crate::repositories::find;
use loci_engine::calls::call_context::CallContext;

/// A fact for a verifier elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The fact.
    pub remembered: Remembered,
    /// The digest of the verified content. A reported verdict names the digest that it applies to.
    pub digest: String,
}

/// A page of evidence, most recently confirmed first.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidencePage {
    /// The repository.
    pub repository: Repository,
    /// The facts.
    pub facts: Vec<Evidence>,
    /// The start of the next page; `None` on the last one.
    pub next: Option<(Timestamp, RecordId)>,
}

/// The selection of facts, as in a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FactsAsked {
    /// The most recently confirmed facts.
    Recent {
        /// The repository.
        repo: String,
        /// The maximum number of facts, 1 to 200.
        limit: u32,
    },
    /// The facts that cite a path.
    ByPath {
        /// The repository.
        repo: String,
        /// The paths.
        by: ByPath,
    },
    /// The facts that answer a question.
    Search(FactSearch),
    /// One fact.
    One(RecordId),
}

/// The facts that a read would verify.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedEvidence {
    /// The repository.
    pub repository: Repository,
    /// The facts.
    pub facts: Vec<Evidence>,
    /// True if this server can read the requested revision, so that no other verifier is needed.
    pub is_readable: bool,
}

impl Verified {
    /// Returns the facts that a read would verify, for a caller that may have the code where this
    /// server does not. Nothing is verified, stored or counted as served. `reference` is the
    /// revision whose readability is checked.
    ///
    /// # Errors
    /// As the read.
    pub async fn facts_asked(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: FactsAsked,
        reference: Option<&str>,
    ) -> Result<AskedEvidence> {
        reference.map_or(Ok(()), check_ref)?;
        let (repository, facts) = match &asked {
            FactsAsked::Recent { repo, limit } => self.found_recent(caller, standing, repo, *limit).await?,
            FactsAsked::ByPath { repo, by } => self.found_by_path(caller, standing, repo, by.clone()).await?,
            FactsAsked::Search(search) => {
                // The origins of facts are not determined here, because the code is elsewhere.
                let found = self.found_searching(caller, standing, search).await?;
                let best = found.1.into_iter().take(search.limit as usize);
                (found.0, best.map(|(fact, _)| fact).collect())
            }
            FactsAsked::One(id) => {
                let located = self.locate(caller, standing, id, Capability::Read).await?;
                (located.found.repository, vec![located.remembered])
            }
        };
        let is_readable = match reference {
            Some(_) => self.tip(&repository, standing, reference).await.is_ok(),
            None => false,
        };
        let facts = evidence(&repository, facts)?;
        Ok(AskedEvidence { repository, facts, is_readable })
    }

    /// Returns active facts of a repository after `after`, at most `limit` (1 to 100). A fact that
    /// is confirmed between two pages may be skipped, because it was verified then.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Invalid` for a limit out of range.
    pub async fn facts_evidence(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        after: Option<(Timestamp, RecordId)>,
        limit: u32,
    ) -> Result<EvidencePage> {
        if !(1..=limits::PAGE_ITEMS_MAX).contains(&limit) {
            return Err(Error::invalid("limit", format!("limit must be 1 to {}", limits::PAGE_ITEMS_MAX)));
        }
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, name, limit) = (caller.clone(), repo.to_owned(), limit as usize);
        let (repository, facts, next) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = find(tx, &asking, &memory, &name, Capability::Read)?;
                let facts = tx.facts().list(&FactPage {
                    memory: memory.clone(),
                    repository: found.repository.id.clone(),
                    statuses: vec![RecordState::Active],
                    choice: FactChoice::Stored,
                    after: after.clone(),
                    limit,
                })?;
                let last = facts.last().filter(|_| facts.len() == limit);
                let next = last.map(|fact| (fact.refreshed_at, fact.record.clone()));
                let facts = join(tx, &memory, &found.view, facts)?;
                Ok((found.repository, facts, next))
            })
            .await?;
        let facts = evidence(&repository, facts)?;
        Ok(EvidencePage { repository, facts, next })
    }
}

/// Returns facts in the form for a verifier elsewhere.
fn evidence(repository: &Repository, facts: Vec<Remembered>) -> Result<Vec<Evidence>> {
    let one =
        |remembered: Remembered| Ok(Evidence { digest: remembered.digest(repository.quorum)?, remembered });
    facts.into_iter().map(one).collect()
}
