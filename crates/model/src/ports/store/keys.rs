//! Access to access keys.

use crate::principal::key::AccessKey;
use crate::{AccessKeyId, Result};

/// The table of access keys.
pub trait Keys {
    /// Returns the key of that id, including revoked ones.
    fn get(&self, id: &AccessKeyId) -> Result<Option<AccessKey>>;
    /// Returns the key whose bearer token has this digest.
    fn by_token(&self, digest: &str) -> Result<Option<AccessKey>>;
    /// Returns all keys, oldest first.
    fn list(&self) -> Result<Vec<AccessKey>>;
    /// True if a key was ever created, including revoked ones.
    fn any(&self) -> Result<bool>;
    /// Adds a key.
    fn insert(&mut self, key: &AccessKey) -> Result<()>;
    /// Replaces a key; false if there is none.
    fn update(&mut self, key: &AccessKey) -> Result<bool>;
}
