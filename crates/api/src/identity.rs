//! Identity of the caller and version of the server. A client checks both before it relies on them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::key::Grant;

/// The caller and the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Identity {
    /// Name of the key's principal, or the operating-system user if the server needs no key.
    pub name: String,
    /// Grants of the caller. The caller may do everything that at least one grant allows.
    pub grants: Vec<Grant>,
    /// Version of the server, such as `0.1.0`.
    pub server_version: String,
}
