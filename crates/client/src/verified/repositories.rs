//! Calls about repositories.

use http::Method;
use loci_api::coding::repository_settings::{RepositoryChange, RepositoryShown};
use loci_api::coding::theme::{
    ThemeClosed, ThemeList, ThemeListing, ThemeProposal, ThemeProposalAccept, ThemeProposalAccepted,
    ThemeProposalAsk,
};
use loci_api::verified::evidence::{EvidenceListing, EvidencePage};
use loci_api::verified::proposal::{ProposalList, ProposalListing};
use loci_api::verified::repository::{
    RepositoryAdd, RepositoryAdded, RepositoryList, RepositoryListing, RepositoryMark, RepositoryMarkAsk,
};
use loci_api::verified::verdict::{VerdictsTell, VerdictsTold};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Registers a repository, or a name or place of one that is known.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn repository_add(&self, add: &RepositoryAdd) -> Result<RepositoryAdded, ClientError> {
        self.send(Method::POST, path(&["v1", "repos"]), add).await
    }

    /// Records of a repository with proposed citations.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn facts_proposed(&self, listing: &ProposalListing) -> Result<ProposalList, ClientError> {
        self.get_query(path(&["v1", "facts", "proposed"]), listing).await
    }

    /// A page of repositories.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_list(&self, listing: &RepositoryListing) -> Result<RepositoryList, ClientError> {
        self.get_query(path(&["v1", "repos"]), listing).await
    }

    /// A repository with its settings.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_show(&self, (owner, name): (&str, &str)) -> Result<RepositoryShown, ClientError> {
        self.get(path(&["v1", "repos", owner, name])).await
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
        self.send(Method::PATCH, path(&["v1", "repos", owner, name]), change).await
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
        self.get_query(path(&["v1", "repos", owner, name, "self-feedback", "themes"]), listing).await
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
        let path = path(&["v1", "repos", owner, name, "self-feedback", "themes", theme, "close"]);
        self.plain(Method::POST, path).await
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
        self.get_query(path(&["v1", "repos", owner, name, "self-feedback", "proposal"]), asked).await
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
        let path = path(&["v1", "repos", owner, name, "self-feedback", "proposal", "accept"]);
        self.send(Method::POST, path, accept).await
    }

    /// Whether a repository's facts changed, by a mark that is another then.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_mark(&self, repo: &str) -> Result<RepositoryMark, ClientError> {
        let ask = RepositoryMarkAsk { repo: repo.to_owned() };
        self.get_query(path(&["v1", "repos", "mark"]), &ask).await
    }

    /// A page of facts with what a verifier here needs to check them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn evidence_list(&self, listing: &EvidenceListing) -> Result<EvidencePage, ClientError> {
        self.get_query(path(&["v1", "repos", "evidence"]), listing).await
    }

    /// Writes verdicts of a verifier here down.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn verdicts_tell(&self, tell: &VerdictsTell) -> Result<VerdictsTold, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", "verdicts"]), tell).await
    }
}
