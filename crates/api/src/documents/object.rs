//! Objects that agents park outside of their context. Their bytes are bodies as they are; these are what is said of them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is parked under a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParkedObject {
    /// The key.
    pub key: String,
    /// What the bytes are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// How many they are.
    pub bytes: u64,
    /// Entity tag, quoted.
    pub etag: String,
    /// When it was written last.
    pub updated_at: String,
    /// When it vanishes.
    pub expires_at: String,
}

/// Which objects.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectListing {
    /// Whose keys begin so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Objects, by key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ObjectList {
    /// The objects.
    pub objects: Vec<ParkedObject>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Whether something was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObjectDeleted {
    /// Something was under the key.
    pub deleted: bool,
}
