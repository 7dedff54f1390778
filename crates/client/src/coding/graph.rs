//! Calls about files that change together.

use http::Method;
use loci_api::coding::graph::{
    CoChangeAsk, CoChangeList, FileSetList, FileSetListing, GraphRebuild, GraphRebuildAsked, ImpactAsk,
    ImpactList, MissingAsk, MissingList,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Files that often change with a file.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn co_changes(
        &self,
        (owner, name): (&str, &str),
        ask: &CoChangeAsk,
    ) -> Result<CoChangeList, ClientError> {
        self.get_query(path(&["v1", "repos", owner, name, "graph", "co-change"]), ask).await
    }

    /// Groups of files that are always modified together.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn file_sets(
        &self,
        (owner, name): (&str, &str),
        listing: &FileSetListing,
    ) -> Result<FileSetList, ClientError> {
        self.get_query(path(&["v1", "repos", owner, name, "graph", "sets"]), listing).await
    }

    /// What a change may touch.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn impact(
        &self,
        (owner, name): (&str, &str),
        ask: &ImpactAsk,
    ) -> Result<ImpactList, ClientError> {
        self.get_query(path(&["v1", "repos", owner, name, "graph", "impact"]), ask).await
    }

    /// Files that usually change with some others, and are not among them.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn missing_files(
        &self,
        (owner, name): (&str, &str),
        ask: &MissingAsk,
    ) -> Result<MissingList, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "graph", "missing"]), ask).await
    }

    /// Asks for a repository's history to be read anew.
    ///
    /// # Errors
    /// See [`Client::repository_add`].
    pub async fn graph_rebuild(
        &self,
        (owner, name): (&str, &str),
        ask: &GraphRebuild,
    ) -> Result<GraphRebuildAsked, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "graph", "rebuild"]), ask).await
    }
}
