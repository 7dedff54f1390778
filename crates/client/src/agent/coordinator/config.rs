//! The configuration of a store's extraction, and its defaults.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use super::extractor::Extractor;
use super::filter::{MessageFilter, WithoutTools};
use super::quarantine::OnQuarantine;
use super::trigger::{ExtractionTrigger, Interval};
use crate::agent::error::MemoryError;
use crate::agent::limits::INTERVAL_TURNS_DEFAULT;
use crate::agent::store::MemoryStore;

/// The configuration by which the coordinator sends a conversation to a store. By default it saves
/// after every fifth invocation, without tool calls and tool results.
#[derive(Clone, Default)]
pub struct ExtractionConfig {
    /// The triggers of a save. A save starts if one of them fires. `None` means the default; an
    /// empty list is rejected.
    pub triggers: Option<Vec<Arc<dyn ExtractionTrigger>>>,
    /// The filter that selects the messages to save. `None` means [`WithoutTools`].
    pub filter: Option<Arc<dyn MessageFilter>>,
    /// The extractor that makes entries from messages. `None` sends the messages themselves to the
    /// store.
    pub extractor: Option<Arc<dyn Extractor>>,
}

impl std::fmt::Debug for ExtractionConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExtractionConfig")
            .field("triggers", &self.triggers.as_ref().map(Vec::len))
            .field("filter", &self.filter.is_some())
            .field("extractor", &self.extractor.is_some())
            .finish()
    }
}

/// The options of a manager's coordinator.
#[derive(Clone, Default)]
pub struct CoordinatorOptions {
    /// The directory in which unsaved messages survive the end of the process. `None` keeps them
    /// only in memory.
    pub spool: Option<PathBuf>,
    /// A callback for every item that goes into quarantine.
    pub on_quarantine: Option<OnQuarantine>,
}

impl std::fmt::Debug for CoordinatorOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CoordinatorOptions").field("spool", &self.spool).finish_non_exhaustive()
    }
}

/// A store that receives messages, and its complete configuration.
#[derive(Clone)]
pub(in crate::agent) struct ExtractingStore {
    pub(super) store: Arc<dyn MemoryStore>,
    pub(super) triggers: Vec<Arc<dyn ExtractionTrigger>>,
    pub(super) filter: Arc<dyn MessageFilter>,
    pub(super) extractor: Option<Arc<dyn Extractor>>,
}

/// Returns the extraction configuration of a store with all defaults filled in. `None` if the store
/// has none.
pub(in crate::agent) fn resolve_extraction(
    store: &Arc<dyn MemoryStore>,
    fallback: Option<&Arc<dyn Extractor>>,
) -> Result<Option<ExtractingStore>, MemoryError> {
    let Some(config) = store.extraction() else { return Ok(None) };
    let (name, can) = (store.name(), store.capabilities());
    let refused = |rule: &str| Err(MemoryError::Configuration(format!("store '{name}' {rule}")));
    if !can.writable {
        return refused("has extraction but is not writable");
    }
    let triggers = match &config.triggers {
        Some(triggers) if triggers.is_empty() => return refused("has extraction without a trigger"),
        Some(triggers) => triggers.clone(),
        None => {
            let turns = NonZeroU32::new(INTERVAL_TURNS_DEFAULT).unwrap_or(NonZeroU32::MIN);
            vec![Arc::new(Interval { turns }) as Arc<dyn ExtractionTrigger>]
        }
    };
    let extractor = match &config.extractor {
        Some(extractor) => Some(Arc::clone(extractor)),
        None if can.add_messages => None,
        None => match fallback {
            Some(extractor) => Some(Arc::clone(extractor)),
            None => return refused("has extraction without an extractor and has no add_messages"),
        },
    };
    if extractor.is_some() && !can.add {
        return refused("has extraction with an extractor but has no add");
    }
    let filter = config.filter.clone().unwrap_or_else(|| Arc::new(WithoutTools));
    Ok(Some(ExtractingStore { store: Arc::clone(store), triggers, filter, extractor }))
}
