//! How a manager is made: its rules about stores and tools are checked, then every store is asked whether it is ready.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::{MemoryManager, Parts};
use crate::agent::coordinator::{
    CoordinatorOptions, ExtractionCoordinator, Extractor, Quarantined, resolve_extraction,
};
use crate::agent::error::MemoryError;
use crate::agent::fusion::Fusion;
use crate::agent::injection::InjectionOptions;
use crate::agent::prompt_context::PromptContext;
use crate::agent::store::MemoryStore;
use crate::agent::stores::topology;
use crate::agent::surroundings::Surroundings;
use crate::agent::tokens::Estimator;
use crate::agent::tools::{AddToolOptions, SearchToolOptions};

/// A manager to be.
pub struct MemoryManagerBuilder {
    surroundings: Surroundings,
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
    pub(super) fn new(surroundings: Surroundings) -> Self {
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

    /// One more store.
    pub fn store(self, store: impl MemoryStore + 'static) -> Self {
        self.shared_store(Arc::new(store))
    }

    /// One more store that others hold, too.
    pub fn shared_store(mut self, store: Arc<dyn MemoryStore>) -> Self {
        self.stores.push(store);
        self
    }

    /// How lists become one; by rank where nothing is said.
    pub fn fusion(mut self, fusion: Fusion) -> Self {
        self.fusion = fusion;
        self
    }

    /// How tokens are estimated.
    pub fn estimator(mut self, estimator: Estimator) -> Self {
        self.estimator = estimator;
        self
    }

    /// The search tool, which is on where nothing is said; `None` switches it off.
    pub fn search_tool(mut self, options: Option<SearchToolOptions>) -> Self {
        self.search_tool = options;
        self
    }

    /// The add tool, which is off where nothing is said.
    pub fn add_tool(mut self, options: Option<AddToolOptions>) -> Self {
        self.add_tool = options;
        self
    }

    /// Injection, which is on where nothing is said; `None` switches it off.
    pub fn injection(mut self, options: Option<InjectionOptions>) -> Self {
        self.injection = options;
        self
    }

    /// One more text that injection puts before what it finds, such as
    /// [`DocumentContext`](crate::agent::stores::DocumentContext): with every question of the user,
    /// in full.
    pub fn context(mut self, context: impl PromptContext + 'static) -> Self {
        self.contexts.push(Arc::new(context));
        self
    }

    /// The search tool has the members `filter`, `as_of` and `budget_tokens`, too.
    pub fn extended_tools(mut self, extended: bool) -> Self {
        self.extended_tools = extended;
        self
    }

    /// Spans of searches have events with what is asked (`memory.query`) and what is found (`memory.results`): for a trace of your own
    /// that may hold what people said. Off by default.
    pub fn capture_content(mut self, capture: bool) -> Self {
        self.capture_content = capture;
        self
    }

    /// What makes entries of messages for stores that take no messages and name no extractor of their own.
    pub fn extractor(mut self, extractor: impl Extractor + 'static) -> Self {
        self.extractor = Some(Arc::new(extractor));
        self
    }

    /// A directory where unsaved messages survive the end of the process. Without it they are lost with it.
    pub fn spool(mut self, directory: impl Into<PathBuf>) -> Self {
        self.coordinator.spool = Some(directory.into());
        self
    }

    /// Is told of every message that no store will ever take.
    pub fn on_quarantine(mut self, told: impl Fn(&Quarantined) + Send + Sync + 'static) -> Self {
        self.coordinator.on_quarantine = Some(Arc::new(told));
        self
    }

    /// The manager, once every store is ready. With an executor the coordinator runs from here on, until it is closed or the last clone
    /// of the manager is dropped.
    ///
    /// # Errors
    /// Where a rule about stores or tools is broken, a store is not ready, or the spool cannot be read.
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
        // Now stores know their memories by id: one by its name and one by its id may be the same.
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

/// The options with the stores that the tool writes to, in their order.
fn checked_add_tool(
    mut options: AddToolOptions,
    stores: &[Arc<dyn MemoryStore>],
    surroundings: &Surroundings,
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
