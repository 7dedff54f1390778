//! Calls about a repository's settings and themes for coding agents.

use loci_api::coding::repository_settings::{RepositoryChange, RepositoryShown};
use loci_api::coding::table as api;
use loci_api::coding::theme::{
    ThemeClosed, ThemeList, ThemeListing, ThemeProposal, ThemeProposalAccept, ThemeProposalAccepted,
    ThemeProposalAsk,
};

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns a repository with its settings.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn repository_show(&self, (owner, name): (&str, &str)) -> Result<RepositoryShown, ClientError> {
        self.plain(at(&api::REPOSITORY_SHOW, &[owner, name])).await
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
        self.send(at(&api::REPOSITORY_PATCH, &[owner, name]), change).await
    }

    /// Returns the themes of a repository: information that several tasks lacked.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn themes_list(
        &self,
        (owner, name): (&str, &str),
        listing: &ThemeListing,
    ) -> Result<ThemeList, ClientError> {
        self.query(at(&api::THEMES_LIST, &[owner, name]), listing).await
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
        self.plain(at(&api::THEME_CLOSE, &[owner, name, theme])).await
    }

    /// Returns the proposed edit of a repository's prompt that would answer its open themes.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn theme_proposal(
        &self,
        (owner, name): (&str, &str),
        asked: &ThemeProposalAsk,
    ) -> Result<ThemeProposal, ClientError> {
        self.query(at(&api::THEME_PROPOSAL, &[owner, name]), asked).await
    }

    /// Accepts the proposed edit of a repository's prompt, and closes its themes.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn theme_proposal_accept(
        &self,
        (owner, name): (&str, &str),
        accept: &ThemeProposalAccept,
    ) -> Result<ThemeProposalAccepted, ClientError> {
        self.send(at(&api::THEME_PROPOSAL_ACCEPT, &[owner, name]), accept).await
    }
}
