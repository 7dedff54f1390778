//! The operation `search`: it checks access, determines the scope, parses the query, finds
//! candidates, ranks them, and reads their records.

use std::sync::Arc;

use futures::channel::oneshot;
use loci_api::search::Statistics;
use loci_model::memory::Memory;
use loci_model::ports::search::{CandidateRequest, CandidateSet};
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::warning::{Degradation, Notices, Warning};
use loci_model::{Error, FieldName, Result, Timestamp, limits};

use super::listing::Listing;
use super::provisional::{self, PendingCandidates, Provisional};
use super::query::ParsedQuery;
use super::ranking;
use super::search_additions::SearchAdditions;
use super::weights::Weights;
use super::{SearchAnswer, SearchRequest, budget};
use crate::Engine;
use crate::access::{self, View};
use crate::jobs::extraction_is_pending;
use crate::memories::existing;
use crate::records::list::check_states;
use crate::records::{filters, namespaces, prefix_detection, strategy_choice};

impl Engine {
    /// Returns the records that answer a query best, best first. `notices.degraded` lists
    /// unavailable components. The returned records count as read. Messages that are not
    /// extracted yet are included if the memory's setting `read_your_writes` is on.
    pub async fn search(&self, caller: &Principal, request: SearchRequest) -> Result<SearchAnswer> {
        self.search_with(caller, request, PendingEventUse::BySetting).await
    }

    /// Works like `search`, but the argument decides if messages that are not extracted yet are
    /// included. The native API includes them, so that a caller's next query finds its latest
    /// writes.
    pub async fn search_with(
        &self,
        caller: &Principal,
        request: SearchRequest,
        own_writes: PendingEventUse,
    ) -> Result<SearchAnswer> {
        let memory = request.memory.clone();
        let answer = self.watched(caller, &request, own_writes, None).await?;
        let stored = answer.hits.iter().filter(|hit| !hit.provisional);
        self.products.records_read(&memory, stored.map(|hit| &hit.record.id), self.clock.now());
        Ok(answer)
    }

    /// Works like `search`, but without messages that are not extracted yet, and the records do
    /// not count as read. It is for operations that compare records.
    pub async fn search_unread(&self, caller: &Principal, request: SearchRequest) -> Result<SearchAnswer> {
        self.watched(caller, &request, PendingEventUse::Hidden, None).await
    }

    /// Works like `search_unread`, with [`SearchAdditions`] of the calling operation, which may
    /// reorder the hits.
    pub async fn search_within(
        &self,
        caller: &Principal,
        request: &SearchRequest,
        within: &SearchAdditions<'_>,
    ) -> Result<SearchAnswer> {
        self.watched(caller, request, PendingEventUse::Hidden, Some(within)).await
    }

    async fn watched(
        &self,
        caller: &Principal,
        request: &SearchRequest,
        own_writes: PendingEventUse,
        within: Option<&SearchAdditions<'_>>,
    ) -> Result<SearchAnswer> {
        let watch = self.watch("search_memory", Some(&request.memory));
        let answer = self.answer(caller, request, own_writes, within).await;
        if let Some(watch) = watch {
            watch.tell_search(request, &answer);
        }
        answer
    }

    async fn answer(
        &self,
        caller: &Principal,
        request: &SearchRequest,
        own_writes: PendingEventUse,
        within: Option<&SearchAdditions<'_>>,
    ) -> Result<SearchAnswer> {
        check(request)?;
        let view =
            access::bound_view(&self.products, caller, &request.memory, Capability::Read, self.clock.now())?;
        let ScopedSearch { scope, view, mut notices, own_weights, provisional } =
            self.search_scope(request, &view, own_writes).await?;
        let weights = match &own_weights {
            Some(weights) => weights.as_ref(),
            None => Weights::shipped()?,
        };

        let started = self.clock.monotonic_us();
        let mut asked = self.read_question(&request.query, &scope, &mut notices).await?;
        asked.look_also_for(within.map_or(&[], |within| &within.also));
        let (mut set, embedded) = self.look_up(request, &scope, &mut asked, &mut notices).await?;
        if set.passages_without_vector > 0 && by_vector(request) {
            notices.degrade(Degradation::EmbeddingPending);
            if let Some(all) = self.look_up_earlier(request, &scope, &asked).await? {
                set = all;
            }
        }
        if set.is_cut {
            notices.degrade(Degradation::SearchCut);
        }
        let found = self.clock.monotonic_us();

        let beside = self.beside(&set, &asked, &scope, &provisional).await?;
        let mut ranked = ranking::rank(&asked.question, &asked.terms, &set, weights);
        if let Some(beside) = &beside {
            ranked = provisional::ranked(ranked, beside, &asked, weights);
        }
        let listing = Listing {
            request,
            scope: &scope,
            view: &view,
            weights,
            asked: &asked,
            provisional: &provisional,
            within,
        };
        let mut hits = self.list_hits(&listing, ranking::best_passages(ranked)).await?;
        provisional::once(&mut hits);
        if self.prefix_looks.are_due(&scope, self.clock.now()) {
            self.note_prefix_reading(&scope).await;
        }
        let hits = budget::within(hits, request.budget_tokens, &mut notices);
        let mut statistics = statistics(&asked, &set);
        statistics.candidates += provisional.records.len();
        statistics.embed_us = embedded.saturating_sub(started);
        statistics.candidates_us = found.saturating_sub(embedded);
        statistics.rank_us = self.clock.monotonic_us().saturating_sub(found);
        Ok(SearchAnswer { hits, notices, statistics })
    }

