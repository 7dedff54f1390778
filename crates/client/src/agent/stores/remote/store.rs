//! A store in a memory on a Loci server, over a URL, a unix socket or the router of an engine in
//! this process. The client decides which.

use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

use futures::FutureExt;
use futures::future::BoxFuture;
use loci_api::documents::consolidation::{ConsolidationRun, ConsolidationStart};
use loci_api::job::ExtractionWait;
use loci_api::record::feedback::FeedbackVerdict;
use loci_api::search::Search;

use super::errors::store_error;
use super::events::{self, PlannedEvent, RemoteEventPlan};
use super::feedback;
use super::memory::{self, MemoryRequirements};
use super::options::RemoteStoreOptions;
use super::tools::{self, Scope};
use super::{additions, records};
use crate::agent::batch::{BatchOutcome, MessageBatch};
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::entry::{Added, Entry, NewEntry};
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::limits::REMOTE_RESULTS_DEFAULT;
use crate::agent::store::{
    Capabilities, ExtractionWaited, FeedbackStanding, MemoryStore, SearchQuery, WritePlace, check_relevance,
};
use crate::agent::stores::event_delivery;
use crate::agent::stores::namespace_template::ReadNamespace;
use crate::agent::time_text::instant_text;
use crate::agent::tools::Tool;

/// The deadline of a call, in milliseconds. If the server accepts a call and does not answer in
/// time, the coordinator sends it again.
const CALL_DEADLINE_MS: u64 = 30_000;

/// A store in a memory on a Loci server.
#[derive(Debug)]
pub struct RemoteStore {
    options: RemoteStoreOptions,
    name: String,
    namespace: String,
    /// The id of the memory, after the server has returned it.
    memory_id: Arc<OnceLock<String>>,
}

impl RemoteStore {
    /// Creates a store. The first call to the server is made by `initialize`.
    ///
    /// # Errors
    /// If an option breaks a rule.
    pub fn new(mut options: RemoteStoreOptions) -> Result<Self, MemoryError> {
        let (name, namespace) = options.checked()?;
        options.client = options.client.with_deadline_ms(CALL_DEADLINE_MS);
        if !options.writable && options.extraction.take().is_some() {
            tracing::warn!(
                "store=<{name}> | extraction is configured on a store that is not writable, and left out"
            );
        }
        Ok(Self { options, name, namespace, memory_id: Arc::default() })
    }

    fn memory(&self) -> &str {
        self.memory_id.get().unwrap_or(&self.options.memory)
    }

    /// Returns the actor and the session, if the store has both.
    fn conversation(&self) -> Option<(&str, &str)> {
        self.options.actor.as_deref().zip(self.options.session.as_deref())
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            store: &self.name,
            client: &self.options.client,
            memory: self.memory(),
            conversation: self.conversation(),
            namespace: &self.namespace,
            is_subtree: matches!(self.options.place, ReadNamespace::NamespacePath(_)),
            has_filters: !self.options.filters.is_empty(),
            writable: self.options.writable,
        }
    }

    fn question(&self, query: &SearchQuery) -> Search {
        let here = vec![self.namespace.clone()];
        let (namespaces, namespace_paths) = match self.options.place {
            ReadNamespace::Namespace(_) => (here, Vec::new()),
            ReadNamespace::NamespacePath(_) => (Vec::new(), here),
        };
        Search {
            memory: self.memory().to_owned(),
            query: query.text.clone(),
            namespaces,
            namespace_paths,
            metadata: self.options.filters.iter().chain(&query.filter).cloned().collect(),
            as_of: query.as_of_ms.and_then(instant_text),
            top_k: Some(query.max_results.get().min(100)),
            budget_tokens: query.budget_tokens,
            relevance_min: query.relevance_min.or(self.options.relevance_min),
            ..Search::default()
        }
    }

    async fn event_stored(&self, run_id: &str, event: &PlannedEvent) -> Result<(), StoreError> {
        let PlannedEvent { numbers, create } = event;
        let token = events::token(self.memory(), &create.actor, run_id, numbers);
        let what = "the event cannot be stored";
        let client = self
            .options
            .client
            .clone()
            .with_idempotency_key(&token)
            .map_err(|error| store_error(what, error))?;
        client.event_create(self.memory(), create).await.map_err(|error| store_error(what, error))?;
        Ok(())
    }
}

