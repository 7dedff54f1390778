//! Objects that agents park outside of their context. Their bytes are plain bodies; these types
//! describe them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A parked object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParkedObject {
    /// Key of the object.
    pub key: String,
    /// Content type of the bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Number of bytes.
    pub bytes: u64,
    /// Entity tag, quoted.
    pub etag: String,
    /// Time of the last write.
    pub updated_at: String,
    /// Time at which the object expires.
    pub expires_at: String,
}

/// A request to list parked objects.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ObjectListing {
    /// Prefix of the keys to list. Default: all keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Maximum number of objects per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Cursor from the previous page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of parked objects, by key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ObjectList {
    /// The objects.
    pub objects: Vec<ParkedObject>,
    /// Cursor of the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The result of deleting a parked object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObjectDeleted {
    /// True if an object had the key.
    pub deleted: bool,
}
