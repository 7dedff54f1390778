//! The Model Context Protocol (mcp.md): the 2026-07-28 revision and the initialize-based ones on one endpoint and on stdio.
//!
//! * [`message`], [`fault`], [`revision`]: JSON-RPC, its errors, and which revision a request speaks;
//! * [`provider`]: what a server offers; [`dispatch`]: a method asked of it, and its result in the words of the revision;
//! * [`input`]: results that ask the user something first; [`listen`]: news of what changed; [`peer`]: the other side;
//! * [`http`], [`stdio`]: the transports; [`loci`]: what this server offers.
//!
//! Nothing here knows a tool: those are in [`crate::tools`], and any door may call them.

pub mod dispatch;
pub mod fault;
pub mod http;
pub mod input;
pub mod listen;
pub mod loci;
pub mod message;
pub mod options;
pub mod peer;
pub mod provider;
pub mod revision;
pub mod stdio;

use std::sync::Arc;

use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;

use input::Sealer;
use listen::Hub;
pub use options::{Guard, McpOptions, Naming};
use peer::Pending;

/// What the door keeps between requests: the key of what clients carry for it, who listens, and questions that are open.
pub struct Mcp {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub ids: Arc<dyn IdSource>,
    /// Seals what clients carry and give back.
    pub sealer: Sealer,
    /// Tells listeners what changed.
    pub hub: Hub,
    /// Questions to clients of initialize-based revisions.
    pub pending: Arc<Pending>,
}

impl Mcp {
    /// A door's state, with a key of its own.
    pub fn new(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        let sealer = Sealer::new([ids.random(), ids.random()].concat(), Arc::clone(&clock));
        Self { clock, ids, sealer, hub: Hub::default(), pending: Arc::default() }
    }
}

impl std::fmt::Debug for Mcp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mcp").finish_non_exhaustive()
    }
}
