//! Bulk changes: the lists of passages by attribute (terms, times, metadata, vectors) are built
//! once at the end, with two threads. Updating postings for each passage would access scattered
//! memory for every term, and reallocate every list many times.

use std::thread;

use loci_model::{Error, Result};

use crate::columns::postings::Postings;
use crate::columns::{Columns, NONE};
use crate::memory_index::MemoryIndex;
use crate::primitives::bits::Bits;

impl MemoryIndex {
    /// Starts a bulk change. Until [`MemoryIndex::end_bulk`] those lists are not updated, and the
    /// index must not be queried.
    pub(crate) fn begin_bulk(&mut self) {
        self.bulk = true;
    }

    /// Builds the lists of all passages. The result equals that of single changes. After an error
    /// the index is unusable.
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

/// Returns an error for a thread that could not be created.
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

/// Passages with term counts, for all terms in one array.
struct Lists {
    /// By term: the number of passages, then the position of the next one.
    next: Vec<usize>,
    /// By term: the last passage with this term.
    last: Vec<u32>,
    entries: Vec<(u32, u16)>,
}

impl Lists {
    fn of_length(terms: usize) -> Self {
        Self { next: vec![0; terms], last: vec![NONE; terms], entries: Vec::new() }
    }

    /// True if a term occurs in a passage for the first time. Passages arrive in order.
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
