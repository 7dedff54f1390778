//! Calls about mirrors of trees.

use http::Method;
use loci_api::documents::mirror::{
    Mirror, MirrorBase, MirrorBaseAsk, MirrorList, MirrorMake, MirrorPull, MirrorReport,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Makes a mirror.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn mirror_add(&self, memory: &str, make: &MirrorMake) -> Result<Mirror, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "mirrors"]), make).await
    }

    /// The mirrors of a memory.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirrors_list(&self, memory: &str) -> Result<MirrorList, ClientError> {
        self.plain(Method::GET, path(&["v1", "memories", memory, "mirrors"])).await
    }

    /// A mirror, with what its last sync did.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_status(&self, memory: &str, mirror: &str) -> Result<Mirror, ClientError> {
        self.plain(Method::GET, path(&["v1", "memories", memory, "mirrors", mirror])).await
    }

    /// Removes a mirror; its files stay.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_remove(&self, memory: &str, mirror: &str) -> Result<Mirror, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "memories", memory, "mirrors", mirror])).await
    }

    /// Brings a mirror and its tree together.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_sync(&self, memory: &str, mirror: &str) -> Result<MirrorReport, ClientError> {
        self.plain(Method::POST, path(&["v1", "memories", memory, "mirrors", mirror, "sync"])).await
    }

    /// Which of a clone's commits is the mirror's.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_base(
        &self,
        memory: &str,
        mirror: &str,
        asked: &MirrorBaseAsk,
    ) -> Result<MirrorBase, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "mirrors", mirror, "base"]), asked).await
    }

    /// Takes what a clone brings.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_pull(
        &self,
        memory: &str,
        mirror: &str,
        pull: &MirrorPull,
    ) -> Result<MirrorReport, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "mirrors", mirror, "pull"]), pull).await
    }
}
