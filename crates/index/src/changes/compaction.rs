//! Compaction: it renumbers the passages without gaps, and frees the space of removed ones. No
//! search result changes.

use crate::columns::NONE;
use crate::memory_index::MemoryIndex;

impl MemoryIndex {
    /// Frees the space of removed passages. It runs automatically when more than half of the stored
    /// passages are removed.
    pub fn compact(&mut self) {
        let mut renamed = vec![NONE; self.columns.len()];
        for (new, old) in self.live.iter().enumerate() {
            if let Some(slot) = renamed.get_mut(old as usize) {
                *slot = new as u32;
            }
        }
        self.columns.compact(&renamed);
        self.records.rename_passages(&renamed);
        self.chains.rename(&renamed);
        self.groups.compact(&renamed);
        self.facets.rebuild(&self.columns, &self.records);
        let records = &mut self.records;
        self.metadata.compact(&renamed, |new| records.rename_metadata(new));
        for postings in &mut self.postings {
            postings.compact(&renamed);
        }
        let columns = &mut self.columns;
        self.vectors.compact(&renamed, |passage, row| columns.place_vector(passage, row));
        self.active = self.active.iter().filter_map(|old| renamed.get(old as usize).copied()).collect();
        self.live = (0..self.columns.len() as u32).collect();
        self.dead = 0;
    }
}
