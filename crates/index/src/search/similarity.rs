//! The similarity of two passages in the index. The engine decides if they are duplicates.

use loci_model::RecordId;

use crate::memory_index::MemoryIndex;
use crate::primitives::compact_text::CompactText;

impl MemoryIndex {
    /// Returns the cosine of the vectors of two passages, each given by its record and its number
    /// in the record. `None` if a passage is unknown or has no vector, or if the vectors are of
    /// different models.
    pub fn alike(&self, first: (&RecordId, u32), second: (&RecordId, u32)) -> Option<f32> {
        let ((space, left), (other, right)) = (self.row_of_passage(first)?, self.row_of_passage(second)?);
        let space = self.vectors.by_number(space).filter(|_| space == other)?;
        Some(space.between(left, right))
    }

    /// Returns the vector space and the row of a passage.
    fn row_of_passage(&self, (record, part): (&RecordId, u32)) -> Option<(u16, u32)> {
        let held = self.records.find(&CompactText::new(record.as_str()))?;
        let rows = self.records.row(held).passages.iter().map(|passage| self.columns.row(passage));
        rows.filter(|row| row.part == part).find_map(|row| row.vector)
    }
}
