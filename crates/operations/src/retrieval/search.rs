//! Searches knowledge and investigations for a query. The engine's search finds candidates, and
//! [`super::result_list`] reorders them. An empty query lists all records.

use loci_engine::access;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_engine::retrieval::{SearchAdditions, SearchRequest};
use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::ports::search::ListLengths;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::StrategyChoice;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::warning::Notices;
use loci_model::{MemoryId, RecordId, Result, SessionId, limits};
use loci_text::terms;

use super::filters::Filters;
use super::result_list::{Pool, SimilarRecord};
use super::retrieve::{SreRetrieve, SreRetrieved};
use super::synonyms::{QuestionMeanings, SreSynonyms};
use super::word_similarity::Wording;
use crate::Operations;
use crate::investigations::is_hidden;
use crate::records::{namespace_rules, precedence};
use crate::times::question_time::QuestionTime;

/// The number of hits that are reordered. Larger than any result list.
const POOL: usize = 200;
/// The minimum number of hits to reorder for a start, which runs five searches concurrently and
/// waits for the slowest.
const POOL_OF_START_MIN: usize = 20;
/// The number of candidates per list for each hit of a start.
const LISTS_OF_START: usize = 3;
/// The number of candidates per list if filters may exclude some.
const LISTS: ListLengths = ListLengths { window: 2_000, turn: 2_000, dense: 2_000 };
/// The sum of the search that counts as full similarity. Unrelated records have sums of about 4,
/// and relevant ones have 6 and more.
const FULL_SUM: f64 = 14.0;
const PAGE: usize = 200;
/// The actor that selects all users.
const EVERY: &str = "*";

/// The part of a memory that is searched for one type.
struct TypeSearchScope<'a> {
    memory: &'a Memory,
    strategy: Strategy,
    asks: Vec<NamespaceAsk>,
    filters: Filters,
}

impl Operations {
    /// Returns the results of one type, at most `wanted`.
    pub(super) async fn sre_search(
        &self,
        caller: &Principal,
        (asked, memory): (&SreRetrieve, Option<&Memory>),
        kind: SreType,
        when: &QuestionTime,
        wanted: usize,
    ) -> Result<SreRetrieved> {
        let read;
        let memory = match memory {
            Some(known) => known,
            None => {
                read = self.engine.memory_get(caller, &asked.memory).await?;
                &read
            }
        };
        let place = self.sre_place(caller, (asked, memory), kind, when)?;
        let meanings = self.sre_meanings(&asked.memory, &when.query);
        let (mut found, notices, seen) = if when.query.trim().is_empty() {
            (Vec::new(), Notices::default(), 0)
        } else {
            self.sre_hits(caller, asked, (&place, pool_of(asked, wanted)), (when, &meanings)).await?
        };
        let mut answer = SreRetrieved::default();
        let by_list =
            when.query.trim().is_empty() || (place.filters.are_any() && found.len() < wanted && seen > 0);
        if by_list {
            let (more, is_cut) = self.sre_list(caller, asked, &place, &found).await?;
            found.extend(more);
            if is_cut {
                answer.degraded = true;
                answer.warn(format!("{}: only the newest records were looked at", kind.as_str()));
            }
        }
        let partners = self.sre_partners(caller, &place, &found).await?;
        let pool = Pool {
            asked,
            filters: &place.filters,
            wording: Wording::new(&meanings, &terms(&when.query)),
            now: asked.as_of.unwrap_or_else(|| self.engine.now()),
        };
        pool.list(found, partners, wanted, &mut answer);
        answer.degraded |= !notices.degraded.is_empty();
        let codes = notices.degraded.iter().map(|one| one.code());
        for code in codes.chain(notices.warnings.iter().map(|one| one.code())) {
            answer.warn(code.to_owned());
        }
        Ok(answer)
    }