    /// Adds messages that are not extracted yet to the candidates, if there are any.
    async fn beside(
        &self,
        set: &CandidateSet,
        asked: &ParsedQuery,
        scope: &RecordScope,
        provisional: &Provisional,
    ) -> Result<Option<PendingCandidates>> {
        if provisional.records.is_empty() {
            return Ok(None);
        }
        let names = self.store.search().known_names(scope).await?;
        let records: Vec<&Record> = provisional.records.values().collect();
        Ok(Some(provisional::beside(set, asked, &records, &names)))
    }

    /// Returns the scope of the search, limited to what the caller may see.
    async fn search_scope(
        &self,
        request: &SearchRequest,
        view: &View,
        own_writes: PendingEventUse,
    ) -> Result<ScopedSearch> {
        let now = self.clock.now();
        let (request, view, own) = (request.clone(), view.clone(), Arc::clone(&self.own_weights));
        let (settings, products) = (Arc::clone(&self.settings), self.products.clone());
        self.store
            .read(move |tx| {
                let memory = existing(tx, &request.memory)?;
                let (mut scope, mut notices) = scope_of(tx, &memory, &view, &request, now)?;
                namespaces::add_other_names(&mut scope, &memory, &view, &request.namespaces, &products);
                if extraction_is_pending(tx, &memory.id, &view)? {
                    notices.degrade(Degradation::ExtractionPending);
                }
                let mut provisional = Provisional::default();
                if own_writes.are_shown_in(&memory) && provisional::is_wanted(&request, &scope) {
                    provisional = provisional::waiting(tx, (&memory, &settings), &scope)?;
                }
                if provisional.is_cut {
                    notices.degrade(Degradation::ProvisionalCut);
                }
                let own_weights = own.of(&memory.id, memory.settings.retrieval_weights.as_deref());
                if memory.settings.retrieval_weights.is_some() && own_weights.is_none() {
                    notices.warn(Warning::WeightsNotUsed);
                }
                Ok(ScopedSearch { scope, view: view.within(&memory), notices, own_weights, provisional })
            })
            .await
    }

    /// Logs a warning if the client may expect that a namespace also matches longer names with
    /// the same beginning.
    async fn note_prefix_reading(&self, scope: &RecordScope) {
        let scope = scope.clone();
        let memory = scope.memory.clone();
        match self.store.read(move |tx| prefix_detection::siblings_by_prefix(tx, &scope)).await {
            Ok(actors) if actors > 1 => {
                tracing::warn!(%memory, actors, "a namespace that is a prefix of several actors' was asked for, and read as that node alone: see namespace_match");
            }
            Ok(_) => {}
            // It only informs: the response does not depend on it.
            Err(error) => {
                tracing::warn!(%memory, %error, "whether a namespace is a prefix of several actors' could not be read")
            }
        }
    }

    /// Returns the candidates, and the time at which the query's vector was ready. The search by
    /// words runs while a local model computes the vector.
    async fn look_up(
        &self,
        request: &SearchRequest,
        scope: &RecordScope,
        asked: &mut ParsedQuery,
        notices: &mut Notices,
    ) -> Result<(CandidateSet, u64)> {
        let mut wanted = CandidateRequest {
            scope: scope.clone(),
            terms: asked.terms.clone(),
            vector: None,
            earlier: None,
            lists: request.lists.or(self.settings.candidates),
        };
        let search = self.store.search();
        if !by_vector(request) {
            return Ok((search.candidates(wanted).await?, self.clock.monotonic_us()));
        }
        if !self.embedder.as_ref().is_some_and(|embedder| embedder.is_near()) {
            asked.vector = self.question_vector(&asked.question, notices).await;
            let embedded = self.clock.monotonic_us();
            wanted.vector.clone_from(&asked.vector);
            return Ok((search.candidates(wanted).await?, embedded));
        }
        let (send, coming) = oneshot::channel();
        let made = async {
            let vector = self.question_vector(&asked.question, notices).await;
            // No one receives it if the search has already failed.
            let _ = send.send(vector.clone());
            (vector, self.clock.monotonic_us())
        };
        let coming = Box::pin(async move { coming.await.ok().flatten() });
        let ((vector, embedded), set) = futures::join!(made, search.candidates_meanwhile(wanted, coming));
        asked.vector = vector;
        Ok((set?, embedded))
    }

