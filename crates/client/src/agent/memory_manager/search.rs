//! Searches all stores concurrently. Each may fail alone, and the result is one list.

use std::num::NonZeroU32;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Either, Shared, join_all, select};
use loci_api::record::MetadataFilter;
use tracing::Instrument;

use super::MemoryManager;
use crate::agent::entry::Entry;
use crate::agent::error::{MemoryError, StoreError, StoreFailure};
use crate::agent::fusion::{StoreList, fuse};
use crate::agent::isolation::caught;
use crate::agent::limits::RESULTS_DEFAULT;
use crate::agent::store::{MemoryStore, SearchQuery, check_relevance};

/// The options of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchOptions {
    /// The maximum of entries of each store. Default: the store's own, else 3.
    pub max_search_results: Option<u32>,
    /// The names of the searched stores: none if the list is empty. Default: all.
    pub stores: Option<Vec<String>>,
    /// The conditions in addition to those of the stores, which always apply.
    pub filter: Vec<MetadataFilter>,
    /// The time as of which the stores search, in milliseconds since 1970.
    pub as_of_ms: Option<i64>,
    /// The approximate budget of all entries together, in tokens.
    pub budget_tokens: Option<u32>,
    /// The minimum relevance of an entry, 0 to 1. Default: that of each store. With it, stores
    /// without calibrated scores fail.
    pub relevance_min: Option<f32>,
}

/// The results and failures of a search.
#[derive(Debug, Clone, Default)]
pub struct SearchDetails {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The stores that failed, in their order. No entry and no failure means that no store has a
    /// match.
    pub failures: Vec<StoreFailure>,
}

/// The time at which a search takes the answers that have arrived.
pub(super) type Deadline = Shared<BoxFuture<'static, ()>>;

impl MemoryManager {
    /// Searches for entries. A store that fails contributes nothing and is logged.
    ///
    /// # Errors
    /// If an argument breaks a rule; never because a store failed.
    pub async fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        Ok(self.search_detailed(query, options).await?.entries)
    }

    /// Searches for entries and returns the errors of failed stores, too.
    ///
    /// # Errors
    /// If an argument breaks a rule.
    pub async fn search_detailed(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchDetails, MemoryError> {
        self.find(query, options, None, None).await
    }

    /// Searches for at most `limit` entries, with the answers that arrive before the deadline.
    pub(in crate::agent) async fn find(
        &self,
        query: &str,
        options: &SearchOptions,
        limit: Option<usize>,
        deadline: Option<Deadline>,
    ) -> Result<SearchDetails, MemoryError> {
        let asked = positive("max_search_results", options.max_search_results)?;
        positive("budget_tokens", options.budget_tokens)?;
        check_relevance(options.relevance_min).map_err(|rule| MemoryError::Argument(rule.to_owned()))?;
        let stores = self.asked_stores(options.stores.as_deref())?;
        let names: Vec<&str> = stores.iter().map(|store| store.name()).collect();
        let span = tracing::info_span!(
            "memory.search",
            "memory.store.names" = serde_json::json!(names).to_string(),
            "memory.store.count" = stores.len(),
            "memory.max_search_results" = asked.map(NonZeroU32::get),
            "memory.result.count" = tracing::field::Empty,
            "memory.store.failure_count" = tracing::field::Empty,
        );
        if self.parts.capture_content {
            span.in_scope(|| tracing::info!(query, "memory.query"));
        }
        let questions = stores.iter().map(|store| {
            let question = question(query, options, asked, store.as_ref());
            let deadline = deadline.clone();
            async move { ask(store.as_ref(), &question, deadline).await }
        });
        let answers = join_all(questions).instrument(span.clone()).await;
        let mut details = SearchDetails::default();
        let mut lists = Vec::new();
        for (store, answer) in stores.iter().zip(answers) {
            match answer {
                Ok(entries) => lists.push(StoreList { scored: store.capabilities().scored, entries }),
                Err(error) => {
                    span.in_scope(|| {
                        tracing::warn!("store=<{}>, reason=<{error}> | store search failed", store.name());
                    });
                    details.failures.push(StoreFailure { store_name: store.name().to_owned(), error });
                }
            }
        }
        details.entries = fuse(self.parts.fusion, lists, limit);
        if let Some(budget) = options.budget_tokens {
            self.keep_within(budget, &mut details.entries);
        }
        if self.parts.capture_content {
            let found: Vec<&str> = details.entries.iter().map(|entry| entry.content.as_str()).collect();
            span.in_scope(|| {
                tracing::info!(results = serde_json::json!(found).to_string(), "memory.results")
            });
        }
        span.record("memory.result.count", details.entries.len());
        span.record("memory.store.failure_count", details.failures.len());
        Ok(details)
    }

    /// Keeps whole entries in order. One that does not fit is omitted, and a smaller one behind it
    /// may still fit.
    fn keep_within(&self, budget_tokens: u32, entries: &mut Vec<Entry>) {
        let mut left = usize::try_from(budget_tokens).unwrap_or(usize::MAX);
        entries.retain(|entry| {
            let tokens = self.parts.estimator.tokens(&entry.content);
            let fits = tokens <= left;
            if fits {
                left -= tokens;
            }
            fits
        });
    }

    fn asked_stores(&self, names: Option<&[String]>) -> Result<Vec<Arc<dyn MemoryStore>>, MemoryError> {
        let Some(names) = names else { return Ok(self.parts.stores.clone()) };
        if let Some(unknown) = names.iter().find(|name| !self.parts.stores.iter().any(|s| s.name() == *name))
        {
            return Err(MemoryError::Argument(format!("store '{unknown}' not found")));
        }
        let asked = |store: &&Arc<dyn MemoryStore>| names.iter().any(|name| name == store.name());
        Ok(self.parts.stores.iter().filter(asked).cloned().collect())
    }
}

fn positive(field: &str, asked: Option<u32>) -> Result<Option<NonZeroU32>, MemoryError> {
    let refused = || MemoryError::Argument(format!("{field} must be a positive whole number"));
    asked.map(|asked| NonZeroU32::new(asked).ok_or_else(refused)).transpose()
}

fn question(
    text: &str,
    options: &SearchOptions,
    asked: Option<NonZeroU32>,
    store: &dyn MemoryStore,
) -> SearchQuery {
    let fallback = NonZeroU32::new(RESULTS_DEFAULT).unwrap_or(NonZeroU32::MIN);
    SearchQuery {
        text: text.to_owned(),
        max_results: asked.or_else(|| store.max_search_results()).unwrap_or(fallback),
        filter: options.filter.clone(),
        as_of_ms: options.as_of_ms,
        budget_tokens: options.budget_tokens,
        relevance_min: options.relevance_min,
    }
}

async fn ask(
    store: &dyn MemoryStore,
    question: &SearchQuery,
    deadline: Option<Deadline>,
) -> Result<Vec<Entry>, StoreError> {
    let can = store.capabilities();
    // An ignored condition would widen the result silently.
    if !question.filter.is_empty() && !can.filters {
        return Err(StoreError::permanent("this store has no filters"));
    }
    if question.as_of_ms.is_some() && !can.as_of {
        return Err(StoreError::permanent("this store cannot answer as of an earlier time"));
    }
    if question.relevance_min.is_some() && !can.scored {
        return Err(StoreError::permanent("this store has no scores to compare relevance_min with"));
    }
    let answer = caught("the store", async { store.search(question).await }).boxed();
    let Some(deadline) = deadline else { return answer.await };
    match select(answer, deadline.boxed()).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err(StoreError::transient("no answer by the deadline")),
    }
}
