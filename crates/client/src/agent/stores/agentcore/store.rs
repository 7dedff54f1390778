//! The store in AgentCore: one request per search, and one call per event, in order. It does not
//! retry, because the SDK attempts each call up to three times, and the coordinator sends a failed
//! batch again.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    ExtractionMode as WireExtractionMode, MemoryRecordSummary, SearchCriteria,
};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use loci_api::record::MetadataFilter;

use super::AgentCoreClient;
use super::event_times::EventTimes;
use super::events::{self, Event};
use super::filters;
use super::options::{AgentCoreStoreOptions, ExtractionMode};
use super::records;
use super::sdk_errors::store_error;
use super::top_k::top_k;
use crate::agent::batch::{BatchOutcome, MessageBatch};
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::entry::{Added, Entry, Metadata, NewEntry};
use crate::agent::error::{MemoryError, StoreError};
use crate::agent::message::Message;
use crate::agent::store::{
    Capabilities, ExtractionWaited, MemoryStore, SearchQuery, WritePlace, check_relevance,
};
use crate::agent::stores::event_delivery;
use crate::agent::stores::namespace_template::ReadNamespace;

/// The query of the test search when the store is initialized. Its text is irrelevant: only success
/// or failure counts.
const FIRST_QUESTION: &str = "memory";

/// A store that reads one namespace in a memory of Amazon Bedrock AgentCore, or of a server with
/// the same API.
///
/// The store returns the records that the memory's strategies extract, and takes messages if it is
/// writable. It does not support adding entries, because only the strategies create records.
#[derive(Debug)]
pub struct AgentCoreStore {
    options: AgentCoreStoreOptions,
    client: AgentCoreClient,
    name: String,
    namespace: String,
    times: EventTimes,
    told_of_clamping: AtomicBool,
    told_of_metadata: AtomicBool,
}

impl AgentCoreStore {
    /// Creates a store. The first call to the server is made by `initialize`.
    ///
    /// # Errors
    /// If an option breaks a rule, or there are no credentials.
    pub fn new(mut options: AgentCoreStoreOptions) -> Result<Self, MemoryError> {
        let (name, namespace) = options.checked()?;
        let client = options.connection.client()?;
        if !options.writable && options.extraction.take().is_some() {
            tracing::warn!(
                "store=<{name}> | extraction is configured on a store that is not writable, and left out"
            );
        }
        Ok(Self {
            options,
            client,
            name,
            namespace,
            times: EventTimes::default(),
            told_of_clamping: AtomicBool::new(false),
            told_of_metadata: AtomicBool::new(false),
        })
    }

    async fn ask(
        &self,
        text: &str,
        top_k: u32,
        filter: &[MetadataFilter],
    ) -> Result<Vec<MemoryRecordSummary>, StoreError> {
        let what = "AgentCore retrieveMemoryRecords failed";
        let refused = |rule: String| StoreError::permanent(format!("{what}: {rule}"));
        let filters = filters::expressions(self.options.filters.iter().chain(filter)).map_err(refused)?;
        let criteria = SearchCriteria::builder()
            .search_query(text)
            .top_k(i32::try_from(top_k).unwrap_or(i32::MAX))
            .set_metadata_filters(filters)
            .build()
            .map_err(|error| refused(error.to_string()))?;
        let asked = self.client.retrieve_memory_records();
        let asked = asked.memory_id(&self.options.memory_id).search_criteria(criteria);
        let asked = match self.options.place {
            ReadNamespace::Namespace(_) => asked.namespace(&self.namespace),
            ReadNamespace::NamespacePath(_) => asked.namespace_path(&self.namespace),
        };
        let answer = asked.send().await.map_err(|error| {
            let error = store_error(error);
            StoreError { message: format!("{what}: {}", error.message), ..error }
        })?;
        Ok(answer.memory_record_summaries)
    }

