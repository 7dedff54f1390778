//! Searches of all stores at the same time. A store that fails does not fail the search, and the
//! results become one list.

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

/// The options of a search over stores.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchOptions {
    /// The maximum number of entries of each store. `None` means the default of the store, else 3.
    pub max_search_results: Option<u32>,
    /// The names of the stores to search. `None` means all, and an empty list means no store.
    pub stores: Option<Vec<String>>,
    /// The metadata conditions of the search, in addition to those of the stores, which always
    /// apply.
    pub filter: Vec<MetadataFilter>,
    /// The time as of which the stores search, in milliseconds since 1970. `None` means now.
    pub as_of_ms: Option<i64>,
    /// The approximate token budget of all entries together. `None` means no limit.
    pub budget_tokens: Option<u32>,
    /// The minimum relevance of an entry, 0 to 1. `None` means the minimum of each store. If it is
    /// set, stores without calibrated scores fail.
    pub relevance_min: Option<f32>,
}

/// The results of a search, and the stores that failed.
#[derive(Debug, Clone, Default)]
pub struct SearchDetails {
    /// The entries that were found, best first over all stores unless the fusion is `Concat`.
    pub entries: Vec<Entry>,
    /// The errors of the stores that failed, in the order of the stores. If there is neither an
    /// entry nor a failure, no store has a match.
    pub failures: Vec<StoreFailure>,
}

/// A shared future that resolves at the time at which a search stops waiting for stores.
pub(super) type Deadline = Shared<BoxFuture<'static, ()>>;

impl MemoryManager {
    /// Returns the entries that match a query. A store that fails contributes nothing, and its
    /// error is logged.
    ///
    /// # Errors
    /// If an argument breaks a rule. The failure of a store is not an error.
    pub async fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        Ok(self.search_detailed(query, options).await?.entries)
    }

    /// Returns the entries that match a query, and the errors of the stores that failed.
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

    /// Returns at most `limit` entries from the stores that answer before the deadline.
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

    /// Removes the entries that exceed the token budget. It keeps whole entries in order: after an
    /// entry that does not fit, a smaller one may still fit.
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
