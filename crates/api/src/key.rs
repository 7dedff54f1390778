//! Access keys: a pair for the wire and a token for the native API, of one principal with grants.

use std::collections::{BTreeMap, BTreeSet};

pub use loci_model::principal::Capability;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A part of the world and what may be done there. An absent member means any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Id or name of the memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The node of the tree, with everything beneath it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Id of the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Keys of metadata with the values that each may have: events and records without one of them are not in the part, and
    /// what is written there is given the value where there is one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, BTreeSet<String>>,
    /// Events and records whose timestamp is older are not in the part; 1 to 36500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u32>,
    /// What may be done; all of it where it is absent.
    #[serde(default = "everything")]
    pub capabilities: Vec<Capability>,
}

fn everything() -> Vec<Capability> {
    vec![Capability::Read, Capability::Write, Capability::Admin]
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyCreate {
    /// A name for logs.
    pub name: String,
    /// What it allows; everything where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grants: Option<Vec<Grant>>,
}

/// A new key with its secrets, shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyIssued {
    /// The public half of the pair.
    pub access_key_id: String,
    /// The secret half, for the wire.
    pub secret_access_key: String,
    /// The bearer token, for the native API.
    pub token: String,
    /// The name.
    pub name: String,
    /// What it allows.
    pub grants: Vec<Grant>,
}

impl std::fmt::Debug for KeyIssued {
    /// Without the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyIssued").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

/// A key without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Key {
    /// The public half of the pair.
    pub access_key_id: String,
    /// The name.
    pub name: String,
    /// What it allows.
    pub grants: Vec<Grant>,
    /// When it was made.
    pub created_at: String,
    /// When its secrets were last replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotated_at: Option<String>,
    /// Since when it does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
}

/// All keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// Oldest first.
    pub keys: Vec<Key>,
}
