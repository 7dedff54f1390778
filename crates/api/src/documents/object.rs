//! Objects that agents store outside of their context. The requests and responses for an object's
//! content are plain bytes; the types of this file describe objects.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A parked object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ParkedObject {
    /// Key under which the object is stored.
    pub key: String,
    /// Content type, as the client specified it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Number of bytes.
    pub bytes: u64,
    /// Entity tag of the object, quoted.
    pub etag: String,
    /// Time at which the object was last written.
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
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of parked objects, sorted by key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ObjectList {
    /// The objects on this page.
    pub objects: Vec<ParkedObject>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The result of deleting a parked object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObjectDeleted {
    /// True if an object was stored under the key; false if there was nothing to delete.
    pub deleted: bool,
}
