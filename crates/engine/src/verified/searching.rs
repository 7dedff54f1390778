//! `facts_search`: facts of one repository by words, meaning and filters, verified (verified-memory.md §12, mcp.md §7).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use loci_model::fact::Fact;
use loci_model::ports::code::CodeSource;
use loci_model::ports::store::{FactChoice, FactPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{RecordKind, RecordState};
use loci_model::repository::Repository;
use loci_model::{Error, RecordId, Result, Timestamp};

use super::answers::{FactList, VerifyMode};
use super::code_reading::{HEAD, check_ref, resolve};
use super::origins::{LearnedOn, learned_on};
use super::remembered::{Remembered, join};
use super::repositories::{Found, find};
use super::serving::Serving;
use super::standing::Standing;
use crate::Engine;
use crate::memories::existing;
use crate::records::NamespaceAsk;
use crate::retrieval::SearchRequest;

/// Facts that one search returns at most.
const RESULTS_MAX: u32 = 100;
/// Of a filtered search so many matches are looked at.
const LOOKED_AT: u32 = 100;
/// Of a listing by filters alone so many facts are looked at.
const LISTED: usize = 10_000;

/// How long a search looks for where facts were learned.
const ORIGINS_US_MAX: u64 = 25_000;

/// What must be so of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactFilters {
    /// It cites this file, or one beneath this directory, under any name it had.
    pub path: Option<String>,
    /// It was learned at this commit (its beginning is enough).
    pub commit: Option<String>,
    /// It was learned in this pull request.
    pub pr: Option<u64>,
    /// This principal, or label, stored it.
    pub user: Option<String>,
    /// It is in this state; otherwise active.
    pub status: Option<RecordState>,
    /// It was stored at or after this time.
    pub since: Option<Timestamp>,
    /// It was stored before this time.
    pub until: Option<Timestamp>,
}

impl FactFilters {
    /// True where nothing is asked for.
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
        let pr = |wanted: &u64| source.kind.as_deref() == Some(format!("pr:{wanted}").as_str());
        let user =
            |wanted: &String| source.principal == *wanted || source.created_by.as_ref() == Some(wanted);
        fact.status == self.status.unwrap_or(RecordState::Active)
            && !fact.proposed
            && self.path.as_ref().is_none_or(path)
            && self.commit.as_ref().is_none_or(commit)
            && self.pr.as_ref().is_none_or(pr)
            && self.user.as_ref().is_none_or(user)
            && self.since.is_none_or(|since| fact.created_at >= since)
            && self.until.is_none_or(|until| fact.created_at < until)
    }
}

/// A question about a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactSearch {
    /// The repository.
    pub repo: String,
    /// The question; `None`: the filters alone, confirmed last first.
    pub query: Option<String>,
    /// What must be so.
    pub filters: FactFilters,
    /// 1 to 100.
    pub limit: u32,
}

impl Engine {
    /// Facts that answer a question, best first.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `REF_NOT_FOUND`; `Invalid` without a question and without a filter.
    pub async fn facts_search(
        &self,
        caller: &Principal,
        standing: &Standing,
        asked: FactSearch,
        serving: Serving,
    ) -> Result<FactList> {
        serving.reference.as_deref().map_or(Ok(()), check_ref)?;
        let (repository, found, degraded) = self.found_searching(caller, standing, &asked, &serving).await?;
        let (mut facts, mut abandoned) = (Vec::new(), BTreeSet::new());
        for (fact, learned) in found {
            if learned == LearnedOn::GoneBranch {
                abandoned.insert(fact.record.id.clone());
            }
            facts.push(fact);
        }
        let mut list = self.serve(caller, standing, &repository, facts, &serving).await?;
        for view in &mut list.facts {
            view.is_source_abandoned = abandoned.contains(&view.remembered.record.id);
        }
        list.warnings.extend(degraded);
        Ok(list)
    }

    /// The facts that are looked at, and what to know of how they were found.
    pub(super) async fn found_searching(
        &self,
        caller: &Principal,
        standing: &Standing,
        asked: &FactSearch,
        serving: &Serving,
    ) -> Result<(Repository, Vec<(Remembered, LearnedOn)>, Vec<String>)> {
        if !(1..=RESULTS_MAX).contains(&asked.limit) {
            return Err(Error::invalid("limit", format!("limit must be 1 to {RESULTS_MAX}")));
        }
        if asked.query.is_none() && asked.filters.is_empty() {
            return Err(Error::invalid("query", "give a query, or at least one filter"));
        }
        let memory = self.code_memory(caller, standing).await?;
        let (asking, name, place) = (caller.clone(), asked.repo.clone(), memory.clone());
        let found = self
            .store
            .read(move |tx| {
                existing(tx, &place)?;
                find(tx, &asking, &place, &name, Capability::Read)
            })
            .await?;
        let Some(query) = &asked.query else {
            let listed = self.filtered(&found, asked).await?.into_iter();
            let facts = listed.map(|fact| (fact, LearnedOn::Elsewhere)).collect();
            return Ok((found.repository, facts, Vec::new()));
        };
        let (ranked, degraded) = self.answering(caller, &found, query, asked).await?;
        let mut facts = self.by_origin(&found.repository, standing, serving, ranked).await;
        facts.truncate(asked.limit as usize);
        Ok((found.repository, facts, degraded))
    }

