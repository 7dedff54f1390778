//! `facts_search`: facts of one repository by words, meaning and filters, verified.

use std::collections::{BTreeSet, HashMap};

use loci_engine::memories::existing;
use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::{SearchAnswer, SearchRequest};
use loci_model::facts::fact::Fact;
use loci_model::facts::repository::Repository;
use loci_model::ports::search::ListLengths;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{RecordKind, RecordState};
use loci_model::warning::Degradation;
use loci_model::{Error, RecordId, Result, Timestamp};

use super::answers::{FactList, VerifyMode};
use crate::Verified;
use crate::facts::fact_record::{Remembered, join};
use crate::facts::origins::LearnedOn;
use crate::repositories::code_access::check_ref;
use crate::repositories::{VisibleRepository, find};
use crate::serving_policy::served_facts::FactReadOptions;
use loci_engine::calls::call_context::CallContext;

/// The maximum number of facts that one search returns.
const RESULTS_MAX: u32 = 100;
/// The number of matches that a filtered search reads.
const LOOKED_AT: u32 = 100;
/// The minimum length of each candidate list, and the lengths tried if too few of the candidates
/// are stored facts.
const LIST: usize = 200;
const LONGER_LISTS: [usize; 2] = [800, 3_200];
/// The page size of a listing by filters alone.
const PAGE: usize = 1_000;

/// Filters on facts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactFilters {
    /// Facts that cite this file or a file below this directory, under any name it had.
    pub path: Option<String>,
    /// Facts learned at this commit; a prefix is enough.
    pub commit: Option<String>,
    /// Facts stored by this principal or label.
    pub user: Option<String>,
    /// Facts in this state. The default is active.
    pub status: Option<RecordState>,
    /// Facts stored at or after this time.
    pub since: Option<Timestamp>,
    /// Facts stored before this time.
    pub until: Option<Timestamp>,
}

impl FactFilters {
    /// Returns true if no filter is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn admits(&self, fact: &Fact) -> bool {
        let source = &fact.detail.source;
        let path = |wanted: &String| {
            let wanted = wanted.trim_end_matches('/');
            let beneath = |path: &String| {
                path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            fact.paths().iter().any(beneath)
        };
        let commit = |wanted: &String| {
            source.commit.is_some_and(|commit| commit.to_string().starts_with(&wanted.to_ascii_lowercase()))
        };
        let user =
            |wanted: &String| source.principal == *wanted || source.created_by.as_ref() == Some(wanted);
        fact.status == self.status.unwrap_or(RecordState::Active)
            && !fact.proposed
            && self.path.as_ref().is_none_or(path)
            && self.commit.as_ref().is_none_or(commit)
            && self.user.as_ref().is_none_or(user)
            && self.since.is_none_or(|since| fact.created_at >= since)
            && self.until.is_none_or(|until| fact.created_at < until)
    }
}

/// A search for facts of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactSearch {
    /// The name of the repository whose facts are searched.
    pub repo: String,
    /// The question. `None` lists by the filters alone, most recently confirmed first.
    pub query: Option<String>,
    /// The filters that limit the facts.
    pub filters: FactFilters,
    /// The maximum number of facts, 1 to 100.
    pub limit: u32,
}

impl Verified {
    /// Returns facts that answer a question, best first.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `REF_NOT_FOUND`; `Invalid` without a question and without a filter.
    pub async fn facts_search(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: FactSearch,
        serving: FactReadOptions,
    ) -> Result<FactList> {
        serving.reference.as_deref().map_or(Ok(()), check_ref)?;
        let (repository, mut ranked, degraded) = self.found_searching(caller, standing, &asked).await?;
        let serving = self.at_revision(&repository, standing, &serving).await;
        let limit = asked.limit as usize;
        // Facts that a caller verified elsewhere were chosen by relevance alone, and are served in
        // that order.
        let is_ordered =
            asked.query.is_some() && serving.told.is_none() && serving.verify != VerifyMode::None;
        let mut abandoned = BTreeSet::new();
        let mut list = if is_ordered {
            let found = self.look_ranked(&repository, standing, &serving, ranked, limit).await?;
            let is_gone = |(_, learned): &&(Remembered, LearnedOn)| *learned == LearnedOn::GoneBranch;
            abandoned.extend(found.0.iter().filter(is_gone).map(|(fact, _)| fact.record.id.clone()));
            let facts = found.0.into_iter().map(|(fact, _)| fact).collect();
            self.serve_looked(caller, standing, &repository, facts, &serving, found.1).await?
        } else {
            ranked.truncate(limit);
            let facts = ranked.into_iter().map(|(fact, _)| fact).collect();
            self.serve(caller, standing, &repository, facts, &serving).await?
        };
        for view in &mut list.facts {
            view.is_source_abandoned = abandoned.contains(&view.remembered.record.id);
        }
        list.warnings.extend(degraded);
        Ok(list)
    }

