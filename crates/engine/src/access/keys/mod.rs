//! Verbs of access keys: create, list, rotate, revoke, and looking a caller up; and tokens of agents, of which nothing is stored.
//! Secrets leave the engine once.

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

/// A new key, with its secrets: shown once, never again.
#[derive(Debug)]
pub struct IssuedKey {
    /// The public half of the pair.
    pub id: AccessKeyId,
    /// The secret half, for SigV4.
    pub secret: Secret,
    /// The bearer token, for the native API and MCP.
    pub token: Secret,
    /// Who it stands for.
    pub principal: Principal,
}
