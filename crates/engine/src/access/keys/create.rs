//! `key_create`: creates a SigV4 key pair and a bearer token for one principal.

use loci_model::ports::store::StoreExt;
use loci_model::principal::key::AccessKey;
use loci_model::principal::{Grant, Principal};
use loci_model::{Error, Result};

use super::IssuedKey;
use super::secret::{digest, new_key_id, new_secret, new_token};
use crate::{Engine, access};

/// The maximum length of a principal's name, in characters.
const NAME_CHARS_MAX: usize = 128;

impl Engine {
    /// Creates a key for a principal. The secrets are only in this response and cannot be read
    /// later.
    pub async fn key_create(&self, caller: &Principal, principal: Principal) -> Result<IssuedKey> {
        access::require_server_admin(caller)?;
        let length = principal.name.chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&length) || principal.name.chars().any(char::is_control) {
            let rule = "the name of a principal must have 1 to 128 characters without control characters";
            return Err(Error::invalid("name", rule));
        }
        if principal.grants.iter().any(|grant| grant.capabilities.is_empty()) || principal.grants.is_empty() {
            let rule = "a key needs at least one grant with at least one of read, write, admin";
            return Err(Error::invalid("grants", rule));
        }
        principal.grants.iter().try_for_each(Grant::check_bounds)?;
        self.ready_to_seal().await?;
        let ids = self.ids.as_ref();
        let issued = IssuedKey {
            id: new_key_id(ids)?,
            secret: new_secret(ids),
            token: new_token(ids),
            principal: principal.clone(),
        };
        let key = AccessKey {
            id: issued.id.clone(),
            principal,
            secret_sealed: self.vault.seal(issued.secret.expose().as_bytes())?,
            token_digest: digest(issued.token.expose()),
            created_at: self.clock.now(),
            rotated_at: None,
            revoked_at: None,
        };
        self.store.write(move |tx| tx.keys_mut().insert(&key)).await?;
        Ok(issued)
    }
}
