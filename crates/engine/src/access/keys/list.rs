//! `key_list`: lists all keys without their secrets.

use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::principal::key::AccessKey;

use crate::{Engine, access};

impl Engine {
    /// Returns all keys, oldest first, including revoked keys.
    pub async fn key_list(&self, caller: &Principal) -> Result<Vec<AccessKey>> {
        access::require_server_admin(caller)?;
        self.store.read(|tx| tx.keys().list()).await
    }
}