    async fn stored(&self, run_id: &str, event: &Event) -> Result<(), StoreError> {
        let options = &self.options;
        let payload = event.payload().map_err(|error| StoreError::permanent(error.to_string()))?;
        let said_ms = event.at_ms.unwrap_or_else(|| options.connection.clock.now_ms());
        let mode = options.extraction_mode.map(|ExtractionMode::Skip| WireExtractionMode::Skip);
        self.client
            .create_event()
            .memory_id(&options.memory_id)
            .actor_id(&options.actor_id)
            .session_id(&options.session_id)
            .event_timestamp(DateTime::from_millis(self.times.next(said_ms)))
            .set_payload(Some(payload))
            .client_token(event.token(&options.memory_id, &options.actor_id, run_id))
            .set_metadata(event.wire_metadata())
            .set_extraction_mode(mode)
            .send()
            .await
            .map(drop)
            .map_err(store_error)
    }

    fn metadata_of(&self, message: &Message) -> Metadata {
        let Some(provider) = &self.options.metadata_provider else {
            if !message.metadata.is_empty() && !self.told_of_metadata.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "store=<{}> | messages have metadata, which is not sent without a metadata_provider",
                    self.name
                );
            }
            return Metadata::new();
        };
        provider(message)
    }
}

/// Returns the errors of events for the report: the number of failures, the reason of the first one
/// and, if it differs, that of the event.
fn told(answers: Vec<Result<(), StoreError>>) -> Vec<Result<(), StoreError>> {
    let failed = answers.iter().filter(|answer| answer.is_err()).count();
    let of = answers.len();
    let Some(first) =
        answers.iter().find_map(|answer| answer.as_ref().err()).map(|error| error.message.clone())
    else {
        return answers;
    };
    let tell = |error: StoreError| {
        let own =
            if error.message == first { String::new() } else { format!("; this event: {}", error.message) };
        let message =
            format!("AgentCore createEvent failed for {failed} of {of} event(s); first error: {first}{own}");
        StoreError { message, ..error }
    };
    answers.into_iter().map(|answer| answer.map_err(tell)).collect()
}

impl MemoryStore for AgentCoreStore {
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
            add: false,
            add_messages: writable,
            filters: true,
            as_of: false,
            scored: true,
            feedback: false,
        }
    }

    fn max_search_results(&self) -> Option<NonZeroU32> {
        Some(self.options.max_search_results)
    }

    fn extraction(&self) -> Option<&ExtractionConfig> {
        self.options.extraction.as_ref()
    }

    fn write_place(&self) -> Option<WritePlace> {
        Some(WritePlace {
            memory: self.options.memory_id.clone(),
            actor: self.options.actor_id.clone(),
            session: self.options.session_id.clone(),
        })
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.ask(FIRST_QUESTION, 1, &[]).map(|answer| answer.map(drop)).boxed()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        async move {
            check_relevance(query.relevance_min).map_err(StoreError::permanent)?;
            let wanted = query.max_results.get();
            let cut = self.options.score_cut(query.relevance_min);
            let (top_k, is_clamped) = top_k(wanted, cut);
            if is_clamped && !self.told_of_clamping.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "store=<{}>, wanted=<{wanted}>, asked=<{top_k}> | the service gives no more",
                    self.name
                );
            }
            let records = self.ask(&query.text, top_k, &query.filter).await?;
            let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
            Ok(records::entries(&self.name, records, cut.map(|cut| cut.score_min), wanted))
        }
        .boxed()
    }

    fn add<'a>(&'a self, _entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        ready(Err(StoreError::permanent("AgentCore takes messages, no entries"))).boxed()
    }

    fn add_messages<'a>(
        &'a self,
        batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        async move {
            let turns_max = self.options.max_turns_per_event;
            let plan = events::plan(batch, turns_max, |message| self.metadata_of(message))?;
            let answers =
                event_delivery::in_order(&plan.events, |event| self.stored(&batch.run_id, event)).await;
            let numbers = plan.events.iter().map(|event| event.numbers.clone());
            Ok(event_delivery::outcome(numbers.zip(told(answers)), plan.silent.iter().copied()))
        }
        .boxed()
    }

    /// Returns an error, because AgentCore does not report when extraction is complete.
    fn wait_extracted(&self, _timeout_ms: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        let rule = "AgentCore does not say when extraction is done: search again after a while";
        ready(Err(StoreError::permanent(rule))).boxed()
    }
}
