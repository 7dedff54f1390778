//! Calls about access keys.

use loci_api::Nothing;
use loci_api::key::{KeyCreate, KeyIssued, KeyList};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Creates an access key. Only this response contains its secrets.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn key_create(&self, new: &KeyCreate) -> Result<KeyIssued, ClientError> {
        self.send(at(&api::KEY_CREATE, &[]), new).await
    }

    /// Returns all access keys, without secrets.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_list(&self) -> Result<KeyList, ClientError> {
        self.plain(at(&api::KEY_LIST, &[])).await
    }

    /// Replaces the secrets of an access key. Only this response contains the new ones.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_rotate(&self, key: &str) -> Result<KeyIssued, ClientError> {
        self.plain(at(&api::KEY_ROTATE, &[key])).await
    }

    /// Revokes an access key.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_revoke(&self, key: &str) -> Result<Nothing, ClientError> {
        self.plain(at(&api::KEY_REVOKE, &[key])).await
    }
}
