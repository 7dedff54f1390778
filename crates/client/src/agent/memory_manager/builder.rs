//! The builder of a manager. It checks the rules about stores and tools, then initializes every
//! store.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::{MemoryManager, Parts};
use crate::agent::coordinator::{
    CoordinatorOptions, ExtractionCoordinator, Extractor, QuarantinedItem, resolve_extraction,
};
use crate::agent::error::MemoryError;
use crate::agent::fusion::Fusion;
use crate::agent::injection::InjectionOptions;
use crate::agent::prompt_context::PromptContext;
use crate::agent::runtime::RuntimeContext;
use crate::agent::store::MemoryStore;
use crate::agent::stores::topology;
use crate::agent::tokens::Estimator;
use crate::agent::tools::{AddToolOptions, SearchToolOptions};

/// A builder of [`MemoryManager`].
pub struct MemoryManagerBuilder {
    surroundings: RuntimeContext,
    stores: Vec<Arc<dyn MemoryStore>>,
    fusion: Fusion,
    estimator: Estimator,
    search_tool: Option<SearchToolOptions>,
    add_tool: Option<AddToolOptions>,
    injection: Option<InjectionOptions>,
    contexts: Vec<Arc<dyn PromptContext>>,
    extended_tools: bool,
    extractor: Option<Arc<dyn Extractor>>,
    coordinator: CoordinatorOptions,
    capture_content: bool,
}

impl MemoryManagerBuilder {
    pub(super) fn new(surroundings: RuntimeContext) -> Self {
        Self {
            surroundings,
            stores: Vec::new(),
            fusion: Fusion::default(),
            estimator: Estimator::default(),
            search_tool: Some(SearchToolOptions::default()),
            add_tool: None,
            injection: Some(InjectionOptions::default()),
            contexts: Vec::new(),
            extended_tools: false,
            extractor: None,
            coordinator: CoordinatorOptions::default(),
            capture_content: false,
        }
    }

