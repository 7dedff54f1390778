//! The Model Context Protocol (mcp.md): the 2026-07-28 revision and the initialize-based ones on
//! one endpoint and on stdio.
//!
//! * [`message`], [`fault`], [`revision`]: JSON-RPC, its errors, and the revision of a request;
//! * [`provider`]: the offer of a server; [`dispatch`]: a method of a request, and its result in
//!   the form of the revision;
//! * [`input`]: results that ask the user first; [`listen`]: notifications of changes; [`peer`]:
//!   the client;
//! * [`http`], [`stdio`]: the transports; [`loci`]: the offer of this server.
//!
//! The tools are in [`crate::tools`], independent of MCP, and every interface may call them.

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

/// The state that the interface keeps between requests: the key for state that clients carry, the
/// listeners, and open questions.
pub struct Mcp {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of ids.
    pub ids: Arc<dyn IdSource>,
    /// The sealer of state that clients carry between two requests.
    pub sealer: Sealer,
    /// The hub, which notifies the clients that listen for changes.
    pub hub: Hub,
    /// The questions to clients of initialize-based revisions that have no answer yet.
    pub pending: Arc<Pending>,
}

impl Mcp {
    /// Creates the state of an interface, with a key of its own.
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