impl MemoryStore for RemoteStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        self.options.description.as_deref()
    }

    fn capabilities(&self) -> Capabilities {
        let writable = self.options.writable;
        Capabilities {
            writable,
            add: writable,
            add_messages: writable && self.conversation().is_some(),
            filters: true,
            as_of: true,
            scored: true,
            feedback: writable && self.options.filters.is_empty(),
        }
    }

    fn max_search_results(&self) -> Option<NonZeroU32> {
        self.options.max_search_results.or(NonZeroU32::new(REMOTE_RESULTS_DEFAULT))
    }

    fn extraction(&self) -> Option<&ExtractionConfig> {
        self.options.extraction.as_ref()
    }

    fn write_place(&self) -> Option<WritePlace> {
        let (actor, session) = self.conversation()?;
        Some(WritePlace {
            memory: format!("{} of {}", self.memory(), self.options.client.place()),
            actor: actor.to_owned(),
            session: session.to_owned(),
        })
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async move {
            let (ReadNamespace::Namespace(template) | ReadNamespace::NamespacePath(template)) =
                &self.options.place;
            let wanted = MemoryRequirements {
                name_or_id: &self.options.memory,
                template: self.options.create.then_some(template.as_str()),
                actor: self.options.actor.as_deref(),
                writes: self.options.writable,
            };
            let memory = memory::ready(&self.options.client, &wanted).await?;
            // A second initialization finds the id already set.
            let _ = self.memory_id.set(memory.id);
            Ok(())
        }
        .boxed()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        async move {
            check_relevance(query.relevance_min)
                .map_err(|rule| StoreError::permanent(format!("RemoteStore: {rule}")))?;
            let answer = self.options.client.search(&self.question(query)).await;
            let answer = answer.map_err(|error| store_error("the memory cannot be searched", error))?;
            Ok(answer.hits.into_iter().map(|hit| records::entry(&self.name, hit)).collect())
        }
        .boxed()
    }

    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        async move {
            if entry.content.trim().is_empty() {
                return Err(StoreError::permanent("an entry must not be empty"));
            }
            let record = records::record(self.namespace.clone(), entry);
            additions::add(&self.options.client, self.memory(), record).await
        }
        .boxed()
    }

    fn add_messages<'a>(
        &'a self,
        batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        async move {
            let Some(conversation) = self.conversation() else {
                return Err(StoreError::permanent("messages need an actor and a session"));
            };
            let (turns_max, provider) =
                (self.options.max_turns_per_event, self.options.metadata_provider.as_ref());
            let RemoteEventPlan { events, silent } =
                events::plan(conversation, &batch.messages, turns_max, provider)?;
            let answers =
                event_delivery::in_order(&events, |event| self.event_stored(&batch.run_id, event)).await;
            let numbers = events.into_iter().map(|event| event.numbers);
            Ok(event_delivery::outcome(numbers.zip(answers), silent))
        }
        .boxed()
    }

    fn wait_extracted(&self, timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        async move {
            let wait = ExtractionWait {
                actor: self.options.actor.clone(),
                session: self.options.session.clone().filter(|_| self.options.actor.is_some()),
                timeout_ms: Some(timeout_ms),
            };
            // The server delays its response intentionally.
            let patient = timeout_ms.saturating_add(CALL_DEADLINE_MS);
            let client = self.options.client.clone().with_deadline_ms(patient);
            let answer = client.extraction_wait(self.memory(), &wait).await;
            let state = answer.map_err(|error| store_error("extraction cannot be waited for", error))?;
            Ok(ExtractionWaited { complete: state.complete, pending: state.pending, failed: state.failed })
        }
        .boxed()
    }

    fn feedback<'a>(
        &'a self,
        entry_id: &'a str,
        verdict: FeedbackVerdict,
        reason: Option<&'a str>,
    ) -> BoxFuture<'a, Result<FeedbackStanding, StoreError>> {
        feedback::give(self.scope(), entry_id, verdict, reason).boxed()
    }

    fn consolidate<'a>(
        &'a self,
        start: &'a ConsolidationStart,
    ) -> BoxFuture<'a, Result<Option<ConsolidationRun>, StoreError>> {
        async move {
            if !self.options.writable {
                let rule = format!(
                    "store '{}' is read-only: a writable one plans the upkeep of documents",
                    self.name
                );
                return Err(StoreError::permanent(rule));
            }
            let namespace = start.namespace.clone().or_else(|| Some(self.namespace.clone()));
            let start = ConsolidationStart { namespace, ..start.clone() };
            let run = self.options.client.consolidation_start(self.memory(), &start).await;
            run.map(Some).map_err(|error| store_error("the documents cannot be consolidated", error))
        }
        .boxed()
    }

    fn tools(&self) -> Vec<Tool> {
        tools::tools(&self.scope())
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
