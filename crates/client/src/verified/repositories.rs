//! Calls about repositories.

use loci_api::verified::evidence::{EvidenceListing, EvidencePage};
use loci_api::verified::proposal::{ProposalList, ProposalListing};
use loci_api::verified::repository::{
    RepositoryAdd, RepositoryAdded, RepositoryList, RepositoryListing, RepositoryMark, RepositoryMarkAsk,
};
use loci_api::verified::table as api;
use loci_api::verified::verdict::{VerdictsTell, VerdictsTold};

use crate::at::at;
use crate::call::Client;
use crate::error::ClientError;

impl Client {
    /// Registers a repository, or a name or place of one that is known.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn repository_add(&self, add: &RepositoryAdd) -> Result<RepositoryAdded, ClientError> {
        self.send(at(&api::REPOSITORY_ADD, &[]), add).await
    }

    /// Records of a repository with proposed citations.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn facts_proposed(&self, listing: &ProposalListing) -> Result<ProposalList, ClientError> {
        self.query(at(&api::FACTS_PROPOSED, &[]), listing).await
    }

    /// A page of repositories.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_list(&self, listing: &RepositoryListing) -> Result<RepositoryList, ClientError> {
        self.query(at(&api::REPOSITORY_LIST, &[]), listing).await
    }

    /// A repository with its settings.
    ///
    /// # Errors
    /// Changes settings of a repository.
    ///
    /// # Errors
    /// What several tasks of a repository lacked.
    ///
    /// # Errors
    /// Closes a theme.
    ///
    /// # Errors
    /// The open themes of a repository as an edit of its prompt.
    ///
    /// # Errors
    /// Accepts such an edit.
    ///
    /// # Errors
    /// Whether a repository's facts changed, by a mark that is another then.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_mark(&self, repo: &str) -> Result<RepositoryMark, ClientError> {
        let ask = RepositoryMarkAsk { repo: repo.to_owned() };
        self.query(at(&api::REPOSITORY_MARK, &[]), &ask).await
    }

    /// A page of facts with what a verifier here needs to check them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn evidence_list(&self, listing: &EvidenceListing) -> Result<EvidencePage, ClientError> {
        self.query(at(&api::EVIDENCE_LIST, &[]), listing).await
    }

    /// Writes verdicts of a verifier here down.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn verdicts_tell(&self, tell: &VerdictsTell) -> Result<VerdictsTold, ClientError> {
        self.send(at(&api::VERDICTS_TELL, &[]), tell).await
    }
}
