//! Who the caller is to this server, and which server it is: what a client looks at before it relies on either.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::key::Grant;

/// The caller, and the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Identity {
    /// The name of the key's principal, or the user of the operating system where no key is needed.
    pub name: String,
    /// What the caller may do; the union counts.
    pub grants: Vec<Grant>,
    /// The version of the server, such as `0.1.0`.
    pub server_version: String,
}
