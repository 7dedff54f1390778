//! Looking a caller up: by the public half of a pair, or by a bearer token. Whether a signature holds is the door's
//! to check; what the caller may do is `access`'s.

use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_model::{AccessKeyId, Error, Result};

use super::secret::digest;
use super::{Secret, agent_token};
use crate::Engine;

impl Engine {
    /// True once a key was made, revoked ones included: from then on nobody is let in without one. Revoking the last
    /// key must not open the doors again.
    pub async fn any_keys(&self) -> Result<bool> {
        self.store.read(|tx| tx.keys().any()).await
    }

    /// The principal and the secret of a key that counts.
    pub async fn pair_lookup(&self, id: &AccessKeyId) -> Result<Option<(Principal, Secret)>> {
        let wanted = id.clone();
        let key = self.store.read(move |tx| tx.keys().get(&wanted)).await?;
        let Some(key) = key.filter(|key| key.revoked_at.is_none()) else { return Ok(None) };
        let secret = String::from_utf8(self.vault.open(&key.secret_sealed)?)
            .map_err(|_| Error::bug("the stored secret of a key is not text"))?;
        Ok(Some((key.principal, Secret::new(secret))))
    }

    /// The principal of a bearer token that counts: of a key, of which only digests are compared, or of the agent of a task.
    pub async fn token_lookup(&self, token: &str) -> Result<Option<Principal>> {
        if agent_token::is_agents(token) {
            return self.agent_of(token).await;
        }
        let wanted = digest(token);
        let key = self.store.read(move |tx| tx.keys().by_token(&wanted)).await?;
        Ok(key.filter(|key| key.revoked_at.is_none()).map(|key| key.principal))
    }
}
