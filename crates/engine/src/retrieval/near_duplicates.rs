//! Finds near-duplicates among the hits of a search. A hit that repeats an earlier one is listed
//! under it and not separately.
//!
//! It is cautious: texts that differ in a number, a negation or a date stay separate, because a
//! reader must compare them. Documents never fold, because one passage is not the document.
//! Provisional records do not fold either: they are shown next to stored ones, and ranked by the
//! words of the query alone.

use loci_model::event::Role;
use loci_model::ports::search::Candidate;
use loci_model::record::{Record, RecordKind};
use loci_model::{MemoryId, RecordId, Result};
use loci_text::marks::{Marks, marks};
use loci_text::similarity::jaccard_ids;

use super::weights::NearDuplicate;
use crate::Engine;

/// The properties by which two hits are compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foldable<'a> {
    passage: (&'a RecordId, u32),
    /// The ids of the distinct terms, ascending.
    terms: Vec<u32>,
    marks: Marks,
    namespace: String,
    speaker: Option<&'a str>,
    role: Option<Role>,
    /// True if the hit is always listed separately.
    stands_alone: bool,
    has_vector: bool,
    text: String,
}

impl<'a> Foldable<'a> {
    /// Creates the properties of a hit from its best passage and its record. `is_provisional` is
    /// true for a message that is not extracted yet.
    pub(super) fn new(candidate: &'a Candidate, record: &Record, is_provisional: bool) -> Self {
        let mut terms = candidate.terms.clone();
        terms.sort_unstable();
        let stands_alone = is_provisional || record.kind == RecordKind::Document;
        let text = if stands_alone { String::new() } else { record.indexed().to_owned() };
        Self {
            passage: (&candidate.record, candidate.part),
            terms,
            marks: marks(&text),
            namespace: record.namespace.normal(),
            speaker: candidate.speaker.as_deref(),
            role: candidate.role,
            stands_alone,
            has_vector: candidate.dense.is_some(),
            text,
        }
    }

    /// Returns true if two hits are so similar in words, numbers and dates that only their
    /// vectors can distinguish them.
    fn reads_like(&self, other: &Self, jaccard_min: f32) -> bool {
        !self.stands_alone
            && !other.stands_alone
            && self.namespace == other.namespace
            && self.speaker == other.speaker
            && self.role == other.role
            && self.marks == other.marks
            && jaccard_ids(&self.terms, &other.terms) >= jaccard_min
    }
}

impl Engine {
    /// Returns the index of the first hit in `listed` that is a near-duplicate of a hit. Vectors
    /// are compared only for pairs that are similar in all other respects.
    pub(super) async fn fold_under(
        &self,
        memory: &MemoryId,
        hit: &Foldable<'_>,
        listed: &[Foldable<'_>],
        near: &NearDuplicate,
    ) -> Result<Option<usize>> {
        for (place, earlier) in listed.iter().enumerate() {
            if !hit.reads_like(earlier, near.jaccard) {
                continue;
            }
            let by_words_alone = !hit.has_vector || !earlier.has_vector || hit.text == earlier.text;
            if by_words_alone {
                return Ok(Some(place));
            }
            let cosine = self.store.search().alike(memory, hit.passage, earlier.passage).await?;
            if cosine.is_some_and(|cosine| cosine >= near.cosine) {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }
}
