//! Replacement of a record's vectors. Texts, neighbours and sums stay, so that embedding a memory
//! needs no second analysis of the texts. All other changes use `apply`.

use loci_model::RecordId;

use crate::columns::NONE;
use crate::input::StoredVector;
use crate::memory_index::MemoryIndex;
use crate::primitives::compact_text::CompactText;

impl MemoryIndex {
    /// Returns the [`crate::IndexRecord::content`] digest of a stored record.
    pub fn content(&self, record: &RecordId) -> Option<u64> {
        let held = self.records.find(&CompactText::new(record.as_str()))?;
        Some(self.records.row(held).content)
    }

    /// Replaces the vectors of a record, given by the number of the passage in the record. A
    /// passage that is not listed loses its vector. The call ignores an outdated sequence and an
    /// unknown record.
    ///
    /// The call does not change [`MemoryIndex::sequence`].
    pub fn attach(&mut self, record: &RecordId, sequence: u64, vectors: &[(u32, StoredVector)]) {
        let Some(held) = self.records.find(&CompactText::new(record.as_str())) else { return };
        let row = self.records.row(held);
        if row.sequence > sequence {
            return;
        }
        for passage in row.passages {
            let part = self.columns.row(passage).part;
            let vector = vectors.iter().find(|(of, _)| *of == part).map(|(_, vector)| vector);
            self.exchange_vector(passage, vector);
        }
        self.records.set_sequence(held, sequence);
        self.compact_if_worth();
    }

    fn exchange_vector(&mut self, passage: u32, vector: Option<&StoredVector>) {
        if let Some(former) = self.columns.row(passage).vector {
            self.vectors.give(former, NONE);
            self.dead += 1;
        }
        let place = vector.and_then(|vector| self.vectors.add(vector));
        if let Some(place) = place {
            self.vectors.give(place, passage);
        }
        self.columns.set_vector(passage, place);
    }
}
