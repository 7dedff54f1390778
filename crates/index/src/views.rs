//! How often a passage has the question's terms, alone and with what is around it (retrieval.md §4.1).

use std::borrow::Cow;
use std::collections::HashMap;

use loci_model::ports::search::ViewCounts;

use crate::chains::OWN;
use crate::columns::Columns;
use crate::marks::Marks;
use crate::memory_index::MemoryIndex;
use crate::postings::Postings;
use crate::statistics::TermTable;

/// What the counts of a request are made of.
pub(crate) struct Counting<'a> {
    /// The passages.
    pub(crate) columns: &'a Columns,
    /// Which of them hold which term.
    pub(crate) marks: &'a Marks,
    /// The postings that were marked.
    pub(crate) lists: &'a [Cow<'a, Postings>],
}

impl Counting<'_> {
    /// Counts over some passages together.
    pub(crate) fn of(&self, passages: impl Iterator<Item = u32>) -> ViewCounts {
        let mut counts = ViewCounts { length: 0, tf: vec![0; self.lists.len()] };
        for passage in passages {
            counts.length += self.columns.length[passage as usize];
            self.add(passage, &mut counts);
        }
        counts
    }

    fn add(&self, passage: u32, counts: &mut ViewCounts) {
        self.marks.each_count(self.lists, passage, |term, count| {
            if let Some(tf) = counts.tf.get_mut(term) {
                *tf += count;
            }
        });
    }
}

/// The counts of the sessions of a request's candidates, each made once.
#[derive(Debug, Default)]
pub(crate) struct SessionCounts {
    by_chain: HashMap<u32, usize>,
    counts: Vec<ViewCounts>,
}

impl MemoryIndex {
    /// Counts over the terms of a path.
    pub(crate) fn path_view(&self, table: &TermTable, path: u32) -> Option<ViewCounts> {
        let file = self.paths.get(path)?;
        let mut counts = ViewCounts { length: file.terms.len() as u32, tf: vec![0; table.numbers.len()] };
        for at in file.terms.iter().filter_map(|term| table.find(*term)) {
            if let Some(count) = counts.tf.get_mut(at) {
                *count += 1;
            }
        }
        Some(counts)
    }

    /// Counts of the session of a passage.
    pub(crate) fn session_view<'a>(
        &self,
        counting: &Counting<'_>,
        sessions: &'a mut SessionCounts,
        chain: u32,
    ) -> Option<&'a ViewCounts> {
        let at = *sessions.by_chain.entry(chain).or_insert_with(|| {
            let mut counts = ViewCounts { length: 0, tf: vec![0; counting.lists.len()] };
            let members = self.session(chain);
            counts.length = match self.chains.get(chain) {
                Some(shared) => u32::try_from(shared.terms).unwrap_or(u32::MAX),
                None => self.columns.sum(members.iter().copied()),
            };
            members.iter().for_each(|member| counting.add(*member, &mut counts));
            sessions.counts.push(counts);
            sessions.counts.len() - 1
        });
        sessions.counts.get(at)
    }

    /// The passages of a session in order.
    pub(crate) fn session(&self, chain: u32) -> &[u32] {
        match self.chains.get(chain) {
            Some(shared) => &shared.members,
            None if chain & OWN != 0 => &self.records.row(chain & !OWN).passages,
            None => &[],
        }
    }
}
