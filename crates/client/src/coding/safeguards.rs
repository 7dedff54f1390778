//! Calls about the safeguards of a repository's memory: conflicts, quarantine, review, snapshots
//! and erasure.

use loci_api::coding::conflict::{Conflict, ConflictList, ConflictListing, ConflictResolve};
use loci_api::coding::safeguard::{
    HeldDecide, HeldList, HeldListing, PurgeAsk, Purged, RepositoryQuarantine, RollbackAsk, RolledBack,
    SnapshotList, SnapshotListing,
};
use loci_api::coding::table as api;
use loci_api::quarantine::Quarantined;
use loci_api::record::Record;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Returns the memories of a repository that contradict each other.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn conflicts_list(
        &self,
        (owner, name): (&str, &str),
        listing: &ConflictListing,
    ) -> Result<ConflictList, ClientError> {
        self.query(at(&api::CONFLICTS_LIST, &[owner, name]), listing).await
    }

    /// Resolves a conflict by choosing which of two memories stays.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn conflict_resolve(
        &self,
        (owner, name): (&str, &str),
        id: &str,
        decision: &ConflictResolve,
    ) -> Result<Conflict, ClientError> {
        self.send(at(&api::CONFLICT_RESOLVE, &[owner, name, id]), decision).await
    }

    /// Quarantines memories of a repository.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn repository_quarantine(
        &self,
        (owner, name): (&str, &str),
        asked: &RepositoryQuarantine,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::REPOSITORY_QUARANTINE, &[owner, name]), asked).await
    }

    /// Releases quarantined memories of a repository.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn repository_release(
        &self,
        (owner, name): (&str, &str),
        asked: &RepositoryQuarantine,
    ) -> Result<Quarantined, ClientError> {
        self.send(at(&api::REPOSITORY_RELEASE, &[owner, name]), asked).await
    }

    /// Returns the memories of a repository that wait for review.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn held_list(
        &self,
        (owner, name): (&str, &str),
        listing: &HeldListing,
    ) -> Result<HeldList, ClientError> {
        self.query(at(&api::HELD_LIST, &[owner, name]), listing).await
    }

    /// Activates a memory that waits for review.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn held_accept(
        &self,
        (owner, name): (&str, &str),
        record: &str,
        why: &HeldDecide,
    ) -> Result<Record, ClientError> {
        self.send(at(&api::HELD_ACCEPT, &[owner, name, record]), why).await
    }

    /// Marks a memory that waits for review as wrong.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn held_reject(
        &self,
        (owner, name): (&str, &str),
        record: &str,
        why: &HeldDecide,
    ) -> Result<Record, ClientError> {
        self.send(at(&api::HELD_REJECT, &[owner, name, record]), why).await
    }

    /// Returns the snapshots of a repository's memory.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn snapshots_list(
        &self,
        (owner, name): (&str, &str),
        listing: &SnapshotListing,
    ) -> Result<SnapshotList, ClientError> {
        self.query(at(&api::SNAPSHOTS_LIST, &[owner, name]), listing).await
    }

    /// Restores a repository's memory from a snapshot.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn repository_rollback(
        &self,
        (owner, name): (&str, &str),
        asked: &RollbackAsk,
    ) -> Result<RolledBack, ClientError> {
        self.send(at(&api::REPOSITORY_ROLLBACK, &[owner, name]), asked).await
    }

    /// Erases memories of a repository.
    ///
    /// # Errors
    /// See [`Client::conflicts_list`].
    pub async fn repository_purge(
        &self,
        (owner, name): (&str, &str),
        asked: &PurgeAsk,
    ) -> Result<Purged, ClientError> {
        self.send(at(&api::REPOSITORY_PURGE, &[owner, name]), asked).await
    }
}