    /// Searches candidates again with a vector of the previous embedding model, if some passages
    /// have only vectors of that model. This happens only while passages are being embedded
    /// again.
    async fn look_up_earlier(
        &self,
        request: &SearchRequest,
        scope: &RecordScope,
        asked: &ParsedQuery,
    ) -> Result<Option<CandidateSet>> {
        let Some(earlier) = self.earlier_vector(&asked.question).await else { return Ok(None) };
        let wanted = CandidateRequest {
            scope: scope.clone(),
            terms: asked.terms.clone(),
            vector: asked.vector.clone(),
            earlier: Some(earlier),
            lists: request.lists.or(self.settings.candidates),
        };
        self.store.search().candidates(wanted).await.map(Some)
    }
}

/// The treatment of messages that are not extracted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PendingEventUse {
    /// The messages are included as provisional records.
    Shown,
    /// The messages are included if the memory's setting `read_your_writes` is on.
    BySetting,
    /// The messages are left out: only stored records are returned.
    Hidden,
}

impl PendingEventUse {
    fn are_shown_in(self, memory: &Memory) -> bool {
        match self {
            Self::Shown => true,
            Self::BySetting => memory.settings.read_your_writes,
            Self::Hidden => false,
        }
    }
}

/// The input of a search, read from one state of the store.
struct ScopedSearch {
    scope: RecordScope,
    view: View,
    notices: Notices,
    own_weights: Option<Arc<Weights>>,
    provisional: Provisional,
}

/// Returns true if the search needs the vector of the query.
fn by_vector(request: &SearchRequest) -> bool {
    request.lists.is_none_or(|lists| lists.dense > 0)
}

fn check(request: &SearchRequest) -> Result<()> {
    if request.query.trim().is_empty() {
        return Err(Error::invalid(FieldName::Query, FieldName::Query + " must not be empty"));
    }
    check_states(&request.states)?;
    if request.states.contains(&RecordState::Quarantined) {
        let rule = "no search serves records in quarantine: leave the state out, or list the quarantine";
        return Err(Error::invalid("states", rule));
    }
    if !(1..=limits::TOP_K_MAX).contains(&request.top_k) {
        return Err(Error::invalid(FieldName::TopK, FieldName::TopK + " must be 1 to 100"));
    }
    if request.relevance_min.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return Err(Error::invalid("relevance_min", "relevance_min must be 0 to 1"));
    }
    Ok(())
}

fn scope_of(
    tx: &dyn ReadTx,
    memory: &Memory,
    view: &View,
    request: &SearchRequest,
    now: Timestamp,
) -> Result<(RecordScope, Notices)> {
    let (mut scope, notices) = namespaces::scope(memory, view, &request.namespaces, now)?;
    filters::check(memory, &request.metadata)?;
    scope.strategy = request.strategy.clone();
    scope.metadata = request.metadata.clone();
    scope.kinds = request.kinds.clone();
    if !request.states.is_empty() {
        scope.states = request.states.clone();
    }
    scope.as_of = request.as_of;
    strategy_choice::check(tx, memory, &scope)?;
    Ok((scope, notices))
}

fn statistics(asked: &ParsedQuery, set: &CandidateSet) -> Statistics {
    Statistics {
        terms: asked.terms.clone(),
        names: asked.question.named.clone(),
        turns: set.statistics.turns,
        df: set.statistics.df.clone(),
        candidates: set.candidates.len(),
        passages_in_scope: set.passages_in_scope,
        ..Statistics::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::MemoryId;

    #[test]
    fn what_a_request_must_be() {
        let request = |query: &str, top_k, relevance_min| SearchRequest {
            memory: MemoryId::parse("notes-0123456789").unwrap(),
            query: query.into(),
            namespaces: Vec::new(),
            strategy: None,
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: Vec::new(),
            citing: None,
            as_of: None,
            top_k,
            fold: true,
            budget_tokens: None,
            relevance_min,
            explain: false,
            lists: None,
            include_system: false,
        };
        let field = |request| check(&request).err().and_then(|error| error.field);
        assert_eq!(field(request("who", 1, None)), None);
        assert_eq!(field(request("who", 100, Some(1.0))), None);
        assert_eq!(field(request(" \n", 1, None)).as_deref(), Some("query"));
        assert_eq!(field(request("who", 0, None)).as_deref(), Some("top_k"));
        assert_eq!(field(request("who", 101, None)).as_deref(), Some("top_k"));
        assert_eq!(field(request("who", 1, Some(1.1))).as_deref(), Some("relevance_min"));
        assert_eq!(field(request("who", 1, Some(f32::NAN))).as_deref(), Some("relevance_min"));
    }
}
