//! The reads of a search in the middle of a task: each kind on its own, concurrently, within the
//! deadline. With a query, the engine's retrieval finds records and the filters reduce them;
//! without one, the filters alone select, the newest first.

use std::collections::BTreeMap;

use futures::future::join_all;
use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::Capability;
use loci_model::record::{Record, RecordKind};
use loci_model::{Namespace, Result, limits};

use super::super::candidate::Candidate;
use super::super::candidate_reads::{CandidateRecords, HydrationReads, KindRead};
use super::super::kind::HydrationKind;
use super::facets::{FacetReading, Facets};
use super::search_request::{RepositorySearch, SearchKind};
use crate::rules::rules_list::rules_of;

/// The maximum number of listing pages that are filtered.
const PAGES_MAX: usize = 20;

/// The reads of a search.
pub(super) struct SearchReads<'a> {
    pub(super) reading: &'a HydrationReads<'a>,
    pub(super) asked: &'a RepositorySearch,
}

impl SearchReads<'_> {
    /// Returns the records found, by hydration kind. Kinds that share a namespace are read
    /// together.
    pub(super) async fn all(&self, kinds: &[SearchKind]) -> BTreeMap<HydrationKind, KindRead> {
        let mut groups: BTreeMap<HydrationKind, Vec<SearchKind>> = BTreeMap::new();
        for kind in kinds {
            groups.entry(kind.shown_as()).or_default().push(*kind);
        }
        let reads = groups.iter().map(|(shown, kinds)| async move { (*shown, self.of(*shown, kinds).await) });
        join_all(reads).await.into_iter().collect()
    }

    async fn of(&self, shown: HydrationKind, kinds: &[SearchKind]) -> KindRead {
        let Some(path) = self.path(shown) else { return self.reading.of_nobody() };
        let at = path.clone();
        let work = async {
            let mut found = match self.asked.question() {
                Some(query) => self.answering(shown, kinds, path, query).await?,
                None => self.filtered(shown, kinds, path).await?,
            };
            if shown == HydrationKind::Preferences {
                found.candidates.retain(|one| self.reading.place.is_for(&one.record, &at));
            }
            self.reading.with_facts(found).await
        };
        let done = self.reading.deadline.read(work).await;
        let (read, facts) = self.reading.settled(shown, done);
        let read = self.reading.as_granted(shown, &at, read);
        self.reading.with_code(shown, read, facts).await
    }

    fn path(&self, shown: HydrationKind) -> Option<String> {
        let actor = &self.reading.place.actor;
        match shown {
            HydrationKind::Rules => Some(rules_of(actor.as_str())),
            HydrationKind::Knowledge => Some(format!("/{actor}/knowledge/")),
            HydrationKind::Episodes | HydrationKind::Reflections => Some(format!("/{actor}/episodes/")),
            HydrationKind::Preferences => self.reading.place.preferences.clone(),
        }
    }

    /// Returns the records that the engine's retrieval finds and the filters admit.
    async fn answering(
        &self,
        shown: HydrationKind,
        kinds: &[SearchKind],
        path: String,
        query: &str,
    ) -> Result<CandidateRecords> {
        let most = self.asked.most();
        let is_filtered = !self.asked.filters.is_empty();
        let usual = self.reading.coding.parts.settings.candidate_pool.max(most);
        // Filters reduce the results, so the largest possible pool is requested.
        let pool = if is_filtered { limits::TOP_K_MAX } else { usual.min(limits::TOP_K_MAX) };
        let mut found = self.reading.search(shown, path, records(kinds), query, pool).await?;
        let is_all = found.candidates.len() < pool as usize;
        found.candidates = self.admitted(found.candidates, kinds).await?;
        if is_filtered && !is_all && found.candidates.len() < most as usize {
            let shown = shown.as_str();
            found.warnings.push(format!(
                "SEARCH_CUT: of the {shown} the {pool} that answer best were compared with the filters; without a query all are"
            ));
        }
        Ok(found)
    }

    async fn admitted(&self, candidates: Vec<Candidate>, kinds: &[SearchKind]) -> Result<Vec<Candidate>> {
        let (filters, kinds) = (self.asked.filters.clone(), kinds.to_vec());
        let (memory, actor) = (self.reading.place.memory.clone(), self.reading.place.actor.clone());
        let read = self.reading.coding.engine.store().read(move |tx| {
            let records: Vec<Record> = candidates.iter().map(|one| one.record.clone()).collect();
            let facets = FacetReading::new(tx, (&memory, &actor), &filters).of(&records)?;
            let pairs = candidates.iter().zip(&facets);
            let admits = |(candidate, facets): &(&Candidate, &Facets)| {
                kinds.iter().any(|kind| filters.admit(*kind, &candidate.record, facets))
            };
            Ok(pairs.filter(admits).map(|(candidate, _)| candidate.clone()).collect())
        });
        read.await
    }

    /// Returns the newest records that the filters admit, twice the requested number, because later
    /// checks may remove some.
    async fn filtered(
        &self,
        shown: HydrationKind,
        kinds: &[SearchKind],
        path: String,
    ) -> Result<CandidateRecords> {
        let reading = self.reading;
        let (memory, actor) = (reading.place.memory.clone(), reading.place.actor.clone());
        let view = access::record_view(reading.caller, &memory, Capability::Read)?;
        let (ask, now) = (NamespaceAsk::Path(Namespace::parse(path)?), reading.coding.engine.now());
        let (filters, kinds, wanted) =
            (self.asked.filters.clone(), kinds.to_vec(), self.asked.most() as usize * 2);
        let read = reading.coding.engine.store().read(move |tx| {
            let memory = existing(tx, &memory)?;
            let (mut scope, _) = namespaces::scope(&memory, &view, std::slice::from_ref(&ask), now)?;
            scope.kinds = records(&kinds);
            let mut facets = FacetReading::new(tx, (&memory.id, &actor), &filters);
            let (mut admitted, mut after) = (Vec::new(), None);
            for _ in 0..PAGES_MAX {
                let limit = limits::HYDRATION_LISTED_MAX;
                let page = tx.records().list(&RecordPage { scope: scope.clone(), after, limit })?;
                let known = facets.of(&page)?;
                let is_last = page.len() < limit;
                after = page.last().map(|record| (record.created_at, record.id.clone()));
                let admits = |(record, facets): &(Record, Facets)| {
                    kinds.iter().any(|kind| filters.admit(*kind, record, facets))
                };
                admitted.extend(page.into_iter().zip(known).filter(admits).map(|(record, _)| record));
                if is_last || admitted.len() >= wanted {
                    return Ok((admitted, true));
                }
            }
            Ok((admitted, false))
        });
        let (admitted, is_all) = read.await?;
        let too_many = || format!("NOT_ALL_READ: of the {} only the newest were looked at", shown.as_str());
        Ok(CandidateRecords {
            candidates: admitted.into_iter().map(|record| Candidate::new(shown, record, 1.0)).collect(),
            facts: Vec::new(),
            warnings: (!is_all).then(too_many).into_iter().collect(),
        })
    }
}

/// Returns the record kinds of search kinds in one namespace. An empty list means all.
fn records(kinds: &[SearchKind]) -> Vec<RecordKind> {
    let mut records: Vec<RecordKind> = kinds.iter().flat_map(|kind| kind.records()).collect();
    records.dedup();
    records
}
