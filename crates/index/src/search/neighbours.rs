//! Records that are similar to a new text, for consolidation. The similarity is the Jaccard index
//! of the sets of terms. The terms of a path and of a known speaker's prefix are left out on both
//! sides.

use std::collections::HashMap;

use loci_model::ports::search::{Neighbour, NeighbourRequest};
use loci_text::similarity::jaccard_ids;

use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;
use crate::search::dense::DenseQuestion;

/// The number of nearest passages by vector per requested record: a record may have several
/// passages, and in a large scope the list is approximate.
const NEAREST_PER_NEIGHBOUR: usize = 4;
const NEAREST_MIN: usize = 64;
/// The cost of reading a passage, in postings.
const PASSAGE_COST: usize = 24;

/// The most similar passage of a record.
#[derive(Clone, Copy)]
struct ClosestPassage {
    record: u32,
    jaccard: f32,
    cosine: Option<f32>,
}

impl MemoryIndex {
    /// Returns records of one strategy and namespace that are similar to a text. They are sorted by
    /// similarity (if a cosine is requested, by the greater of both), then by cosine, then newest
    /// first, then by id. For a record with several passages, the most similar one counts.
    pub fn neighbours(&self, request: &NeighbourRequest) -> Vec<Neighbour> {
        let scope = self.neighbourhood(request);
        let terms = self.terms_of(&request.text);
        let asked = request.vector.as_ref().and_then(|(vector, model)| self.asked(vector, model));
        let mut closest: HashMap<u32, ClosestPassage> = HashMap::new();
        let cosine_min = request.cosine_min.filter(|_| asked.is_some());
        let mut passages = self.sharing(&terms, &scope, request.jaccard_min);
        // A text with a similar meaning may share no word with it.
        if let Some(asked) = asked.as_ref().filter(|_| cosine_min.is_some()) {
            let wanted = request.limit.saturating_mul(NEAREST_PER_NEIGHBOUR).max(NEAREST_MIN);
            passages.extend(self.best_by_vector(asked, &scope, wanted));
            passages.sort_unstable();
            passages.dedup();
        }
        for passage in passages {
            let found = self.compare(passage, &terms, asked.as_ref());
            let means = cosine_min.is_some_and(|least| found.cosine.is_some_and(|cosine| cosine >= least));
            if found.jaccard < request.jaccard_min && !means {
                continue;
            }
            let best = closest.entry(found.record).or_insert(found);
            if (found.jaccard, found.cosine) > (best.jaccard, best.cosine) {
                *best = found;
            }
        }
        let mut closest: Vec<ClosestPassage> = closest.into_values().collect();
        closest.sort_by(|a, b| {
            let cosine = |of: &ClosestPassage| of.cosine.unwrap_or(f32::NEG_INFINITY);
            let likeness = |of: &ClosestPassage| match cosine_min {
                Some(_) => of.jaccard.max(cosine(of)),
                None => of.jaccard,
            };
            let alike = likeness(b).total_cmp(&likeness(a)).then(cosine(b).total_cmp(&cosine(a)));
            alike.then_with(|| self.records.newer_first(a.record, b.record))
        });
        closest.truncate(request.limit);
        let neighbour = |of: ClosestPassage| {
            let record = self.records.id(of.record)?;
            Some(Neighbour { record, jaccard: of.jaccard, cosine: of.cosine })
        };
        closest.into_iter().filter_map(neighbour).collect()
    }

    /// Returns the passages in the scope of the request.
    fn neighbourhood(&self, request: &NeighbourRequest) -> Bits {
        let seen = self.seen_groups(&request.scope);
        let asked = self.asked_groups(&request.scope, &seen);
        let strategy = request.strategy.as_ref().map(|wanted| wanted.as_str());
        let groups = self.groups_of(&asked, &request.namespace.normal(), strategy);
        self.passages_in(&request.scope, &groups).into_owned()
    }

    /// Returns the distinct terms of a text, ascending. Unknown terms get numbers beyond all
    /// others.
    fn terms_of(&self, text: &str) -> Vec<u32> {
        let mut analysis = loci_text::analyse_turn(text);
        if let Some(prefix) = analysis.prefix.take()
            && self.names.is_known_text(&prefix.name)
        {
            analysis.terms.drain(..prefix.terms.min(analysis.terms.len()));
        }
        analysis.terms.sort_unstable();
        analysis.terms.dedup();
        let mut unknown = u32::MAX;
        let mut number = |term: &String| {
            self.vocabulary.find(term).unwrap_or_else(|| {
                unknown -= 1;
                unknown
            })
        };
        let mut numbers: Vec<u32> = analysis.terms.iter().map(&mut number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// Returns the passages in scope that may reach the similarity, by common terms. Returns all of
    /// a small scope, and all of any scope if no minimum similarity is requested.
    fn sharing(&self, terms: &[u32], scope: &Bits, jaccard_min: f32) -> Vec<u32> {
        let lists = || terms.iter().filter_map(|term| self.postings.get(*term as usize));
        let postings: usize = lists().map(|list| list.len()).sum();
        if jaccard_min <= 0.0 || scope.count() * PASSAGE_COST <= postings {
            return scope.iter().collect();
        }
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for (passage, _) in lists().flat_map(|list| list.iter()).filter(|(passage, _)| scope.has(*passage)) {
            *shared.entry(passage).or_default() += 1;
        }
        // The union contains at least the requested terms, so passages with fewer common terms than
        // this share cannot reach the similarity.
        let least = jaccard_min * terms.len() as f32 - 0.5;
        shared.into_iter().filter(|(_, count)| *count as f32 >= least).map(|(passage, _)| passage).collect()
    }

    fn compare(&self, passage: u32, terms: &[u32], asked: Option<&DenseQuestion<'_>>) -> ClosestPassage {
        let mut own = self.columns.text_terms(passage).to_vec();
        own.sort_unstable();
        ClosestPassage {
            record: self.columns.row(passage).record,
            jaccard: jaccard_ids(&own, terms),
            cosine: asked.and_then(|asked| self.cosine(asked, passage)),
        }
    }
}
