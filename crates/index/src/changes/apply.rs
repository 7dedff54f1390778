//! The changes that add, replace or remove a record. This module updates the speaker names. `link`
//! updates postings, sessions and sums.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::RecordId;

use crate::columns::groups::GroupKey;
use crate::columns::postings::Postings;
use crate::columns::records::{Passages, RecordRow, Since, Times, TurnPosition};
use crate::columns::{NONE, PassageRow};
use crate::input::{IndexPassage, IndexRecord};
use crate::memory_index::MemoryIndex;
use crate::primitives::compact_list::push_sparing;
use crate::primitives::compact_text::CompactText;
use crate::primitives::interner::Interner;

/// The minimum number of removed passages before a compaction.
const DEAD_MIN: usize = 1024;

/// The speaker names that a change affects, each with true if it was a known name before.
type AffectedNames = BTreeMap<u32, bool>;

impl MemoryIndex {
    /// Inserts a record, or replaces its former state. A state older than the current one or than
    /// its removal is ignored.
    ///
    /// The call does not change [`MemoryIndex::sequence`].
    pub fn apply(&mut self, mut record: IndexRecord) {
        let id = CompactText::new(record.record.as_str());
        let held = self.records.find(&id);
        let is_older = held.is_some_and(|held| self.records.row(held).sequence > record.sequence);
        if is_older || self.erased.get(&id).is_some_and(|erased_at| *erased_at >= record.sequence) {
            return;
        }
        let mut passages = std::mem::take(&mut record.passages);
        passages.sort_by_key(|passage| passage.part);
        passages.dedup_by_key(|passage| passage.part);
        let row = self.row_of(&record, id);
        let (group, path) = (row.group, row.path);
        let names: Vec<u32> = passages
            .iter()
            .map(|passage| prefix_of(passage).map_or(NONE, |name| self.names.intern(name)))
            .collect();
        self.put(row, &names, |index, number| {
            let named = passages.iter().zip(&names);
            named.map(|(passage, name)| index.enter_passage(passage, *name, number, group, path)).collect()
        });
    }

    /// Inserts the row of a record, or replaces the row of an older state. `names` are the speaker
    /// prefixes of the passages, [`NONE`] for passages without one. `enter` adds the passages of
    /// the record with a number, and returns their numbers.
    pub(crate) fn put(
        &mut self,
        row: RecordRow,
        names: &[u32],
        enter: impl FnOnce(&mut Self, u32) -> Vec<u32>,
    ) {
        let mut touched = AffectedNames::new();
        if !self.erased.is_empty() {
            self.erased.remove(&row.id);
        }
        let place = self.records.place(&row.id);
        if let Some(held) = place.held {
            self.forget(held, &mut touched);
        }
        let (group, talks, expires) = (row.group, row.is_linked(), row.times().expires_at);
        let number = self.records.put(row, place);
        if let Some(expires) = expires {
            self.expiring.insert((expires, number));
        }
        for name in names.iter().filter(|name| **name != NONE) {
            touched.entry(*name).or_insert_with(|| self.names.is_known(*name));
            if talks {
                self.names.carry(*name, group);
            }
        }
        self.settle_names(&touched);
        let passages = enter(self, number);
        self.records.set_passages(number, passages);
        self.link_record(number);
        self.compact_if_worth();
    }

    /// Removes a record, unless the index has a later state of the record. An earlier state that
    /// arrives afterwards is ignored.
    pub fn remove(&mut self, record: &RecordId, sequence: u64) {
        let id = CompactText::new(record.as_str());
        if let Some(held) = self.records.find(&id) {
            if self.records.row(held).sequence > sequence {
                return;
            }
            let mut touched = AffectedNames::new();
            self.forget(held, &mut touched);
            self.records.take(held);
            self.settle_names(&touched);
            self.compact_if_worth();
        }
        let erased_at = self.erased.entry(id).or_default();
        *erased_at = sequence.max(*erased_at);
    }

    /// Removes everything about a record except its row.
    fn forget(&mut self, record: u32, touched: &mut AffectedNames) {
        self.unlink_record(record);
        let row = self.records.row(record);
        let (group, talks) = (row.group, row.is_linked());
        for passage in row.passages {
            let name = self.columns.row(passage).name;
            if name != NONE {
                touched.entry(name).or_insert_with(|| self.names.is_known(name));
                if talks {
                    self.names.drop_carrier(name, group);
                }
            }
        }
        self.metadata.release(row.metadata);
        if let Some(expires) = row.times().expires_at {
            self.expiring.remove(&(expires, record));
        }
        self.records.set_passages(record, Vec::new());
    }

    fn row_of(&mut self, record: &IndexRecord, id: CompactText) -> RecordRow {
        let words = &mut self.words;
        let key = GroupKey {
            namespace: words.namespaces.intern(&record.namespace),
            strategy: number_of(&mut words.strategies, record.strategy.as_ref()),
            actor: number_of(&mut words.actors, record.actor.as_ref()),
            session: number_of(&mut words.sessions, record.session.as_ref()),
        };
        let branch = number_of(&mut words.branches, record.branch.as_ref());
        let (since, unusual_times) = Since::kept(times_of(record), record.position.time);
        let place = record.verbatim.then(|| Box::new(place_of(&mut words.runs, record)));
        let path = record.path.as_deref().map_or(NONE, |path| {
            let (vocabulary, postings) = (&mut self.vocabulary, &mut self.postings);
            let terms = || {
                loci_text::path_terms(path)
                    .iter()
                    .map(|term| term_number(vocabulary, postings, term))
                    .collect()
            };
            self.paths.intern(key.namespace, path, terms)
        });
        RecordRow {
            id,
            version: record.version,
            sequence: record.sequence,
            content: record.content,
            kind: record.kind,
            state: record.state,
            origin: record.origin,
            role: record.role,
            has_time: record.has_time,
            group: self.groups.intern(key, &self.words.namespaces),
            branch,
            metadata: self.metadata.hold(&record.metadata),
            path,
            place,
            time: record.position.time,
            created_at: record.created_at,
            since,
            unusual_times,
            passages: Passages::default(),
        }
    }

