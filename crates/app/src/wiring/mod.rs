//! Wiring: constructs all components of a process, in one place.

pub mod absent_products;
#[cfg(feature = "operations")]
mod alert_hooks;
#[cfg(feature = "verified")]
pub mod code;
mod embedder;
#[cfg(feature = "coding")]
mod github_hook;
#[cfg(any(feature = "coding", feature = "operations"))]
pub mod hooks;
#[cfg(feature = "documents")]
pub mod mirrors;
pub(super) mod models;
#[cfg(feature = "onnx")]
mod onnx;
pub mod store;
pub mod targets;
pub mod traces;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use loci_engine::{EngineParts, EngineSettings, Models};
use loci_model::ports::clock::Clock;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::ids::{IdSource, uuid4};
use loci_model::ports::store::Store;
use loci_products::{Loci, LociSettings};

use loci_model::ports::observe::Observe;
use loci_outbound::client::{Outbound, OutboundParts};
use loci_outbound::request::Transport;
use loci_providers::registry::ModelEnvironment;
use loci_server::operations::metrics::Metrics;

use crate::adapters::{FileVault, MasterKey, RandomIds, SystemClock, background_threads, lower_own_priority};
#[cfg(feature = "documents")]
use crate::config::documents::mirror::MirrorSection;
#[cfg(feature = "verified")]
use crate::wiring::code::{CodePlan, Sources};
use crate::wiring::models::Outside;
use crate::wiring::store::StorePlan;
use crate::wiring::targets::{NoNetwork, TargetsPlan};
use crate::wiring::traces::{Traces, TracesPlan};

/// The file name of the master key in the data folder.
pub const MASTER_KEY_FILE: &str = "master.key";

/// The components of a process.
pub struct Wiring {
    /// The engine and its products.
    pub engine: Loci,
    /// The clock, for the interfaces.
    pub clock: Arc<dyn Clock>,
    /// The source of ids, for the interfaces.
    pub ids: Arc<dyn IdSource>,
    /// The store.
    pub store: Arc<dyn Store>,
    /// The counters of the pipeline and the interfaces.
    pub metrics: Arc<Metrics>,
    /// The traces for a collector.
    pub traces: Traces,
    /// The configured mirrors.
    #[cfg(feature = "documents")]
    pub mirrors: MirrorSection,
}

/// The settings for the wiring of a process.
pub struct WiringOptions {
    /// The store.
    pub store: StorePlan,
    /// Settings of the engine and of its products. A name of this process replaces the engine's
    /// `host`.
    pub engine: LociSettings,
    /// The number of low-priority threads that embed new data. `None` means one per processor, at
    /// most eight.
    pub embed_threads: Option<NonZero<usize>>,
    /// The master key, if the environment contains it.
    pub master_key: Option<zeroize::Zeroizing<String>>,
    /// The permitted outgoing calls of this process.
    pub outside: Outside,
    /// The targets of notifications.
    pub targets: TargetsPlan,
    /// The target of traces.
    pub traces: TracesPlan,
    /// The readable code.
    #[cfg(feature = "verified")]
    pub code: CodePlan,
    /// The locations of mirrors, and the configured ones.
    #[cfg(feature = "documents")]
    pub mirrors: MirrorSection,
    /// Days by which the clock is ahead of the machine's. 0 except for rehearsals.
    pub clock_ahead_days: u32,
}

impl WiringOptions {
    /// Returns the defaults for a data folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            store: StorePlan::folder_at(folder),
            engine: LociSettings::default(),
            embed_threads: None,
            master_key: None,
            outside: Outside::default(),
            targets: TargetsPlan::default(),
            traces: TracesPlan::default(),
            #[cfg(feature = "verified")]
            code: CodePlan::default(),
            #[cfg(feature = "documents")]
            mirrors: MirrorSection::default(),
            clock_ahead_days: 0,
        }
    }
}

