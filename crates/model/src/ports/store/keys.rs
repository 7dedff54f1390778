//! Access to access keys.

use crate::principal::key::AccessKey;
use crate::{AccessKeyId, Result};

/// The table of access keys.
pub trait Keys {
    /// The key of that id, revoked ones included.
    fn get(&self, id: &AccessKeyId) -> Result<Option<AccessKey>>;
    /// The key whose bearer token has this digest.
    fn by_token(&self, digest: &str) -> Result<Option<AccessKey>>;
    /// All keys, oldest first.
    fn list(&self) -> Result<Vec<AccessKey>>;
    /// True when a key was ever made, revoked ones included.
    fn any(&self) -> Result<bool>;
    /// Adds a key.
    fn insert(&mut self, key: &AccessKey) -> Result<()>;
    /// Replaces a key; false if there is none.
    fn update(&mut self, key: &AccessKey) -> Result<bool>;
}