    fn enter_passage(
        &mut self,
        passage: &IndexPassage,
        name: u32,
        record: u32,
        group: u32,
        path: u32,
    ) -> u32 {
        let prefix = passage.analysis.prefix.as_ref();
        let (vocabulary, postings) = (&mut self.vocabulary, &mut self.postings);
        let path: Vec<u32> = self.paths.get(path).map(|file| file.terms.to_vec()).unwrap_or_default();
        let path_terms = path.len() as u32;
        let text = passage.analysis.terms.iter().map(|term| term_number(vocabulary, postings, term));
        let terms: Vec<u32> = path.into_iter().chain(text).collect();
        let prefix_terms = prefix.map_or(0, |prefix| prefix.terms.min(passage.analysis.terms.len()));
        let row = PassageRow {
            record,
            part: passage.part,
            name,
            start: 0,
            terms: 0,
            path_terms,
            prefix_terms: u16::try_from(prefix_terms).unwrap_or(u16::MAX),
            stripped: false,
            flags: passage.analysis.flags.0,
            stripped_flags: prefix.map_or(passage.analysis.flags.0, |prefix| prefix.flags.0),
            vector: passage.vector.as_ref().and_then(|vector| self.vectors.add(vector)),
        };
        self.enter_row(row, terms.into_iter(), group)
    }

    /// Adds a passage with its terms, and decides if its speaker prefix is left out.
    pub(crate) fn enter_row(
        &mut self,
        mut row: PassageRow,
        terms: impl Iterator<Item = u32>,
        group: u32,
    ) -> u32 {
        row.stripped = row.name != NONE && self.names.is_known(row.name);
        if row.name != NONE && !row.stripped {
            self.names.wait(row.name, row.record);
        }
        (row.start, row.terms) = self.columns.keep_terms(terms);
        self.columns.push(row, group)
    }

    /// Updates other records whose passages start with a name that became known or unknown.
    fn settle_names(&mut self, touched: &AffectedNames) {
        for (name, was_known) in touched {
            let is_known = self.names.is_known(*name);
            if is_known == *was_known {
                continue;
            }
            let records = if is_known { self.names.take_waiting(*name) } else { self.carriers(*name) };
            for record in records {
                let carries = |passage: u32| self.columns.row(passage).name == *name;
                if self.records.row(record).passages.iter().any(carries) {
                    self.read_again(record);
                }
            }
        }
    }

    /// Returns the records with a passage that starts with a name. It scans all passages, which is
    /// acceptable because names rarely become unknown.
    fn carriers(&self, name: u32) -> BTreeSet<u32> {
        let rows = self.live.iter().map(|passage| self.columns.row(passage));
        rows.filter(|row| row.name == name).map(|row| row.record).collect()
    }

    /// Gives the passages of a record new numbers, and leaves out or keeps their speaker prefixes
    /// by the names that are known now.
    fn read_again(&mut self, record: u32) {
        self.unlink_record(record);
        let group = self.records.row(record).group;
        let former = self.records.row(record).passages;
        let mut numbers = Vec::with_capacity(former.len());
        for passage in former {
            let mut row = *self.columns.row(passage);
            if row.name != NONE {
                row.stripped = self.names.is_known(row.name);
                self.names.wait(row.name, record);
            }
            numbers.push(self.columns.push(row, group));
        }
        self.records.set_passages(record, numbers);
        self.link_record(record);
    }

    pub(crate) fn compact_if_worth(&mut self) {
        if !self.bulk && self.dead > DEAD_MIN && self.dead * 2 > self.columns.len() {
            self.compact();
        }
    }
}

fn prefix_of(passage: &IndexPassage) -> Option<&str> {
    passage.analysis.prefix.as_ref().map(|prefix| prefix.name.as_str())
}

fn number_of(words: &mut Interner, text: Option<&impl AsRef<str>>) -> u32 {
    text.map_or(NONE, |text| words.intern(text.as_ref()))
}

fn place_of(runs: &mut Interner, record: &IndexRecord) -> TurnPosition {
    let position = &record.position;
    let run = position.run.as_ref().map(|(run, first)| {
        let number = runs.intern(run);
        Box::new((runs.shared(number), *first))
    });
    let event = CompactText::new(&position.event);
    TurnPosition { run, event, message: position.message, part: position.part }
}

fn times_of(record: &IndexRecord) -> Times {
    Times {
        created_at: record.created_at,
        updated_at: record.updated_at,
        valid_from: record.valid_from,
        valid_to: record.valid_to,
        known_to: record.known_to,
        expires_at: record.expires_at,
    }
}

fn term_number(vocabulary: &mut Interner, postings: &mut Vec<Postings>, term: &str) -> u32 {
    let number = vocabulary.intern(term);
    while postings.len() <= number as usize {
        push_sparing(postings, Postings::default());
    }
    number
}
