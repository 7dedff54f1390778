//! The counts of the question's terms in a passage, alone and with its surroundings.

use std::borrow::Cow;
use std::collections::HashMap;

use loci_model::ports::search::{ViewCounts, Views};

use crate::columns::Columns;
use crate::columns::chains::OWN;
use crate::columns::postings::Postings;
use crate::columns::records::Passages;
use crate::memory_index::MemoryIndex;
use crate::search::marks::Marks;
use crate::search::statistics::TermTable;

/// The inputs of the counts of a request.
pub(crate) struct ViewCountInput<'a> {
    /// The passages.
    pub(crate) columns: &'a Columns,
    /// The terms of each passage.
    pub(crate) marks: &'a Marks,
    /// The postings that were marked.
    pub(crate) lists: &'a [Cow<'a, Postings>],
}

impl ViewCountInput<'_> {
    /// Returns zero counts.
    pub(crate) fn none(&self) -> ViewCounts {
        ViewCounts { length: 0, tf: vec![0; self.lists.len()] }
    }

    /// Returns the counts of a passage that is its own session: all views are equal.
    pub(crate) fn alone(&self, passage: u32) -> Views {
        let terms = self.lists.len();
        let mut tf = vec![0u32; 4 * terms];
        self.each(passage, |term, count| (0..4).for_each(|view| add(&mut tf, view * terms + term, count)));
        Views::flat([self.columns.length[passage as usize]; 4], tf)
    }

    /// Returns the counts of a passage in its session, whose counts are given.
    pub(crate) fn among(&self, passage: u32, session: Option<&ViewCounts>) -> Views {
        let terms = self.lists.len();
        let (mut lengths, mut tf) = ([0u32; 4], vec![0u32; 4 * terms]);
        for (at, place) in self.columns.places(passage).into_iter().enumerate() {
            let Some(place) = place else { continue };
            // The passage itself is third, and the previous one second; the window contains them
            // all.
            let first = match at {
                2 => 0,
                1 => 1,
                _ => 2,
            };
            let length = self.columns.length[place as usize];
            lengths.iter_mut().take(3).skip(first).for_each(|sum| *sum += length);
            self.each(place, |term, count| {
                (first..3).for_each(|view| add(&mut tf, view * terms + term, count));
            });
        }
        if let Some(session) = session {
            lengths[3] = session.length;
            tf.iter_mut().skip(3 * terms).zip(&session.tf).for_each(|(sum, count)| *sum = *count);
        }
        Views::flat(lengths, tf)
    }

    fn each(&self, passage: u32, each: impl FnMut(usize, u32)) {
        self.marks.each_count(self.lists, passage, each);
    }
}

#[inline]
fn add(counts: &mut [u32], at: usize, count: u32) {
    if let Some(sum) = counts.get_mut(at) {
        *sum += count;
    }
}

/// The counts of the sessions of a request's candidates, each computed once.
#[derive(Debug, Default)]
pub(crate) struct SessionCounts {
    by_chain: HashMap<u32, usize>,
    counts: Vec<ViewCounts>,
}

impl MemoryIndex {
    /// Returns the counts over the terms of a path.
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

    /// Returns the counts of the session of a passage.
    pub(crate) fn session_view<'a>(
        &self,
        counting: &ViewCountInput<'_>,
        sessions: &'a mut SessionCounts,
        chain: u32,
    ) -> Option<&'a ViewCounts> {
        let at = *sessions.by_chain.entry(chain).or_insert_with(|| {
            let mut counts = counting.none();
            counts.length = match self.chains.get(chain) {
                Some(shared) => u32::try_from(shared.terms).unwrap_or(u32::MAX),
                None => self.columns.sum(self.session(chain)),
            };
            let tf = &mut counts.tf;
            self.session(chain).for_each(|member| {
                counting.each(member, |term, count| add(tf, term, count));
            });
            sessions.counts.push(counts);
            sessions.counts.len() - 1
        });
        sessions.counts.get(at)
    }

    /// Returns the passages of a session in order.
    pub(crate) fn session(&self, chain: u32) -> impl Iterator<Item = u32> + '_ {
        let shared = self.chains.get(chain).map_or(&[][..], |shared| &shared.members);
        let own =
            if chain & OWN != 0 { self.records.row(chain & !OWN).passages } else { Passages::default() };
        shared.iter().copied().chain(own)
    }
}
