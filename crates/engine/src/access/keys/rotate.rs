//! `key_rotate`: creates new secrets for the same key id and grants. The old secrets become invalid
//! immediately.

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::Principal;
use loci_model::principal::key::AccessKey;
use loci_model::{AccessKeyId, Error, Result};

use super::IssuedKey;
use super::secret::{digest, new_secret, new_token};
use crate::{Engine, access};

impl Engine {
    /// Replaces both secrets of a key.
    pub async fn key_rotate(&self, caller: &Principal, id: &AccessKeyId) -> Result<IssuedKey> {
        access::require_server_admin(caller)?;
        // This check precedes the replacement of the witness, so that an unknown key id changes
        // nothing.
        let wanted = id.clone();
        self.store.read(move |tx| rotatable(tx, &wanted).map(drop)).await?;
        self.ready_to_seal_anew().await?;
        let (secret, token) = (new_secret(self.ids.as_ref()), new_token(self.ids.as_ref()));
        let sealed = self.vault.seal(secret.expose().as_bytes())?;
        let token_digest = digest(token.expose());
        let now = self.clock.now();
        let wanted = id.clone();
        let principal = self
            .store
            .write(move |tx| {
                let mut key = rotatable(tx, &wanted)?;
                key.secret_sealed.clone_from(&sealed);
                key.token_digest.clone_from(&token_digest);
                key.rotated_at = Some(now);
                tx.keys_mut().update(&key)?;
                Ok(key.principal)
            })
            .await?;
        Ok(IssuedKey { id: id.clone(), secret, token, principal })
    }
}

fn rotatable(tx: &dyn ReadTx, id: &AccessKeyId) -> Result<AccessKey> {
    let key = tx.keys().get(id)?.ok_or_else(|| unknown(id))?;
    if key.revoked_at.is_some() {
        return Err(Error::conflict("the key is revoked: create a new one"));
    }
    Ok(key)
}

/// Returns the error for an unknown key.
pub(super) fn unknown(id: &AccessKeyId) -> Error {
    Error::not_found(format!("there is no access key {id}"))
}
