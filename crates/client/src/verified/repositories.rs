//! Calls about repositories.

use loci_api::coding::repository_settings::{RepositoryChange, RepositoryShown};
use loci_api::coding::table as coding_api;
use loci_api::coding::theme::{
    ThemeClosed, ThemeList, ThemeListing, ThemeProposal, ThemeProposalAccept, ThemeProposalAccepted,
    ThemeProposalAsk,
};
use loci_api::verified::evidence::{EvidenceListing, EvidencePage};
use loci_api::verified::proposal::{ProposalList, ProposalListing};
use loci_api::verified::repository::{
    RepositoryAdd, RepositoryAdded, RepositoryList, RepositoryListing, RepositoryMark, RepositoryMarkAsk,
};
use loci_api::verified::table as verified_api;
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
        self.send(at(&verified_api::REPOSITORY_ADD, &[]), add).await
    }

    /// Records of a repository with proposed citations.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn facts_proposed(&self, listing: &ProposalListing) -> Result<ProposalList, ClientError> {
        self.query(at(&verified_api::FACTS_PROPOSED, &[]), listing).await
    }

    /// A page of repositories.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_list(&self, listing: &RepositoryListing) -> Result<RepositoryList, ClientError> {
        self.query(at(&verified_api::REPOSITORY_LIST, &[]), listing).await
    }

    /// A repository with its settings.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_show(&self, (owner, name): (&str, &str)) -> Result<RepositoryShown, ClientError> {
        self.plain(at(&coding_api::REPOSITORY_SHOW, &[owner, name])).await
    }

    /// Changes settings of a repository.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_patch(
        &self,
        (owner, name): (&str, &str),
        change: &RepositoryChange,
    ) -> Result<RepositoryShown, ClientError> {
        self.send(at(&coding_api::REPOSITORY_PATCH, &[owner, name]), change).await
    }

    /// What several tasks of a repository lacked.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn themes_list(
        &self,
        (owner, name): (&str, &str),
        listing: &ThemeListing,
    ) -> Result<ThemeList, ClientError> {
        self.query(at(&coding_api::THEMES_LIST, &[owner, name]), listing).await
    }

    /// Closes a theme.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn theme_close(
        &self,
        (owner, name): (&str, &str),
        theme: &str,
    ) -> Result<ThemeClosed, ClientError> {
        self.plain(at(&coding_api::THEME_CLOSE, &[owner, name, theme])).await
    }

    /// The open themes of a repository as an edit of its prompt.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn theme_proposal(
        &self,
        (owner, name): (&str, &str),
        asked: &ThemeProposalAsk,
    ) -> Result<ThemeProposal, ClientError> {
        self.query(at(&coding_api::THEME_PROPOSAL, &[owner, name]), asked).await
    }

    /// Accepts such an edit.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn theme_proposal_accept(
        &self,
        (owner, name): (&str, &str),
        accept: &ThemeProposalAccept,
    ) -> Result<ThemeProposalAccepted, ClientError> {
        self.send(at(&coding_api::THEME_PROPOSAL_ACCEPT, &[owner, name]), accept).await
    }

    /// Whether a repository's facts changed, by a mark that is another then.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_mark(&self, repo: &str) -> Result<RepositoryMark, ClientError> {
        let ask = RepositoryMarkAsk { repo: repo.to_owned() };
        self.query(at(&verified_api::REPOSITORY_MARK, &[]), &ask).await
    }

    /// A page of facts with what a verifier here needs to check them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn evidence_list(&self, listing: &EvidenceListing) -> Result<EvidencePage, ClientError> {
        self.query(at(&verified_api::EVIDENCE_LIST, &[]), listing).await
    }

    /// Writes verdicts of a verifier here down.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn verdicts_tell(&self, tell: &VerdictsTell) -> Result<VerdictsTold, ClientError> {
        self.send(at(&verified_api::VERDICTS_TELL, &[]), tell).await
    }
}