    /// Returns the facts that answer, best first with their relevance, and the notes on the search.
    /// For a question it can return more facts than requested, because their origins change the
    /// order.
    pub(crate) async fn found_searching(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: &FactSearch,
    ) -> Result<(Repository, Vec<(Remembered, f32)>, Vec<String>)> {
        if !(1..=RESULTS_MAX).contains(&asked.limit) {
            return Err(Error::invalid("limit", format!("limit must be 1 to {RESULTS_MAX}")));
        }
        if asked.query.is_none() && asked.filters.is_empty() {
            return Err(Error::invalid("query", "give a query, or at least one filter"));
        }
        let memory = self.memory_of_repository(caller, standing, &asked.repo).await?;
        let (asking, name, place) = (caller.clone(), asked.repo.clone(), memory.clone());
        let found = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &place)?;
                find(tx, &asking, &place, &name, Capability::Read)
            })
            .await?;
        let Some(query) = &asked.query else {
            let listed = self.filtered(&found, asked).await?.into_iter();
            return Ok((found.repository, listed.map(|fact| (fact, 0.0)).collect(), Vec::new()));
        };
        let (ranked, degraded) = self.answering(caller, &found, query, asked).await?;
        Ok((found.repository, ranked, degraded))
    }

    async fn answering(
        &self,
        caller: &Principal,
        found: &VisibleRepository,
        query: &str,
        asked: &FactSearch,
    ) -> Result<(Vec<(Remembered, f32)>, Vec<String>)> {
        let memory = found.repository.memory.clone();
        let request = question(found, query, asked);
        let wanted = if asked.filters.is_empty() { asked.limit } else { request.top_k };
        let answer = self.search_stored(caller, request, wanted as usize).await?;
        let mut notes: Vec<String> =
            answer.notices.degraded.iter().map(|code| format!("DEGRADED: {}", code.code())).collect();
        notes.extend(answer.notices.warnings.iter().map(|code| code.code().to_owned()));
        let relevance: HashMap<RecordId, f32> =
            answer.hits.iter().map(|hit| (hit.record.id.clone(), hit.relevance)).collect();
        let ids: Vec<RecordId> = answer.hits.into_iter().map(|hit| hit.record.id).collect();
        let (view, repository) = (found.view.clone(), found.repository.id.clone());
        let filters = asked.filters.clone();
        let facts = self
            .engine
            .store()
            .read(move |tx| {
                let mut facts = tx.facts().get_many(&memory, &ids)?;
                facts.retain(|fact| fact.repository == repository && filters.admits(fact));
                join(tx, &memory, &view, facts)
            })
            .await?;
        let of = |fact: &Remembered| relevance.get(&fact.record.id).copied().unwrap_or_default();
        let ranked =
            facts.into_iter().map(|fact| (of(&fact), fact)).map(|(relevance, fact)| (fact, relevance));
        Ok((ranked.collect(), notes))
    }

    /// Searches with longer candidate lists, until there are enough facts or no further candidates.
    /// Proposals are excluded from the answer, but not from the candidate lists.
    async fn search_stored(
        &self,
        caller: &Principal,
        mut request: SearchRequest,
        wanted: usize,
    ) -> Result<SearchAnswer> {
        let first =
            self.engine.settings().candidates.map(|lists| lists.window.min(lists.turn).min(lists.dense));
        let mut length = first.unwrap_or(LIST);
        let mut longer = LONGER_LISTS.into_iter();
        loop {
            let mut answer = self.engine.search_unread(caller, request.clone()).await?;
            let statistics = &answer.statistics;
            let is_all = statistics.candidates as u64 >= statistics.passages_in_scope;
            if answer.hits.len() >= wanted || statistics.candidates < length || is_all {
                return Ok(answer);
            }
            let Some(next) = longer.next() else {
                answer.notices.degrade(Degradation::SearchCut);
                return Ok(answer);
            };
            length = next;
            request.lists = Some(ListLengths { window: length, turn: length, dense: length });
        }
    }

    async fn filtered(&self, found: &VisibleRepository, asked: &FactSearch) -> Result<Vec<Remembered>> {
        let (found, filters, limit) = (found.clone(), asked.filters.clone(), asked.limit as usize);
        self.engine
            .store()
            .read(move |tx| {
                let memory = &found.repository.memory;
                let (mut admitted, mut after) = (Vec::new(), None);
                loop {
                    let page = tx.facts().list(&FactPage {
                        memory: memory.clone(),
                        repository: found.repository.id.clone(),
                        statuses: vec![filters.status.unwrap_or(RecordState::Active)],
                        choice: FactChoice::Stored,
                        after,
                        limit: PAGE,
                    })?;
                    let is_last = page.len() < PAGE;
                    after = page.last().map(|fact| (fact.refreshed_at, fact.record.clone()));
                    admitted.extend(page.into_iter().filter(|fact| filters.admits(fact)));
                    if is_last || admitted.len() >= limit {
                        break;
                    }
                }
                admitted.truncate(limit);
                join(tx, memory, &found.view, admitted)
            })
            .await
    }
}

/// Returns the search for a question. It requests more facts than wanted, because their origins
/// change the order and filters exclude some.
fn question(found: &VisibleRepository, query: &str, asked: &FactSearch) -> SearchRequest {
    let top_k = if asked.filters.is_empty() { (asked.limit * 2).min(LOOKED_AT) } else { LOOKED_AT };
    SearchRequest {
        namespaces: vec![NamespaceAsk::Node(found.namespace.clone())],
        kinds: vec![RecordKind::Fact],
        states: asked.filters.status.into_iter().collect(),
        citing: Some(found.repository.id.clone()),
        include_system: true,
        ..SearchRequest::new(found.repository.memory.clone(), query.to_owned(), top_k)
    }
}
