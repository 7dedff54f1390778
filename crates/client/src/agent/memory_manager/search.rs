//! Search over the stores: all at once, each failing alone, one list in the end.

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

/// How a search is meant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchOptions {
    /// At most so many entries of each store; else what the store says, else 3.
    pub max_search_results: Option<u32>,
    /// Only these stores, by name; none where the list is empty, all where it is absent.
    pub stores: Option<Vec<String>>,
    /// Conditions, beside those of the stores, which always hold.
    pub filter: Vec<MetadataFilter>,
    /// What was true and known then, in milliseconds since 1970.
    pub as_of_ms: Option<i64>,
    /// All entries together hold about so many tokens.
    pub budget_tokens: Option<u32>,
    /// The least relevance of an entry, 0 to 1; that of each store where it is absent. Stores whose
    /// scores are not calibrated cannot answer then.
    pub relevance_min: Option<f32>,
}

/// What was found, and what failed.
#[derive(Debug, Clone, Default)]
pub struct SearchDetails {
    /// The list.
    pub entries: Vec<Entry>,
    /// The stores that gave no answer, in their order. Nothing found and no failure means: there is nothing.
    pub failures: Vec<StoreFailure>,
}

/// When a search takes what has come.
pub(super) type Deadline = Shared<BoxFuture<'static, ()>>;

impl MemoryManager {
    /// Finds entries. A store that fails contributes nothing and is logged.
    ///
    /// # Errors
    /// Where an argument breaks a rule; never because a store failed.
    pub async fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Entry>, MemoryError> {
        Ok(self.search_detailed(query, options).await?.entries)
    }

    /// The same with the errors of stores that failed.
    ///
    /// # Errors
    /// Where an argument breaks a rule.
    pub async fn search_detailed(
        &self,
        query: &str,
        options: &SearchOptions,
    ) -> Result<SearchDetails, MemoryError> {
        self.find(query, options, None, None).await
    }

    /// The search itself: of at most `limit` entries, and of what has come by the deadline.
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

    /// Whole entries in their order; one that does not fit is left out, and a smaller one behind it may still come.
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
    // A condition that is not understood would widen the answer in silence.
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
