//! Links the passages of a record to postings, document frequencies, sessions, neighbours and the
//! sums of lengths. Unlinking is the exact inverse of linking.

use std::cmp::Ordering;

use crate::columns::chains::OWN;
use crate::columns::groups::Lengths;
use crate::columns::postings::for_each_distinct;
use crate::columns::records::{Passages, Records};
use crate::columns::{Columns, NONE};
use crate::memory_index::MemoryIndex;

impl MemoryIndex {
    /// Links the passages of a record, given by its row number.
    pub(crate) fn link_record(&mut self, record: u32) {
        let row = self.records.row(record);
        let (group, branch, path, active, shared) =
            (row.group, row.branch, row.path, row.is_active(), row.is_linked());
        let passages = row.passages;
        for passage in passages {
            self.list(passage, group, active);
        }
        if shared {
            let chain = self.chains.intern((group, branch));
            for passage in passages {
                self.enter_session(passage, chain);
            }
        } else {
            self.make_session(passages, record | OWN, group, active);
        }
        if active && path != NONE && !passages.is_empty() {
            self.paths.join(path, group);
        }
    }

    /// Reverts [`MemoryIndex::link_record`]. The numbers of the passages are then unused.
    pub(crate) fn unlink_record(&mut self, record: u32) {
        let row = self.records.row(record);
        let (group, path, active, shared) = (row.group, row.path, row.is_active(), row.is_linked());
        let passages = row.passages;
        if shared {
            for passage in passages {
                self.leave_session(passage);
            }
        } else {
            self.end_session(passages, group, active);
        }
        for passage in passages {
            self.strike(passage, group, active);
        }
        if active && path != NONE && !passages.is_empty() {
            self.paths.leave(path, group);
        }
    }

    fn list(&mut self, passage: u32, group: u32, active: bool) {
        self.live.set(passage);
        self.groups.join(group, passage);
        if active {
            self.active.set(passage);
            self.groups.add(group, &self.turn_lengths(passage));
        }
        if self.bulk {
            return;
        }
        self.facets.list(passage, &self.columns, &self.records);
        self.metadata.list(self.records.row(self.columns.row(passage).record).metadata, passage);
        if let Some(vector) = self.columns.row(passage).vector {
            self.vectors.give(vector, passage);
        }
        let postings = &mut self.postings;
        for_each_distinct(self.columns.terms(passage), |term, count| {
            if let Some(postings) = postings.get_mut(term as usize) {
                postings.push(passage, count);
                postings.live += 1;
                postings.active += u32::from(active);
            }
        });
    }

    fn strike(&mut self, passage: u32, group: u32, active: bool) {
        self.live.clear(passage);
        self.dead += 1;
        self.groups.leave(group);
        if active {
            self.active.clear(passage);
            self.groups.subtract(group, &self.turn_lengths(passage));
        }
        if self.bulk {
            return;
        }
        if let Some(vector) = self.columns.row(passage).vector {
            self.vectors.give(vector, NONE);
        }
        let postings = &mut self.postings;
        for_each_distinct(self.columns.terms(passage), |term, _| {
            if let Some(postings) = postings.get_mut(term as usize) {
                postings.live = postings.live.saturating_sub(1);
                postings.active = postings.active.saturating_sub(u32::from(active));
            }
        });
    }

    fn turn_lengths(&self, passage: u32) -> Lengths {
        Lengths { turns: 1, terms: u64::from(self.columns.sum([passage].into_iter())), ..Lengths::default() }
    }

    /// Links a record that forms a session of its own. It counts only if it is active.
    fn make_session(&mut self, passages: Passages, chain: u32, group: u32, active: bool) {
        for (left, right) in passages.iter().zip(passages.iter().skip(1)) {
            self.columns.join(left, right);
        }
        for passage in passages {
            if let Some(number) = self.columns.chain.get_mut(passage as usize) {
                *number = chain;
            }
        }
        let lengths = self.measure(passages);
        if active && !passages.is_empty() {
            self.groups.add(group, &Lengths { sessions: 1, ..lengths });
        }
    }

