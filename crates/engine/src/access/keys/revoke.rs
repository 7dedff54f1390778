//! `key_revoke`: revokes a key immediately and permanently.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Result};

use super::rotate::unknown;
use crate::{Engine, access};

impl Engine {
    /// Revokes a key. Revoking it again has no effect.
    pub async fn key_revoke(&self, caller: &Principal, id: &AccessKeyId) -> Result<()> {
        access::require_server_admin(caller)?;
        let now = self.clock.now();
        let wanted = id.clone();
        self.store
            .write(move |tx| {
                let mut key = tx.keys().get(&wanted)?.ok_or_else(|| unknown(&wanted))?;
                if key.revoked_at.is_none() {
                    key.revoked_at = Some(now);
                    tx.keys_mut().update(&key)?;
                }
                Ok(())
            })
            .await
    }
}
