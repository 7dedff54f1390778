//! Bulk changes. The lists of passages by attribute (terms, times, metadata, vectors) are built
//! once at the end, by two threads. Updating the postings for each passage would access scattered
//! memory, and reallocate every list many times.

use std::thread;

use loci_model::{Error, Result};

use crate::columns::postings::Postings;
use crate::columns::{Columns, NONE};
use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;

impl MemoryIndex {
    /// Starts a bulk change. Until [`MemoryIndex::end_bulk`] the lists by attribute are not
    /// updated, and the index must not be searched.
    pub(crate) fn begin_bulk(&mut self) {
        self.bulk = true;
    }

    /// Builds the lists by attribute for all passages. The index is then the same as after single
    /// changes. After an error the index is unusable.
    pub(crate) fn end_bulk(&mut self) -> Result<()> {
        self.bulk = false;
        let Self { columns, records, live, active, facets, metadata, vectors, vocabulary, .. } = self;
        let (columns, records, live, terms) = (&*columns, &*records, &*live, vocabulary.len() as usize);
        let others = || {
            facets.rebuild(columns, records);
            // Removed passages are included: contiguous numbers need less space and are read
            // faster.
            for passage in 0..columns.len() as u32 {
                let row = columns.row(passage);
                metadata.list(records.row(row.record).metadata, passage);
                if let Some(vector) = row.vector.filter(|_| live.has(passage)) {
                    vectors.give(vector, passage);
                }
            }
        };
        self.postings = thread::scope(|scope| {
            let spawned = thread::Builder::new().spawn_scoped(scope, others);
            spawned.map(|_| postings_of(columns, live, active, terms)).map_err(no_thread)
        })?;
        self.compact_if_worth();
        Ok(())
    }
}

/// Returns the error for a thread that could not be started.
pub(crate) fn no_thread(error: std::io::Error) -> Error {
    Error::unavailable("no thread to load the index with").caused_by(error)
}

fn postings_of(columns: &Columns, live: &Bits, active: &Bits, terms: usize) -> Vec<Postings> {
    let mut lists = Lists::of_length(terms);
    for passage in live.iter() {
        let (first, second) = columns.terms(passage);
        first.iter().chain(second).for_each(|term| lists.measure(*term, passage));
    }
    lists.lay_out();
    for passage in live.iter() {
        let (first, second) = columns.terms(passage);
        first.iter().chain(second).for_each(|term| lists.put(*term, passage));
    }
    lists.each().map(|list| Postings::of(list, |passage| active.has(passage))).collect()
}

/// The passages of each term with their counts, for all terms in one array.
struct Lists {
    /// For each term: first the number of its passages, then the position at which the next one is
    /// written.
    next: Vec<usize>,
    /// For each term: the last passage that contains it.
    last: Vec<u32>,
    entries: Vec<(u32, u16)>,
}

impl Lists {
    fn of_length(terms: usize) -> Self {
        Self { next: vec![0; terms], last: vec![NONE; terms], entries: Vec::new() }
    }

    /// Returns true if this is the first occurrence of the term in the passage. Passages must
    /// arrive in order.
    fn is_first(&mut self, term: u32, passage: u32) -> bool {
        let last = self.last.get_mut(term as usize);
        last.is_some_and(|last| std::mem::replace(last, passage) != passage)
    }

    fn measure(&mut self, term: u32, passage: u32) {
        if self.is_first(term, passage)
            && let Some(count) = self.next.get_mut(term as usize)
        {
            *count += 1;
        }
    }

    fn lay_out(&mut self) {
        let mut sum = 0;
        for count in &mut self.next {
            sum += std::mem::replace(count, sum);
        }
        self.entries.resize(sum, (NONE, 0));
        self.last.fill(NONE);
    }

    fn put(&mut self, term: u32, passage: u32) {
        let is_first = self.is_first(term, passage);
        let Some(next) = self.next.get_mut(term as usize) else { return };
        *next += usize::from(is_first);
        if let Some(entry) = next.checked_sub(1).and_then(|at| self.entries.get_mut(at)) {
            *entry = (passage, if is_first { 1 } else { entry.1.saturating_add(1) });
        }
    }

    /// Returns the lists by term.
    fn each(&self) -> impl Iterator<Item = &[(u32, u16)]> {
        let mut start = 0;
        self.next.iter().map(move |end| {
            let list = self.entries.get(start..*end).unwrap_or_default();
            start = *end;
            list
        })
    }
}
