//! Calls about repositories.

use loci_api::verified::evidence::{EvidenceListing, EvidencePage};
use loci_api::verified::proposal::{ProposalList, ProposalListing};
use loci_api::verified::repository::{
    RepositoryAdd, RepositoryAdded, RepositoryList, RepositoryListing, RepositoryMark, RepositoryMarkAsk,
};
use loci_api::verified::table as api;
use loci_api::verified::verdict::{VerdictsTell, VerdictsTold};

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Registers a repository, or a name or location of a known one.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn repository_add(&self, add: &RepositoryAdd) -> Result<RepositoryAdded, ClientError> {
        self.send(at(&api::REPOSITORY_ADD, &[]), add).await
    }

    /// Returns the records of a repository with proposed citations.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn facts_proposed(&self, listing: &ProposalListing) -> Result<ProposalList, ClientError> {
        self.query(at(&api::FACTS_PROPOSED, &[]), listing).await
    }

    /// Returns a page of repositories.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_list(&self, listing: &RepositoryListing) -> Result<RepositoryList, ClientError> {
        self.query(at(&api::REPOSITORY_LIST, &[]), listing).await
    }

    /// Returns a mark that changes when the facts of a repository change.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_mark(&self, repo: &str) -> Result<RepositoryMark, ClientError> {
        let ask = RepositoryMarkAsk { repo: repo.to_owned() };
        self.query(at(&api::REPOSITORY_MARK, &[]), &ask).await
    }

    /// Returns a page of facts with the data that a verifier on this machine needs to check them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn evidence_list(&self, listing: &EvidenceListing) -> Result<EvidencePage, ClientError> {
        self.query(at(&api::EVIDENCE_LIST, &[]), listing).await
    }

    /// Stores the verdicts of a verifier on this machine.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn verdicts_tell(&self, tell: &VerdictsTell) -> Result<VerdictsTold, ClientError> {
        self.send(at(&api::VERDICTS_TELL, &[]), tell).await
    }
}