/// Opens the store and creates an engine on it.
pub fn wire(options: WiringOptions) -> Result<Wiring> {
    let clock = clock(options.clock_ahead_days);
    let ids: Arc<dyn IdSource> = Arc::new(RandomIds::new()?);
    let key_file = options.store.folder().join(MASTER_KEY_FILE);
    #[cfg(feature = "documents")]
    let folder = options.store.folder().to_owned();
    let store = options.store.open()?;
    absent_products::check(&store, &absent_products::left_out())?;
    let metrics = Arc::new(Metrics::new());
    let is_quiet = options.outside.is_quiet() && options.targets.is_quiet() && options.traces.is_quiet();
    #[cfg(feature = "verified")]
    let is_quiet = is_quiet && options.code.is_quiet();
    let traces = options.traces.begin(Arc::clone(&metrics) as _, &clock, &ids);
    let observe = traces.observe();
    let transport = transport(is_quiet, &options.outside, &clock, &ids, &observe)?;
    let traces = traces.send_over(&transport)?;
    let ExternalModels { models, embedder, previous_embedder } =
        called(&options.outside, &transport, &clock, &observe)?;
    #[cfg(feature = "verified")]
    let Sources { code, forge } = options.code.make(&transport, &clock)?;
    let targets = options.targets.make(transport, Arc::clone(&clock))?;
    #[cfg(feature = "documents")]
    let files = mirrors::places(&options.mirrors, &folder, &targets);
    let embedder = match embedder {
        Some(embedder) => embedder,
        None => {
            let threads = background_threads(options.embed_threads);
            Arc::new(loci_embed::BuiltInEmbedder::start(threads, lower_own_priority)?)
        }
    };
    let vault = FileVault::new(options.master_key.map_or(MasterKey::File(key_file), MasterKey::Given));
    let parts = EngineParts::quiet(
        Arc::clone(&store),
        Some(embedder),
        Arc::clone(&clock),
        Arc::clone(&ids),
        Arc::new(vault),
    );
    let parts = EngineParts {
        models,
        observe,
        deliver: Some(Arc::clone(&targets) as _),
        objects: Some(targets),
        previous_embedder,
        #[cfg(feature = "verified")]
        code: Some(code),
        #[cfg(feature = "verified")]
        forge,
        #[cfg(feature = "documents")]
        files: Some(files),
        ..parts
    };
    let host = format!("{}-{}", std::process::id(), uuid4(ids.as_ref()));
    let kernel = EngineSettings { host, ..options.engine.engine };
    let engine = Loci::new(parts, LociSettings { engine: kernel, ..options.engine });
    engine.products().check()?;
    Ok(Wiring {
        engine,
        clock,
        ids,
        store,
        metrics,
        traces,
        #[cfg(feature = "documents")]
        mirrors: options.mirrors,
    })
}

/// Returns the clock, ahead of the machine's by this many days.
fn clock(ahead_days: u32) -> Arc<dyn Clock> {
    if ahead_days > 0 {
        tracing::warn!(days = ahead_days, "rehearsal: the clock runs ahead of the machine's");
    }
    Arc::new(SystemClock::ahead_by_days(ahead_days))
}

/// The external models and embedders.
struct ExternalModels {
    models: Models,
    embedder: Option<Arc<dyn Embedder>>,
    previous_embedder: Option<Arc<dyn Embedder>>,
}

/// Returns the configured models and embedder, and the previous embedder.
fn called(
    outside: &Outside,
    transport: &Arc<dyn Transport>,
    clock: &Arc<dyn Clock>,
    observe: &Arc<dyn Observe>,
) -> Result<ExternalModels> {
    let transport = Arc::clone(transport);
    let around = ModelEnvironment { transport, clock: Arc::clone(clock), observe: Arc::clone(observe) };
    Ok(ExternalModels {
        models: outside.models(&around)?,
        embedder: outside.embedder(&around)?,
        previous_embedder: outside.previous(&around)?,
    })
}

/// Returns the HTTP client, or one that always fails if the process makes no calls.
fn transport(
    is_quiet: bool,
    outside: &Outside,
    clock: &Arc<dyn Clock>,
    ids: &Arc<dyn IdSource>,
    observe: &Arc<dyn Observe>,
) -> Result<Arc<dyn Transport>> {
    if is_quiet {
        return Ok(Arc::new(NoNetwork));
    }
    let parts = OutboundParts::new(Arc::clone(clock), Arc::clone(ids), Arc::clone(observe));
    let outbound = Outbound::new(outside.outbound.clone(), parts)
        .map_err(|error| anyhow::anyhow!("{}", error.message))?;
    Ok(Arc::new(outbound))
}
