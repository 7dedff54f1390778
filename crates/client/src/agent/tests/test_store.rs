//! A store for tests. It keeps everything in memory, fails on request and deduplicates by token.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, pending, ready};

use crate::agent::batch::{BatchOutcome, MessageBatch, Unstored};
use crate::agent::coordinator::ExtractionConfig;
use crate::agent::entry::{Added, Entry, NewEntry};
use crate::agent::error::StoreError;
use crate::agent::store::{Capabilities, ExtractionWaited, MemoryStore, SearchQuery, WritePlace};
use crate::agent::tools::{Tool, ToolAnswer};

/// A function that decides the outcome of a batch.
type Answer = dyn FnMut(&MessageBatch, &mut Inside) -> Option<Result<BatchOutcome, StoreError>> + Send;

/// The received contents of a store; shared with its test.
#[derive(Clone, Default)]
pub(crate) struct ReceivedContents(Arc<Mutex<Inside>>, Arc<Mutex<Option<Box<Answer>>>>);

#[derive(Clone, Default)]
pub(crate) struct Inside {
    pub(crate) questions: Vec<String>,
    pub(crate) limits: Vec<u32>,
    pub(crate) queries: Vec<SearchQuery>,
    pub(crate) added: Vec<String>,
    /// The contents of added entries, in order of arrival.
    pub(crate) add_calls: Vec<String>,
    /// The texts of stored messages.
    pub(crate) texts: Vec<String>,
    /// The tokens, in order of arrival.
    pub(crate) tokens: Vec<String>,
    known: BTreeSet<String>,
    fails_adds: bool,
    fails_adds_of: Vec<String>,
}

impl ReceivedContents {
    pub(crate) fn questions(&self) -> Vec<String> {
        self.0.lock().unwrap().questions.clone()
    }

    pub(crate) fn limits(&self) -> Vec<u32> {
        self.0.lock().unwrap().limits.clone()
    }

    pub(crate) fn added(&self) -> Vec<String> {
        self.0.lock().unwrap().added.clone()
    }

    pub(crate) fn add_calls(&self) -> Vec<String> {
        self.0.lock().unwrap().add_calls.clone()
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.lock().unwrap().texts.clone()
    }

    pub(crate) fn tokens(&self) -> Vec<String> {
        self.0.lock().unwrap().tokens.clone()
    }

    pub(crate) fn inside(&self) -> Inside {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn of(inside: Inside) -> Self {
        Self(Arc::new(Mutex::new(inside)), Arc::default())
    }

    pub(crate) fn fail_adds(&self, fails: bool) {
        self.0.lock().unwrap().fails_adds = fails;
    }

    /// Makes only the additions of these contents fail.
    pub(crate) fn fail_adds_of(&self, contents: &[&str]) {
        self.0.lock().unwrap().fails_adds_of = contents.iter().map(|one| (*one).to_owned()).collect();
    }

    /// Decides the outcome of further batches; `None` stores them.
    pub(crate) fn answer(
        &self,
        answer: impl FnMut(&MessageBatch, &mut Inside) -> Option<Result<BatchOutcome, StoreError>>
        + Send
        + 'static,
    ) {
        *self.1.lock().unwrap() = Some(Box::new(answer));
    }
}

impl Inside {
    /// Stores a batch unless its token is known, without messages that a partial answer stored
    /// before.
    pub(crate) fn store(&mut self, batch: &MessageBatch) -> BatchOutcome {
        if self.known.insert(batch.token()) {
            for message in &batch.messages {
                let alone = format!("{} alone {}", batch.run_id, message.sequence);
                if !self.known.contains(&alone) {
                    self.texts.push(message.message.joined_text());
                }
            }
        }
        BatchOutcome::all(batch)
    }

    /// Stores the messages without an error, each as a batch of its own.
    pub(crate) fn store_but(
        &mut self,
        batch: &MessageBatch,
        error: impl Fn(&str) -> Option<StoreError>,
    ) -> BatchOutcome {
        let mut outcome = BatchOutcome::default();
        for message in &batch.messages {
            let text = message.message.joined_text();
            match error(&text) {
                Some(error) => outcome.unstored.push(Unstored { sequence: message.sequence, error }),
                None => {
                    if self.known.insert(format!("{} alone {}", batch.run_id, message.sequence)) {
                        self.texts.push(text);
                    }
                    outcome.stored.push(message.sequence);
                }
            }
        }
        outcome
    }
}

pub(crate) struct TestStore {
    pub(crate) kept: ReceivedContents,
    pub(crate) can: Capabilities,
    name: String,
    description: Option<String>,
    max_results: Option<NonZeroU32>,
    extraction: Option<ExtractionConfig>,
    found: Vec<Entry>,
    failing: Option<String>,
    hangs: bool,
    session: Option<String>,
    not_ready: bool,
    takes: Option<Delay>,
    /// The names of the initialized stores, in order.
    starts: Option<Arc<Mutex<Vec<String>>>>,
    tool: Option<String>,
    waited: Option<ExtractionWaited>,
}

/// The delay of a write.
type Delay = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

impl TestStore {
    pub(crate) fn reading(name: &str) -> Self {
        Self {
            kept: ReceivedContents::default(),
            can: Capabilities::default(),
            name: name.to_owned(),
            description: None,
            max_results: None,
            extraction: None,
            found: Vec::new(),
            failing: None,
            hangs: false,
            session: None,
            not_ready: false,
            takes: None,
            starts: None,
            tool: None,
            waited: None,
        }
    }

    pub(crate) fn adding(name: &str) -> Self {
        let can = Capabilities { writable: true, add: true, ..Capabilities::default() };
        Self { can, ..Self::reading(name) }
    }