    /// Ranked anew by where each was learned. Where the code cannot be read, or nothing of it is wanted, the order stays.
    async fn by_origin(
        &self,
        repository: &Repository,
        standing: &Standing,
        serving: &Serving,
        ranked: Vec<(Remembered, f32)>,
    ) -> Vec<(Remembered, LearnedOn)> {
        let sources: Vec<_> = ranked.iter().map(|(fact, _)| fact.fact.detail.source.clone()).collect();
        let name = serving.reference.clone().unwrap_or_else(|| HEAD.to_owned());
        let (default, clock) = (repository.default_ref.clone(), self.clock.clone());
        let work = move |source: &dyn CodeSource| {
            let tip = resolve(source, &name, default.as_deref())?;
            let default = source.default_branch()?.map(|(_, tip)| tip);
            let until_us = clock.monotonic_us() + ORIGINS_US_MAX;
            Ok(learned_on(source, &tip, default, &sources, &|| clock.monotonic_us() > until_us))
        };
        let learned = match serving.verify {
            // What is looked at elsewhere was chosen without this order, and is served in the same.
            _ if serving.told.is_some() => Vec::new(),
            VerifyMode::None => Vec::new(),
            VerifyMode::Cached | VerifyMode::Fresh => {
                self.on_code(repository, standing, Arc::new(work)).await.unwrap_or_default()
            }
        };
        let learned = learned.into_iter().chain(std::iter::repeat(LearnedOn::Elsewhere));
        let mut facts: Vec<_> = ranked.into_iter().zip(learned).collect();
        // Stable: what counts the same stays as the search ranked it.
        facts.sort_by(|((_, a), of_a), ((_, b), of_b)| (b * of_b.weight()).total_cmp(&(a * of_a.weight())));
        facts.into_iter().map(|((fact, _), learned)| (fact, learned)).collect()
    }

    async fn answering(
        &self,
        caller: &Principal,
        found: &Found,
        query: &str,
        asked: &FactSearch,
    ) -> Result<(Vec<(Remembered, f32)>, Vec<String>)> {
        let is_filtered = !asked.filters.is_empty();
        let memory = found.repository.memory.clone();
        let answer = self
            .search(
                caller,
                SearchRequest {
                    memory: memory.clone(),
                    query: query.to_owned(),
                    namespaces: vec![NamespaceAsk::Node(found.namespace.clone())],
                    strategy: None,
                    metadata: Vec::new(),
                    kinds: vec![RecordKind::Fact],
                    states: asked.filters.status.into_iter().collect(),
                    as_of: None,
                    top_k: if is_filtered { LOOKED_AT } else { (asked.limit * 2).min(LOOKED_AT) },
                    fold: false,
                    budget_tokens: None,
                    relevance_min: None,
                    explain: false,
                    lists: None,
                },
            )
            .await?;
        let mut notes: Vec<String> =
            answer.notices.degraded.iter().map(|code| format!("DEGRADED: {}", code.code())).collect();
        notes.extend(answer.notices.warnings.iter().map(|code| code.code().to_owned()));
        let relevance: HashMap<RecordId, f32> =
            answer.hits.iter().map(|hit| (hit.record.id.clone(), hit.relevance)).collect();
        let ids: Vec<RecordId> = answer.hits.into_iter().map(|hit| hit.record.id).collect();
        let (view, repository) = (found.view.clone(), found.repository.id.clone());
        let filters = asked.filters.clone();
        let facts = self
            .store
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

    async fn filtered(&self, found: &Found, asked: &FactSearch) -> Result<Vec<Remembered>> {
        let (found, filters, limit) = (found.clone(), asked.filters.clone(), asked.limit as usize);
        self.store
            .read(move |tx| {
                let memory = &found.repository.memory;
                let mut facts = tx.facts().list(&FactPage {
                    memory: memory.clone(),
                    repository: found.repository.id.clone(),
                    statuses: vec![filters.status.unwrap_or(RecordState::Active)],
                    choice: FactChoice::Stored,
                    after: None,
                    limit: LISTED,
                })?;
                facts.retain(|fact| filters.admits(fact));
                facts.truncate(limit);
                join(tx, memory, &found.view, facts)
            })
            .await
    }
}
