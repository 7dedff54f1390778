//! Operations on access keys (create, list, rotate, revoke), authentication, and tokens of agents,
//! which are not stored. Secrets leave the engine once.

mod agent_token;
mod authenticate;
mod create;
mod list;
pub(crate) mod master_key;
mod revoke;
mod rotate;
mod secret;

use loci_model::AccessKeyId;
use loci_model::principal::Principal;

pub use agent_token::AgentClaim;
pub use secret::Secret;

/// A new access key with its secrets, which only the response to its creation contains.
#[derive(Debug)]
pub struct IssuedKey {
    /// The public id of the key pair, as in AWS.
    pub id: AccessKeyId,
    /// The secret of the key pair, for SigV4 signatures.
    pub secret: Secret,
    /// The bearer token, for the native API and MCP.
    pub token: Secret,
    /// The principal that the key authenticates.
    pub principal: Principal,
}
