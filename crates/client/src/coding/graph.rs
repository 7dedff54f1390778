//! Calls about files that change together.

use loci_api::coding::graph::{
    CoChangeAsk, CoChangeList, FileSetList, FileSetListing, GraphRebuild, GraphRebuildAsked, ImpactAsk,
    ImpactList, MissingAsk, MissingList,
};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the files that often change together with a file.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn co_changes(
        &self,
        (owner, name): (&str, &str),
        ask: &CoChangeAsk,
    ) -> Result<CoChangeList, ClientError> {
        self.query(at(&api::CO_CHANGES, &[owner, name]), ask).await
    }

    /// Returns the groups of files that are always modified together.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn file_sets(
        &self,
        (owner, name): (&str, &str),
        listing: &FileSetListing,
    ) -> Result<FileSetList, ClientError> {
        self.query(at(&api::FILE_SETS, &[owner, name]), listing).await
    }

    /// Returns the files that a change may affect.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn impact(
        &self,
        (owner, name): (&str, &str),
        ask: &ImpactAsk,
    ) -> Result<ImpactList, ClientError> {
        self.query(at(&api::IMPACT, &[owner, name]), ask).await
    }

    /// Returns the files that usually change together with the given ones and are not among them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn missing_files(
        &self,
        (owner, name): (&str, &str),
        ask: &MissingAsk,
    ) -> Result<MissingList, ClientError> {
        self.send(at(&api::MISSING_FILES, &[owner, name]), ask).await
    }

    /// Requests that the server reads the history of a repository again and rebuilds its graph.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn graph_rebuild(
        &self,
        (owner, name): (&str, &str),
        ask: &GraphRebuild,
    ) -> Result<GraphRebuildAsked, ClientError> {
        self.send(at(&api::GRAPH_REBUILD, &[owner, name]), ask).await
    }
}
