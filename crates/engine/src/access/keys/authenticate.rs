//! Authentication: finds the principal by the id of a key pair or by a bearer token. The HTTP
//! server checks the signature, and `access` decides the permissions.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, Result};

use super::secret::digest;
use super::{Secret, agent_token};
use crate::Engine;

impl Engine {
    /// Returns true once a key was created, even if all keys are revoked. From then on every
    /// request needs a key: revoking the last key must not open the server to requests without
    /// credentials.
    pub async fn any_keys(&self) -> Result<bool> {
        self.store.read(|tx| tx.keys().any()).await
    }

    /// Returns the principal and the secret of a key pair; `None` if the key is unknown or
    /// revoked.
    pub async fn pair_lookup(&self, id: &AccessKeyId) -> Result<Option<(Principal, Secret)>> {
        let wanted = id.clone();
        let key = self.store.read(move |tx| tx.keys().get(&wanted)).await?;
        let Some(key) = key.filter(|key| key.revoked_at.is_none()) else { return Ok(None) };
        let secret = String::from_utf8(self.vault.open(&key.secret_sealed)?)
            .map_err(|_| Error::bug("the stored secret of a key is not text"))?;
        Ok(Some((key.principal, Secret::new(secret))))
    }

    /// Returns the principal of a bearer token, which belongs to a key or to the agent of a task;
    /// `None` if the token is invalid. The store keeps only the digest of a key's token.
    pub async fn token_lookup(&self, token: &str) -> Result<Option<Principal>> {
        if agent_token::is_agents(token) {
            return self.agent_of(token).await;
        }
        let wanted = digest(token);
        let key = self.store.read(move |tx| tx.keys().by_token(&wanted)).await?;
        Ok(key.filter(|key| key.revoked_at.is_none()).map(|key| key.principal))
    }
}
