//! Access keys. A key is a pair for the AgentCore API and a token for the native API, and belongs
//! to one principal with grants.

use std::collections::{BTreeMap, BTreeSet};

pub use loci_model::principal::Capability;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A grant of a key: a scope, and the capabilities in this scope. An absent member does not
/// restrict the scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Id or name of the memory that the grant is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// Id of the actor that the grant is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session that the grant is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Namespace that the grant covers, with everything beneath it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Id of the strategy whose records the grant is restricted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Metadata keys, each with its allowed values: at most 5 keys with 1 to 20 values each. The
    /// grant covers only events and records that have an allowed value for every key. If a key has
    /// exactly one allowed value, the server sets it on everything that is written under the grant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, BTreeSet<String>>,
    /// Maximum age in days, 1 to 36500. The grant does not cover events and records with an older
    /// timestamp.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u32>,
    /// Capabilities of the grant. Default: `read`, `write` and `admin`.
    #[serde(default = "everything")]
    pub capabilities: Vec<Capability>,
}

fn everything() -> Vec<Capability> {
    vec![Capability::Read, Capability::Write, Capability::Admin]
}

/// A request to create a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyCreate {
    /// Name of the key, for logs.
    pub name: String,
    /// Grants of the key. If absent, the key may do everything everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Vec<Grant>>,
}

/// A new key with its secrets. No later response contains the secrets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyIssued {
    /// Access key id: the public half of the AWS key pair.
    pub access_key_id: String,
    /// Secret access key: the secret half of the AWS key pair, for the AgentCore API.
    pub secret_access_key: String,
    /// The bearer token, for the native API.
    pub token: String,
    /// Name of the key.
    pub name: String,
    /// Grants of the key.
    pub grants: Vec<Grant>,
}

impl std::fmt::Debug for KeyIssued {
    /// Formats the key without its secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyIssued").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

/// A key without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Key {
    /// Access key id: the public half of the AWS key pair.
    pub access_key_id: String,
    /// Name of the key.
    pub name: String,
    /// Grants of the key.
    pub grants: Vec<Grant>,
    /// Time at which the key was created.
    pub created_at: String,
    /// Time of the last replacement of the secrets; absent if they were never replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<String>,
    /// Time of the revocation; from then on, the key is invalid. Absent if the key is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// A list of all keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// The keys, oldest first.
    pub keys: Vec<Key>,
}
