//! How often a passage has the question's terms, alone and with what is around it (retrieval.md §4.1).

use std::collections::HashMap;

use loci_model::ports::search::ViewCounts;

use crate::bits::Bits;
use crate::chains::OWN;
use crate::memory_index::MemoryIndex;
use crate::statistics::{Counted, TermTable};

/// Counts of each session, by its number.
pub(crate) type SessionCounts = HashMap<u32, ViewCounts>;

impl MemoryIndex {
    /// Counts over some passages together.
    pub(crate) fn view(&self, table: &TermTable, passages: impl Iterator<Item = u32>) -> ViewCounts {
        let mut counts = ViewCounts { length: 0, tf: vec![0; table.numbers.len()] };
        for passage in passages {
            counts.length += self.columns.length[passage as usize];
            self.count_terms(passage, table, &mut counts.tf);
        }
        counts
    }

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

    /// Counts of the sessions of some passages: read from the sessions or from the postings, whichever is shorter.
    pub(crate) fn session_views(
        &self,
        table: &TermTable,
        counted: &Counted<'_>,
        passages: &[u32],
    ) -> SessionCounts {
        let mut sessions = SessionCounts::new();
        for passage in passages {
            let chain = self.columns.chain[*passage as usize];
            sessions.entry(chain).or_insert_with(|| self.empty_session(chain, table));
        }
        let to_read: u64 = sessions.values().map(|counts| u64::from(counts.length)).sum();
        let postings: usize = counted.lists.iter().map(|list| list.len()).sum();
        if to_read <= postings as u64 * 2 {
            for (chain, counts) in &mut sessions {
                for passage in self.session(*chain) {
                    self.count_terms(*passage, table, &mut counts.tf);
                }
            }
        } else {
            self.sessions_from_postings(counted, &mut sessions);
        }
        sessions
    }

    /// The passages of a session in order.
    pub(crate) fn session(&self, chain: u32) -> &[u32] {
        match self.chains.get(chain) {
            Some(shared) => &shared.members,
            None if chain & OWN != 0 => &self.records.row(chain & !OWN).passages,
            None => &[],
        }
    }

    fn empty_session(&self, chain: u32, table: &TermTable) -> ViewCounts {
        let terms = match self.chains.get(chain) {
            Some(shared) => u32::try_from(shared.terms).unwrap_or(u32::MAX),
            None => self.columns.sum(self.session(chain).iter().copied()),
        };
        ViewCounts { length: terms, tf: vec![0; table.numbers.len()] }
    }

    fn sessions_from_postings(&self, counted: &Counted<'_>, sessions: &mut SessionCounts) {
        // Most postings belong to no session of interest: two sets of bits say so faster than the map.
        let of = |own: bool| sessions.keys().filter(move |chain| (**chain & OWN != 0) == own);
        let (own, shared): (Bits, Bits) =
            (of(true).map(|chain| chain & !OWN).collect(), of(false).copied().collect());
        for (term, list) in counted.lists.iter().enumerate() {
            for (passage, count) in list.iter() {
                let chain = self.columns.chain[passage as usize];
                let wanted = if chain & OWN != 0 { own.has(chain & !OWN) } else { shared.has(chain) };
                if !wanted || !self.live.has(passage) {
                    continue;
                }
                if let Some(tf) = sessions.get_mut(&chain).and_then(|counts| counts.tf.get_mut(term)) {
                    *tf += u32::from(count);
                }
            }
        }
    }
}
