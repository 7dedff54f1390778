//! A digest of everything that influences a search result: two indexes with equal digests give
//! equal results, whatever their internal numbers are. It reads the derived state (neighbours,
//! removed prefixes, sums, frequencies) and not the changes. Tests use it to compare an updated
//! index with a rebuilt one.

use loci_model::Timestamp;
use loci_model::event::Role;

use crate::columns::NONE;
use crate::columns::records::{RecordRow, TurnPosition};
use crate::memory_index::MemoryIndex;
use crate::primitives::interner::Interner;
use crate::primitives::stable_hash::Mix;

impl MemoryIndex {
    /// Returns the digest of the index. It scans the whole index.
    pub(crate) fn digest(&self) -> u64 {
        let terms: Vec<u64> =
            self.vocabulary.texts().map(|term| Mix::default().text(term).finish()).collect();
        let mut sum = 0u64;
        for record in self.records.numbers() {
            sum = sum.wrapping_add(self.record_digest(record, &terms));
        }
        for (term, postings) in terms.iter().zip(&self.postings).filter(|(_, postings)| postings.live > 0) {
            let mut mix = Mix::default();
            mix.number(*term).number(u64::from(postings.live)).number(u64::from(postings.active));
            sum = sum.wrapping_add(mix.finish());
        }
        for (group, held) in self.groups.all().iter().enumerate().filter(|(_, held)| held.live > 0) {
            let mut mix = Mix::default();
            self.mix_group(group as u32, &mut mix);
            let lengths = &held.lengths;
            for number in [lengths.turns, lengths.sessions, lengths.terms, lengths.pairs, lengths.windows] {
                mix.number(number);
            }
            sum = sum.wrapping_add(mix.finish());
        }
        for name in self.names.known(|_| true) {
            sum = sum.wrapping_add(Mix::default().text("known").text(&name).finish());
        }
        sum
    }

    fn record_digest(&self, record: u32, terms: &[u64]) -> u64 {
        let row = self.records.row(record);
        let mut mix = Mix::default();
        mix.text(&row.id.spell()).number(u64::from(row.version));
        self.mix_group(row.group, &mut mix);
        mix_word(&self.words.branches, row.branch, &mut mix);
        mix_row(row, &mut mix);
        mix.number(self.metadata.hash(row.metadata));
        if let Some(file) = self.paths.get(row.path) {
            mix.text(&file.path);
        }
        for passage in row.passages {
            self.mix_passage(passage, terms, &mut mix);
        }
        mix.finish()
    }

    fn mix_passage(&self, passage: u32, terms: &[u64], mix: &mut Mix) {
        let row = self.columns.row(passage);
        mix.number(u64::from(row.part)).number(u64::from(row.flags_now())).number(u64::from(row.stripped));
        if row.name != NONE {
            mix.text(self.names.text(row.name));
        }
        let (first, second) = self.columns.terms(passage);
        mix.number(first.len() as u64).number(second.len() as u64);
        for term in first.iter().chain(second) {
            mix.number(terms.get(*term as usize).copied().unwrap_or(0));
        }
        mix.number(u64::from(self.columns.sum(self.columns.window(passage))));
        mix.number(u64::from(self.position(passage, self.columns.chain[passage as usize])));
        for neighbour in [self.columns.before(passage), self.columns.after(passage)] {
            match neighbour.map(|neighbour| self.columns.row(neighbour)) {
                Some(other) => {
                    mix.text(&self.records.row(other.record).id.spell()).number(u64::from(other.part))
                }
                None => mix.number(0),
            };
        }
        self.mix_vector(row.vector, mix);
    }

    fn mix_vector(&self, vector: Option<(u16, u32)>, mix: &mut Mix) {
        let Some((space, row)) = vector.and_then(|(space, row)| Some((self.vectors.by_number(space)?, row)))
        else {
            mix.number(0);
            return;
        };
        mix.text(&space.model).number(space.dimensions as u64).number(u64::from(space.scale(row).to_bits()));
        for line in space.row(row) {
            mix.bytes(&line.0.map(i8::cast_unsigned));
        }
    }

    fn mix_group(&self, group: u32, mix: &mut Mix) {
        let Some(key) = self.groups.get(group).map(|group| group.key) else { return };
        mix_word(&self.words.namespaces, key.namespace, mix);
        mix_word(&self.words.strategies, key.strategy, mix);
        mix_word(&self.words.actors, key.actor, mix);
        mix_word(&self.words.sessions, key.session, mix);
    }
}

fn mix_word(words: &Interner, number: u32, mix: &mut Mix) {
    if number == NONE {
        mix.number(0);
    } else {
        mix.number(1).text(words.text(number));
    }
}

fn mix_row(row: &RecordRow, mix: &mut Mix) {
    let millis = |time: Timestamp| time.millis().cast_unsigned();
    mix.text(row.kind.as_str()).text(row.state.as_str()).text(row.origin.wire());
    mix.text(row.role.map_or("", Role::as_str)).number(u64::from(row.has_time));
    let times = row.times();
    for time in [row.time, times.created_at, times.updated_at, times.valid_from] {
        mix.number(millis(time));
    }
    for time in [times.valid_to, times.known_to, times.expires_at] {
        mix.maybe(time.map(millis));
    }
    if let Some(TurnPosition { run, event, message, part }) = row.place.as_deref() {
        let (run, first) = run.as_deref().map_or(("", 0), |(run, first)| (run, first.wrapping_add(1)));
        mix.text(run).number(first).number(millis(row.time)).text(&event.spell());
        mix.number(u64::from(*message)).number(u64::from(part.0)).number(u64::from(part.1));
    }
}
