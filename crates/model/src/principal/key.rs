//! Access keys: an AWS key pair and a bearer token of one principal. Secrets occur here only in
//! encrypted or hashed form.

use serde::{Deserialize, Serialize};

use crate::principal::Principal;
use crate::{AccessKeyId, Timestamp};

/// A key as stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessKey {
    /// The access key id: the public half of the AWS key pair.
    pub id: AccessKeyId,
    /// The principal of the key, with its grants.
    pub principal: Principal,
    /// The secret half, encrypted under the master key (nonce first).
    pub secret_sealed: Vec<u8>,
    /// SHA-256 of the bearer token, in hex.
    pub token_digest: String,
    /// The time at which the key was created.
    pub created_at: Timestamp,
    /// The time at which the key's secrets were last replaced.
    pub rotated_at: Option<Timestamp>,
    /// The time of the key's revocation.
    pub revoked_at: Option<Timestamp>,
}

impl std::fmt::Debug for AccessKey {
    /// Never shows a secret, sealed or hashed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessKey")
            .field("id", &self.id)
            .field("principal", &self.principal.name)
            .field("revoked_at", &self.revoked_at)
            .finish_non_exhaustive()
    }
}