    pub(crate) fn taking(name: &str) -> Self {
        let can = Capabilities { writable: true, add_messages: true, ..Capabilities::default() };
        Self { can, ..Self::reading(name) }
    }

    pub(crate) fn described(self, description: &str) -> Self {
        Self { description: Some(description.to_owned()), ..self }
    }

    pub(crate) fn giving(self, max_results: u32) -> Self {
        Self { max_results: NonZeroU32::new(max_results), ..self }
    }

    pub(crate) fn found(self, found: Vec<Entry>) -> Self {
        Self { found, ..self }
    }

    pub(crate) fn scored(mut self) -> Self {
        self.can.scored = true;
        self
    }

    pub(crate) fn failing(self, why: &str) -> Self {
        Self { failing: Some(why.to_owned()), ..self }
    }

    pub(crate) fn hanging(self) -> Self {
        Self { hangs: true, ..self }
    }

    pub(crate) fn not_ready(self) -> Self {
        Self { not_ready: true, ..self }
    }

    pub(crate) fn extracting(self, config: ExtractionConfig) -> Self {
        Self { extraction: Some(config), ..self }
    }

    pub(crate) fn at(self, session: &str) -> Self {
        Self { session: Some(session.to_owned()), ..self }
    }

    /// Delays the answers to batches and searches. A batch is taken before the delay.
    pub(crate) fn taking_its_time(
        self,
        takes: impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static,
    ) -> Self {
        Self { takes: Some(Box::new(takes)), ..self }
    }

    pub(crate) fn noting_its_start(self, starts: &Arc<Mutex<Vec<String>>>) -> Self {
        Self { starts: Some(Arc::clone(starts)), ..self }
    }

    pub(crate) fn offering(self, tool: &str) -> Self {
        Self { tool: Some(tool.to_owned()), ..self }
    }

    pub(crate) fn waiting(self, waited: ExtractionWaited) -> Self {
        Self { waited: Some(waited), ..self }
    }

    pub(crate) fn with(self, kept: ReceivedContents) -> Self {
        Self { kept, ..self }
    }
}

impl MemoryStore for TestStore {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    fn capabilities(&self) -> Capabilities {
        self.can
    }

    fn max_search_results(&self) -> Option<NonZeroU32> {
        self.max_results
    }

    fn extraction(&self) -> Option<&ExtractionConfig> {
        self.extraction.as_ref()
    }

    fn write_place(&self) -> Option<WritePlace> {
        let session = self.session.clone()?;
        Some(WritePlace { memory: "m".to_owned(), actor: "a".to_owned(), session })
    }

    fn initialize(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        if let Some(starts) = &self.starts {
            starts.lock().unwrap().push(self.name.clone());
        }
        ready(if self.not_ready { Err(StoreError::transient("no connection")) } else { Ok(()) }).boxed()
    }

    fn search<'a>(&'a self, query: &'a SearchQuery) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        let mut inside = self.kept.0.lock().unwrap();
        inside.questions.push(query.text.clone());
        inside.queries.push(query.clone());
        inside.limits.push(query.max_results.get());
        if self.hangs {
            return pending().boxed();
        }
        if let Some(why) = &self.failing {
            return ready(Err(StoreError::transient(why))).boxed();
        }
        let limit = usize::try_from(query.max_results.get()).unwrap();
        let takes = self.takes.as_ref().map(|takes| takes());
        async move {
            if let Some(takes) = takes {
                takes.await;
            }
            Ok(self.found.iter().take(limit).cloned().collect())
        }
        .boxed()
    }

    fn tools(&self) -> Vec<Tool> {
        let tool = |name: &String| Tool {
            name: name.clone(),
            description: String::new(),
            input_schema: serde_json::json!({}),
            work: Arc::new(|_| Box::pin(async { Ok(ToolAnswer::plain(serde_json::json!({}))) })),
        };
        self.tool.iter().map(tool).collect()
    }

    fn wait_extracted(&self, _: u64) -> BoxFuture<'_, Result<ExtractionWaited, StoreError>> {
        ready(self.waited.ok_or_else(|| StoreError::transient("it does not say"))).boxed()
    }

    fn add<'a>(&'a self, entry: &'a NewEntry) -> BoxFuture<'a, Result<Added, StoreError>> {
        let mut inside = self.kept.0.lock().unwrap();
        inside.add_calls.push(entry.content.clone());
        if entry.content.contains("panic") {
            return async { panic!("a store") }.boxed();
        }
        if inside.fails_adds || inside.fails_adds_of.contains(&entry.content) {
            return ready(Err(StoreError::transient("down"))).boxed();
        }
        if entry.content.contains("poison") {
            return ready(Err(StoreError::permanent("refused"))).boxed();
        }
        if !inside.added.contains(&entry.content) {
            inside.added.push(entry.content.clone());
        }
        ready(Ok(Added::default())).boxed()
    }

    fn add_messages<'a>(
        &'a self,
        batch: &'a MessageBatch,
    ) -> BoxFuture<'a, Result<BatchOutcome, StoreError>> {
        let takes = self.takes.as_ref().map(|takes| takes());
        self.kept.0.lock().unwrap().tokens.push(batch.token());
        async move {
            if let Some(takes) = takes {
                takes.await;
            }
            let mut inside = self.kept.0.lock().unwrap();
            let mut answer = self.kept.1.lock().unwrap();
            match answer.as_mut() {
                Some(answer) => answer(batch, &mut inside).unwrap_or_else(|| Ok(inside.store(batch))),
                None => Ok(inside.store(batch)),
            }
        }
        .boxed()
    }
}
