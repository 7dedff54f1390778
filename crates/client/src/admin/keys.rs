//! Calls about access keys.

use http::Method;
use loci_api::Nothing;
use loci_api::key::{KeyCreate, KeyIssued, KeyList};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Makes a key; its secrets are in this answer only.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn key_create(&self, new: &KeyCreate) -> Result<KeyIssued, ClientError> {
        self.send(Method::POST, path(&["v1", "keys"]), new).await
    }

    /// All keys, without secrets.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_list(&self) -> Result<KeyList, ClientError> {
        self.get(path(&["v1", "keys"])).await
    }

    /// Replaces the secrets of a key.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_rotate(&self, key: &str) -> Result<KeyIssued, ClientError> {
        self.plain(Method::POST, path(&["v1", "keys", key, "rotate"])).await
    }

    /// Revokes a key.
    ///
    /// # Errors
    /// See [`Client::key_create`].
    pub async fn key_revoke(&self, key: &str) -> Result<Nothing, ClientError> {
        self.plain(Method::DELETE, path(&["v1", "keys", key])).await
    }
}
