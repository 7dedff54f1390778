//! Calls about mirrors of trees.

use loci_api::documents::mirror::{
    Mirror, MirrorBase, MirrorBaseAsk, MirrorList, MirrorMake, MirrorPull, MirrorReport,
};
use loci_api::documents::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Creates a mirror.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn mirror_add(&self, memory: &str, make: &MirrorMake) -> Result<Mirror, ClientError> {
        self.send(at(&api::MIRROR_ADD, &[memory]), make).await
    }

    /// Returns the mirrors of a memory.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirrors_list(&self, memory: &str) -> Result<MirrorList, ClientError> {
        self.plain(at(&api::MIRRORS_LIST, &[memory])).await
    }

    /// Returns a mirror, with the report of its last sync.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_status(&self, memory: &str, mirror: &str) -> Result<Mirror, ClientError> {
        self.plain(at(&api::MIRROR_STATUS, &[memory, mirror])).await
    }

    /// Removes a mirror; its files stay.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_remove(&self, memory: &str, mirror: &str) -> Result<Mirror, ClientError> {
        self.plain(at(&api::MIRROR_REMOVE, &[memory, mirror])).await
    }

    /// Synchronises a mirror and its tree.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_sync(&self, memory: &str, mirror: &str) -> Result<MirrorReport, ClientError> {
        self.plain(at(&api::MIRROR_SYNC, &[memory, mirror])).await
    }

    /// Returns the newest of a clone's commits that the mirror contains, as the base of a pull.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_base(
        &self,
        memory: &str,
        mirror: &str,
        asked: &MirrorBaseAsk,
    ) -> Result<MirrorBase, ClientError> {
        self.send(at(&api::MIRROR_BASE, &[memory, mirror]), asked).await
    }

    /// Applies the changes that people made in a clone of a mirror.
    ///
    /// # Errors
    /// See [`Client::mirror_add`].
    pub async fn mirror_pull(
        &self,
        memory: &str,
        mirror: &str,
        pull: &MirrorPull,
    ) -> Result<MirrorReport, ClientError> {
        self.send(at(&api::MIRROR_PULL, &[memory, mirror]), pull).await
    }
}