    /// Adds a store.
    pub fn store(self, store: impl MemoryStore + 'static) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// Adds a store that other code also holds.
    pub fn shared_store(mut self, store: Arc<dyn MemoryStore>) -> Self {
        self.stores.push(store);
        self
    }

    /// Sets the method to merge the results of several stores. Default: [`Fusion::Rank`].
    pub fn fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// Sets the estimator of token numbers.
    pub fn estimator(mut self, estimator: Estimator) -> Self {
        self.estimator = estimator;
        self
    }

    /// Sets the options of the search tool, which is enabled by default; `None` disables it.
    pub fn search_tool(mut self, options: Option<SearchToolOptions>) -> Self {
        self.search_tool = options;
        self
    }

    /// Sets the options of the add tool, which is disabled by default.
    pub fn add_tool(mut self, options: Option<AddToolOptions>) -> Self {
        self.add_tool = options;
        self
    }

    /// Sets the options of injection, which is enabled by default; `None` disables it.
    pub fn injection(mut self, options: Option<InjectionOptions>) -> Self {
        self.injection = options;
        self
    }

    /// Adds a text that injection puts in full before the entries of every model call, such as
    /// [`DocumentContext`](crate::agent::stores::DocumentContext).
    pub fn context(mut self, context: impl PromptContext + 'static) -> Self {
        self.contexts.push(Arc::new(context));
        self
    }

    /// Adds the members `filter`, `as_of` and `budget_tokens` to the search tool.
    pub fn extended_tools(mut self, extended: bool) -> Self {
        self.extended_tools = extended;
        self
    }

    /// Adds events with the query (`memory.query`) and the results (`memory.results`) to the
    /// tracing spans of searches. Enable it only for traces that may contain personal data.
    /// Default: off.
    pub fn capture_content(mut self, capture: bool) -> Self {
        self.capture_content = capture;
        self
    }

    /// Sets the extractor for stores that take no messages and have no extractor of their own.
    pub fn extractor(mut self, extractor: impl Extractor + 'static) -> Self {
        self.extractor = Some(Arc::new(extractor));
        self
    }

    /// Sets the directory in which unsaved messages survive the end of the process. Without it,
    /// that end loses them.
    pub fn spool(mut self, directory: impl Into<PathBuf>) -> Self {
        self.coordinator.spool = Some(directory.into());
        self
    }

    /// Sets a callback for every message or entry that goes into quarantine.
    pub fn on_quarantine(mut self, told: impl Fn(&QuarantinedItem) + Send + Sync + 'static) -> Self {
        self.coordinator.on_quarantine = Some(Arc::new(told));
        self
    }

    /// Initializes all stores and returns the manager. With an executor, the coordinator runs until
    /// it is closed or the last clone of the manager is dropped.
    ///
    /// # Errors
    /// If a rule about stores or tools is broken, a store is not ready, or the spool cannot be
    /// read.
    pub async fn build(self) -> Result<MemoryManager, MemoryError> {
        check_stores(&self.stores)?;
        let add_tool = match self.add_tool {
            Some(options) => Some(checked_add_tool(options, &self.stores, &self.surroundings)?),
            None => None,
        };
        let mut extracting = Vec::new();
        for store in &self.stores {
            if let Some(resolved) = resolve_extraction(store, self.extractor.as_ref())? {
                extracting.push(resolved);
            }
        }
        topology::assert_writable_topology(&self.stores, false)?;
        for store in &self.stores {
            store.initialize().await.map_err(|source| MemoryError::Initialization {
                store_name: store.name().to_owned(),
                source,
            })?;
        }
        // Checked after initialization, when stores know their memories' ids: a name and an id may
        // belong to one memory.
        topology::assert_writable_topology(&self.stores, false)?;
        let coordinator =
            ExtractionCoordinator::new(extracting, self.coordinator, self.surroundings.clone())?;
        if let Some(executor) = &self.surroundings.executor
            && coordinator.has_stores()
        {
            executor(Box::pin(coordinator.background()));
        }
        Ok(MemoryManager {
            parts: Arc::new(Parts {
                stores: self.stores,
                fusion: self.fusion,
                estimator: self.estimator,
                search_tool: self.search_tool,
                add_tool,
                injection: self.injection,
                contexts: self.contexts,
                extended_tools: self.extended_tools,
                capture_content: self.capture_content,
                coordinator,
                surroundings: self.surroundings,
            }),
        })
    }
}

fn check_stores(stores: &[Arc<dyn MemoryStore>]) -> Result<(), MemoryError> {
    if stores.is_empty() {
        let rule = "MemoryManager: at least one store is required";
        return Err(MemoryError::Configuration(rule.to_owned()));
    }
    let mut names = BTreeSet::new();
    for store in stores {
        if !names.insert(store.name()) {
            return Err(MemoryError::Configuration(format!("duplicate store name '{}'", store.name())));
        }
        let can = store.capabilities();
        if can.writable && !can.add && !can.add_messages {
            return Err(MemoryError::Configuration(format!(
                "store '{}' is writable but has neither add nor add_messages",
                store.name()
            )));
        }
    }
    Ok(())
}

/// Returns the options of the add tool with the stores that it writes to, in the order of the
/// stores.
fn checked_add_tool(
    mut options: AddToolOptions,
    stores: &[Arc<dyn MemoryStore>],
    surroundings: &RuntimeContext,
) -> Result<AddToolOptions, MemoryError> {
    let refused = |what: String| Err(MemoryError::Configuration(format!("add_memory: {what}")));
    for name in options.stores.iter().flatten() {
        let Some(store) = stores.iter().find(|store| store.name() == name) else {
            return refused(format!("store '{name}' not found"));
        };
        if !store.capabilities().writable {
            return refused(format!("store '{name}' is read-only"));
        }
        if !store.capabilities().add {
            return refused(format!("store '{name}' has no add"));
        }
    }
    let allowed = |store: &&Arc<dyn MemoryStore>| {
        let can = store.capabilities();
        let listed =
            options.stores.as_ref().is_none_or(|names| names.iter().any(|name| name == store.name()));
        can.writable && can.add && listed
    };
    let targets: Vec<String> = stores.iter().filter(allowed).map(|store| store.name().to_owned()).collect();
    if targets.is_empty() {
        return refused("no writable store with add".to_owned());
    }
    if !options.wait_for_writes && surroundings.executor.is_none() {
        return refused("wait_for_writes = false needs an executor".to_owned());
    }
    options.stores = Some(targets);
    Ok(options)
}