    fn end_session(&mut self, passages: Passages, group: u32, active: bool) {
        let lengths = self.measure(passages);
        if active && !passages.is_empty() {
            self.groups.subtract(group, &Lengths { sessions: 1, ..lengths });
        }
        for passage in passages {
            self.columns.join(NONE, passage);
            self.columns.join(passage, NONE);
        }
    }

    /// Inserts a passage between its neighbours in a session of several records. Only the windows
    /// from one passage before to two after it change.
    fn enter_session(&mut self, passage: u32, chain: u32) {
        let (records, columns) = (&self.records, &self.columns);
        let terms = columns.sum([passage].into_iter());
        let order = |member| in_session(records, columns, member, passage);
        let at = self.chains.insert(chain, passage, terms, order);
        let Some(session) = self.chains.get(chain) else { return };
        let (group, first) = (session.key.0, session.members.len() == 1);
        let member = |at: usize| session.members.get(at).copied();
        let around: Vec<u32> = [at.checked_sub(1).and_then(member), member(at + 1), member(at + 2)]
            .into_iter()
            .flatten()
            .collect();
        let (left, right) =
            (at.checked_sub(1).and_then(member).unwrap_or(NONE), member(at + 1).unwrap_or(NONE));
        if let Some(number) = self.columns.chain.get_mut(passage as usize) {
            *number = chain;
        }
        let before = self.measure(around.iter().copied());
        self.columns.join(left, passage);
        self.columns.join(passage, right);
        let mut after = self.measure(around.iter().copied());
        after.add(&self.measure([passage]));
        self.groups.add(group, &Lengths { sessions: u64::from(first), ..after });
        self.groups.subtract(group, &before);
    }

    fn leave_session(&mut self, passage: u32) {
        let chain = self.columns.chain[passage as usize];
        let (left, right) = (self.columns.before(passage), self.columns.after(passage));
        let behind = right.and_then(|right| self.columns.after(right));
        let around: Vec<u32> = [left, right, behind].into_iter().flatten().collect();
        let (records, columns) = (&self.records, &self.columns);
        let terms = columns.sum([passage].into_iter());
        let order = |member| in_session(records, columns, member, passage);
        self.chains.remove(chain, passage, terms, order);
        let Some(session) = self.chains.get(chain) else { return };
        let (group, last) = (session.key.0, session.members.is_empty());
        let mut before = self.measure(around.iter().copied());
        before.add(&self.measure([passage]));
        self.columns.join(left.unwrap_or(NONE), right.unwrap_or(NONE));
        self.columns.join(NONE, passage);
        self.columns.join(passage, NONE);
        let after = self.measure(around.iter().copied());
        self.groups.add(group, &after);
        self.groups.subtract(group, &Lengths { sessions: u64::from(last), ..before });
    }

    /// Counts the terms in the pairs and windows of passages with their current neighbours, and
    /// stores the window lengths.
    fn measure(&mut self, passages: impl IntoIterator<Item = u32>) -> Lengths {
        let mut lengths = Lengths::default();
        for passage in passages {
            lengths.pairs += u64::from(self.columns.sum(self.columns.pair(passage)));
            lengths.windows += u64::from(self.columns.reshape(passage));
        }
        lengths
    }
}

/// Compares the positions of two turns in a session. No two are equal, because records have
/// distinct ids and passages have distinct parts.
pub(crate) fn in_session(records: &Records, columns: &Columns, left: u32, right: u32) -> Ordering {
    let (a, b) = (columns.row(left), columns.row(right));
    let (x, y) = (records.row(a.record), records.row(b.record));
    x.in_session(y).then(a.part.cmp(&b.part)).then_with(|| x.id.cmp(&y.id))
}
