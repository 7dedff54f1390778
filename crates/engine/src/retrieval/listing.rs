//! Converts ranked passages to hits: reads the records in the order of the list, omits those that
//! the caller may no longer read, folds near-duplicates, and stops at `top_k`.
//!
//! Folding reaches only to the end of the response: a near-duplicate after the last hit is not
//! listed.

use loci_model::ports::store::StoreExt;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::{RecordId, Result};

use super::calibration::relevance;
use super::near_duplicates::Foldable;
use super::provisional::Provisional;
use super::query::ParsedQuery;
use super::ranking::Ranked;
use super::search_additions::SearchAdditions;
use super::signals::SIGNALS;
use super::weights::Weights;
use super::{Hit, SearchRequest, SignalValue};
use crate::Engine;
use crate::access::View;
use crate::document_text::areas::is_always_loaded;

/// The data of a search from which its list of hits is made.
#[derive(Clone, Copy)]
pub(super) struct Listing<'a> {
    pub(super) request: &'a SearchRequest,
    pub(super) scope: &'a RecordScope,
    pub(super) view: &'a View,
    pub(super) weights: &'a Weights,
    pub(super) asked: &'a ParsedQuery,
    /// Messages that are not extracted yet, as records that are not stored.
    pub(super) provisional: &'a Provisional,
    /// Additions by the operation that calls the search, if any.
    pub(super) within: Option<&'a SearchAdditions<'a>>,
}

impl Engine {
    /// Returns the hits, best first. `ranked` contains each record at most once.
    pub(super) async fn list_hits<'a>(
        &self,
        listing: &Listing<'_>,
        ranked: impl Iterator<Item = Ranked<'a>> + Send,
    ) -> Result<Vec<Hit>> {
        let wanted = usize::try_from(listing.request.top_k).unwrap_or(usize::MAX);
        let wanted = listing.within.map_or(wanted, |within| within.most);
        let mut hits: Vec<Hit> = Vec::new();
        let mut listed: Vec<Foldable<'_>> = Vec::new();
        let mut ranked = ranked.filter(|ranked| listing.is_relevant(ranked));
        loop {
            let some: Vec<_> = ranked.by_ref().take(wanted.max(1)).collect();
            if some.is_empty() {
                return Ok(hits);
            }
            for (ranked, record) in self.read_records(listing, &some).await? {
                if hits.len() >= wanted {
                    return Ok(hits);
                }
                let hit = listing.hit(&ranked, record);
                if !listing.request.fold {
                    hits.push(hit);
                    continue;
                }
                let foldable = Foldable::new(ranked.candidate, &hit.record, hit.provisional);
                let near = &listing.weights.near_duplicate;
                let memory = &listing.scope.memory;
                let place = self.fold_under(memory, &foldable, &listed, near).await?;
                match place.and_then(|place| hits.get_mut(place)) {
                    Some(first) => {
                        first.time = first.time.max(hit.time);
                        first.folded.push(hit.record.id);
                    }
                    None => {
                        hits.push(hit);
                        listed.push(foldable);
                    }
                }
            }
        }
    }

    /// Reads the records of some passages, in the order of the list, without records that the
    /// caller may no longer read.
    async fn read_records<'a>(
        &self,
        listing: &Listing<'_>,
        some: &[Ranked<'a>],
    ) -> Result<Vec<(Ranked<'a>, Record)>> {
        let memory = listing.scope.memory.clone();
        let waiting = &listing.provisional.records;
        let ids = some.iter().map(|ranked| &ranked.candidate.record);
        let ids: Vec<RecordId> = ids.filter(|id| !waiting.contains_key(id)).cloned().collect();
        let as_of = listing.scope.as_of;
        let records = self
            .store
            .read(move |tx| match as_of {
                None => tx.records().get_many(&memory, &ids),
                Some(then) => {
                    // A record that is held now is not returned from the past either.
                    let now = tx.records().get_many(&memory, &ids)?;
                    let held = |id: &&RecordId| {
                        now.iter().any(|record| record.id == **id && record.state == RecordState::Quarantined)
                    };
                    let served = ids.iter().filter(|id| !held(id));
                    let known = served.map(|id| tx.records().known_at(&memory, id, then));
                    Ok(known.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
                }
            })
            .await?;
        let mut records = records.into_iter().peekable();
        let mut found = Vec::with_capacity(some.len());
        for ranked in some {
            let record = match waiting.get(&ranked.candidate.record) {
                Some(record) => Some(record.clone()),
                None => records.next_if(|record| record.id == ranked.candidate.record),
            };
            if let Some(record) = record
                && listing.may_show(&record)
            {
                found.push((*ranked, record));
            }
        }
        Ok(found)
    }
}

impl Listing<'_> {
    fn is_relevant(&self, ranked: &Ranked<'_>) -> bool {
        self.request.relevance_min.is_none_or(|least| self.relevance(ranked) >= least)
    }

    fn relevance(&self, ranked: &Ranked<'_>) -> f32 {
        relevance(&self.weights.calibration, ranked.score, self.asked.vector.is_some())
    }

    /// Returns true if the caller may see the stored record. The index may be outdated, and it
    /// knows only the active version.
    fn may_show(&self, record: &Record) -> bool {
        let scope = self.scope;
        let standing = match scope.as_of {
            None => scope.states.contains(&record.state),
            Some(_) => record.state == RecordState::Active,
        };
        standing
            && record.state != RecordState::Erased
            && self.view.admits(record)
            && self.cites(record)
            && SearchAdditions::admits(self.within, record)
            && (self.request.include_system || !is_always_loaded(record))
            && (!record.is_expired(scope.now) || scope.states.contains(&RecordState::Expired))
            && scope.asks_for(&record.namespace.normal(), record.strategy.as_ref())
            && scope.metadata.iter().all(|filter| filter.admits(record.metadata_value(&filter.key).as_ref()))
    }

    /// Returns true if the record is a stored fact with citations of the requested repository, or
    /// if the request names no repository.
    fn cites(&self, record: &Record) -> bool {
        let wanted = self.request.citing.as_ref();
        wanted.is_none_or(|wanted| record.citations.as_deref() == Some(wanted.as_str()))
    }

    fn hit(&self, ranked: &Ranked<'_>, record: Record) -> Hit {
        let explanation = if self.request.explain { self.explanation(ranked) } else { Vec::new() };
        Hit {
            part: ranked.candidate.part,
            score: ranked.score as f32,
            relevance: self.relevance(ranked),
            time: record.timestamp,
            folded: Vec::new(),
            explanation,
            provisional: self.provisional.records.contains_key(&record.id),
            record,
        }
    }

    fn explanation(&self, ranked: &Ranked<'_>) -> Vec<SignalValue> {
        let terms = SIGNALS.iter().zip(ranked.values).zip(self.weights.signals);
        let term = |((signal, value), weight): ((&super::signals::Signal, f32), f64)| SignalValue {
            name: signal.name,
            value,
            weight: weight as f32,
            contribution: (weight * f64::from(value)) as f32,
        };
        let mut terms: Vec<SignalValue> = terms.map(term).collect();
        let offset = self.weights.calibration.offset_without_vectors as f32;
        if self.asked.vector.is_some() && self.provisional.records.contains_key(&ranked.candidate.record) {
            // This offset replaces the two terms that need a vector.
            terms.push(SignalValue { name: "no_vector", value: 1.0, weight: offset, contribution: offset });
        }
        terms
    }
}
