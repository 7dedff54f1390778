//! Near-duplicates: a hit that says what an earlier one says folds under it.
//!
//! Cautious: texts that differ in a number, a negation or a date are what a reader needs side by side. Files never fold: one
//! passage is not the file. Nor does what is not stored yet: it is shown beside what is, and is counted by the words of the question alone.

use loci_model::event::Role;
use loci_model::ports::search::Candidate;
use loci_model::record::{Record, RecordKind};
use loci_model::{MemoryId, RecordId, Result};
use loci_text::marks::{Marks, marks};
use loci_text::similarity::jaccard_ids;

use super::weights::NearDuplicate;
use crate::Engine;

/// What folding compares of a hit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foldable<'a> {
    passage: (&'a RecordId, u32),
    /// Ascending.
    terms: Vec<u32>,
    marks: Marks,
    namespace: String,
    speaker: Option<&'a str>,
    role: Option<Role>,
    /// One of those that never fold.
    stands_alone: bool,
    has_vector: bool,
    text: String,
}

impl<'a> Foldable<'a> {
    /// A hit: its best passage, the record, and whether that is provisional.
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

    /// True when nothing but the vectors can tell the two apart.
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
    /// The place of the first of `listed` that says the same. The index is asked for the cosines of the few pairs that
    /// everything else calls alike.
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