    fn sre_place<'a>(
        &self,
        caller: &Principal,
        (asked, memory): (&SreRetrieve, &'a Memory),
        kind: SreType,
        when: &QuestionTime,
    ) -> Result<TypeSearchScope<'a>> {
        let strategy = namespace_rules::strategy(memory, kind)?.clone();
        let session = asked.session.as_deref().filter(|id| !id.is_empty());
        let session: Option<SessionId> =
            session.map(|id| namespace_rules::session(kind, Some(id))).transpose()?;
        let actor = asked.actor.as_deref().filter(|id| *id != EVERY);
        let asks = match actor {
            None => Vec::new(),
            Some(id) => {
                let actor = namespace_rules::actor(kind, id, self.settings.of(&asked.memory))?;
                let node = match &session {
                    None => namespace_rules::node(&strategy, &actor)?,
                    Some(session) => namespace_rules::namespace(&strategy, &actor, session)?,
                };
                vec![NamespaceAsk::Path(node)]
            }
        };
        let filters = Filters {
            kind,
            session,
            services: asked.services.clone(),
            environments: asked.environments.clone(),
            time: when.time(),
            boost: asked.filters_boost,
            reader: access::require_whole(caller, &asked.memory, Capability::Admin)
                .is_err()
                .then(|| caller.name.clone()),
        };
        Ok(TypeSearchScope { memory, strategy, asks, filters })
    }

    /// Returns the hits of the search, its notices, and the number of passages that it did not
    /// examine.
    async fn sre_hits(
        &self,
        caller: &Principal,
        asked: &SreRetrieve,
        (place, pool): (&TypeSearchScope<'_>, usize),
        (when, meanings): (&QuestionTime, &QuestionMeanings<'_>),
    ) -> Result<(Vec<SimilarRecord>, Notices, u64)> {
        let request = SearchRequest {
            memory: asked.memory.clone(),
            query: when.query.clone(),
            namespaces: place.asks.clone(),
            strategy: Some(StrategyChoice::Of(place.strategy.id.clone())),
            metadata: Vec::new(),
            kinds: Vec::new(),
            states: states(asked),
            citing: None,
            as_of: asked.as_of,
            top_k: limits::TOP_K_MAX,
            // Similar patterns are merged when they are saved, so the search does not fold.
            fold: false,
            budget_tokens: None,
            relevance_min: None,
            explain: false,
            lists: lists_of(asked, &place.filters, pool),
            include_system: true,
        };
        // Records about a service contain its name, and must be among the candidates.
        let services = asked.services.iter().flat_map(|name| terms(name));
        let also = services.chain(meanings.terms()).collect();
        let admits = |record: &Record| place.filters.admit(record);
        let within = SearchAdditions { admits: &admits, also, most: pool + asked.leave_out.len() };
        let answer = self.engine.search_within(caller, &request, &within).await?;
        let looked_at = u64::try_from(answer.statistics.candidates).unwrap_or(u64::MAX);
        let unseen = answer.statistics.passages_in_scope.saturating_sub(looked_at);
        let hits = answer.hits.into_iter();
        let found = hits.map(|hit| SimilarRecord::of(hit.record, f64::from(hit.score) / FULL_SUM)).collect();
        Ok((found, answer.notices, unseen))
    }

    /// Returns the synonyms of a query.
    fn sre_meanings(&self, memory: &MemoryId, query: &str) -> QuestionMeanings<'static> {
        self.settings.of(memory).synonyms.unwrap_or(SreSynonyms::shipped()).of(query)
    }

    /// Returns the newest records that the filters admit and the search did not find, and true if
    /// some were not examined.
    async fn sre_list(
        &self,
        caller: &Principal,
        asked: &SreRetrieve,
        place: &TypeSearchScope<'_>,
        found: &[SimilarRecord],
    ) -> Result<(Vec<SimilarRecord>, bool)> {
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, &asked.memory, Capability::Read, now)?;
        let (mut scope, _) = namespaces::scope(place.memory, &view, &place.asks, now)?;
        scope.strategy = Some(StrategyChoice::Of(place.strategy.id.clone()));
        scope.states = states(asked);
        scope.as_of = asked.as_of;
        let filters = place.filters.clone();
        let known: Vec<RecordId> = found.iter().map(|one| one.record.id.clone()).collect();
        let most = POOL + asked.leave_out.len();
        self.engine
            .store()
            .read(move |tx| {
                let mut page = RecordPage { scope: scope.clone(), after: None, limit: PAGE };
                let (mut all, mut looked_at) = (Vec::new(), 0);
                loop {
                    let some = tx.records().list(&page)?;
                    looked_at += some.len();
                    let is_last = some.len() < PAGE;
                    page.after = some.last().map(|record| (record.created_at, record.id.clone()));
                    let fits = |record: &Record| !known.contains(&record.id) && filters.admit(record);
                    all.extend(some.into_iter().filter(fits).map(|record| SimilarRecord::of(record, 0.0)));
                    let is_enough = all.len() >= most || looked_at >= limits::SRE_LOOKED_AT_MAX;
                    if is_last || is_enough {
                        return Ok((all, !is_last));
                    }
                }
            })
            .await
    }

    /// Returns the records that conflict with found ones and were not found themselves.
    async fn sre_partners(
        &self,
        caller: &Principal,
        place: &TypeSearchScope<'_>,
        found: &[SimilarRecord],
    ) -> Result<Vec<Record>> {
        let is_found = |id: &RecordId| found.iter().any(|one| one.record.id == *id);
        let mut ids: Vec<RecordId> = Vec::new();
        for one in found {
            if let Some(id) = precedence::contradicted(&one.record)
                && !is_found(&id)
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let now = self.engine.now();
        let view =
            access::bound_view(self.engine.products(), caller, &place.memory.id, Capability::Read, now)?;
        let (memory, strategy) = (place.memory.id.clone(), place.strategy.id.clone());
        let reader = place.filters.reader.clone();
        self.engine
            .store()
            .read(move |tx| {
                let mut records = tx.records().get_many(&memory, &ids)?;
                let is_shown = |record: &Record| {
                    record.state == RecordState::Active
                        && record.strategy.as_ref() == Some(&strategy)
                        && !record.is_expired(now)
                        && view.admits(record)
                        && !reader.as_deref().is_some_and(|reader| is_hidden(record, reader))
                };
                records.retain(is_shown);
                Ok(records)
            })
            .await
    }
}

/// Returns the number of hits to reorder for a list of `wanted` results.
fn pool_of(asked: &SreRetrieve, wanted: usize) -> usize {
    if asked.filters_boost { wanted.clamp(POOL_OF_START_MIN, POOL) } else { POOL }
}

/// Returns the candidates per list: many if filters may exclude some, few for a start, and
/// otherwise the default.
fn lists_of(asked: &SreRetrieve, filters: &Filters, pool: usize) -> Option<ListLengths> {
    let few = pool * LISTS_OF_START;
    let of_start = asked.filters_boost.then_some(ListLengths { window: few, turn: few, dense: few });
    if filters.are_any() { Some(LISTS) } else { of_start }
}

fn states(asked: &SreRetrieve) -> Vec<RecordState> {
    let mut states = vec![RecordState::Active];
    if asked.include_superseded && asked.as_of.is_none() {
        states.push(RecordState::Superseded);
    }
    states
}
