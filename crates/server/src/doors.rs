//! The state shared by all interfaces of the server (its doors): the engine, the gate, the metrics,
//! the limits. It has no rules of its own.

use std::sync::Arc;

use loci_model::limits;
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;
use loci_products::Loci;
#[cfg(feature = "documents")]
use tokio::sync::Semaphore;

use crate::agentcore::{Wire, WireSettings};
use crate::auth::gate::Gate;
use crate::bodies::Bodies;
#[cfg(feature = "documents")]
use crate::git::backend::CLONES_MAX;
use crate::mcp::{Mcp, McpOptions};
use crate::operations::cached_value::CachedValue;
use crate::operations::metrics::Metrics;
#[cfg(feature = "documents")]
use crate::s3::S3Options;
use crate::tools::table::Table;
use crate::v1::hooks::Hooks;
use crate::v1::transfer::imports::Imports;

/// Settings that all interfaces share.
#[derive(Debug, Clone, PartialEq)]
pub struct DoorOptions {
    /// The maximum number of bytes in a request body. Streamed imports are not limited by it.
    pub body_bytes_max: usize,
    /// The maximum number of bytes of request bodies in memory at once, over all interfaces.
    pub bodies_bytes_max: usize,
    /// The time that a client may keep the server waiting for a body, or for a response to be read,
    /// in milliseconds. Transferred bytes extend it.
    pub patience_ms: u64,
    /// True if CreateEvent responds after extraction, for tests of clients that cannot wait.
    pub extraction_sync: bool,
    /// A path that clients put before every AgentCore path, such as `/agentcore`; empty for none.
    pub base_path: String,
    /// The user of the operating system: the caller's name in development mode and on the socket.
    pub os_user: String,
    /// The tools, and the way they are served.
    pub mcp: McpOptions,
    /// The settings of the S3 interface: its buckets.
    #[cfg(feature = "documents")]
    pub s3: S3Options,
    /// The configuration in the form of `loci config print --json`, without secrets.
    pub configuration: serde_json::Value,
}

impl Default for DoorOptions {
    fn default() -> Self {
        Self {
            body_bytes_max: limits::BODY_BYTES_MAX_DEFAULT,
            bodies_bytes_max: limits::BODIES_BYTES_MAX_DEFAULT,
            patience_ms: limits::TRANSFER_PATIENCE_MS,
            extraction_sync: false,
            base_path: String::new(),
            os_user: "local".to_owned(),
            mcp: McpOptions::default(),
            #[cfg(feature = "documents")]
            s3: S3Options::default(),
            configuration: serde_json::Value::Null,
        }
    }
}

/// The state of all interfaces. A clone copies one pointer, because each route and each request has
/// one.
#[derive(Clone)]
pub struct Doors(Arc<DoorState>);

/// The members of [`Doors`].
#[derive(Clone)]
pub struct DoorState {
    /// The engine and its products.
    pub engine: Loci,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of random ids, such as the ids of requests.
    pub ids: Arc<dyn IdSource>,
    /// The settings that all interfaces share.
    pub options: Arc<DoorOptions>,
    /// The gate, which decides if a request needs credentials.
    pub gate: Arc<Gate>,
    /// The budgets of bodies in memory.
    pub bodies: Arc<Bodies>,
    /// Counters and histograms.
    pub metrics: Arc<Metrics>,
    /// The result of the last readiness check of the store.
    pub(crate) readiness: Arc<CachedValue<Option<String>>>,
    /// The metrics whose computation reads every memory, with the time of their last computation.
    pub(crate) figures: Arc<CachedValue<()>>,
    /// The services that may send hooks, with their secrets.
    pub hooks: Arc<Hooks>,
    /// The AgentCore interface.
    pub wire: Arc<Wire>,
    /// The tools that agents call by name.
    pub tools: Arc<Table>,
    /// The state that the MCP interface keeps between requests.
    pub mcp: Arc<Mcp>,
    /// The running imports.
    pub imports: Arc<Imports>,
    /// Permits for clones of git mirrors: the number of clones that may start now.
    #[cfg(feature = "documents")]
    pub(crate) clones: Arc<Semaphore>,
}

impl Doors {
    /// Creates the interfaces of an engine.
    pub fn new(engine: Loci, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, options: DoorOptions) -> Self {
        let gate = Arc::new(Gate::new(engine.engine.clone(), clock.clone(), options.os_user.clone()));
        let settings = WireSettings {
            base_path: options.base_path.clone(),
            body_bytes_max: options.body_bytes_max,
            extraction_sync: options.extraction_sync,
        };
        let bodies = Arc::new(Bodies::new(Arc::clone(&clock), options.bodies_bytes_max));
        let wire = Wire::new(engine.engine.clone(), clock.clone(), ids.clone(), settings);
        let wire = Arc::new(wire.with_bodies(Arc::clone(&bodies)));
        let metrics = Arc::new(Metrics::new());
        let tools = Arc::new(Table::shipped());
        let mcp = Arc::new(Mcp::new(Arc::clone(&clock), Arc::clone(&ids)));
        let hooks = Arc::default();
        Self(Arc::new(DoorState {
            engine,
            clock,
            ids,
            options: Arc::new(options),
            gate,
            bodies,
            metrics,
            readiness: Arc::default(),
            figures: Arc::default(),
            hooks,
            wire,
            tools,
            mcp,
            imports: Arc::default(),
            #[cfg(feature = "documents")]
            clones: Arc::new(Semaphore::new(CLONES_MAX)),
        }))
    }

    /// Returns the interfaces with these metrics, in which the engine's pipeline counts too.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<Metrics>) -> Self {
        Arc::make_mut(&mut self.0).metrics = metrics;
        self
    }

    /// Sets the services that may send hooks.
    #[must_use]
    pub fn with_hooks(mut self, hooks: Hooks) -> Self {
        Arc::make_mut(&mut self.0).hooks = Arc::new(hooks);
        self
    }
}

impl std::ops::Deref for Doors {
    type Target = DoorState;

    fn deref(&self) -> &DoorState {
        &self.0
    }
}

impl std::fmt::Debug for Doors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Doors").field("options", &self.options).finish_non_exhaustive()
    }
}
