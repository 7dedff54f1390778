//! Attributes of records as sets and sort orders of passages, for filters: kind, state, origin and
//! times. The rows in `records` hold the values. Removed passages stay until a compaction.

use loci_model::Timestamp;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};

use crate::columns::Columns;
use crate::columns::records::{RecordRow, Records};
use crate::filters::number_column::ordered_time;
use crate::filters::slices::Slices;
use crate::primitives::bits::Bits;
use crate::primitives::mask::Mask;

/// A time of a record that filters compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    /// The time at which the first version was created.
    Created,
    /// The time at which this version was created.
    Updated,
    /// The time since when the record is both stored and valid: the later of creation and
    /// `valid_from`.
    Since,
    /// The time until which the record is active and valid, exclusive: the earlier of `valid_to`
    /// and `known_to`.
    Until,
    /// The expiry time.
    Expires,
}

const TIMES: [Time; 5] = [Time::Created, Time::Updated, Time::Since, Time::Until, Time::Expires];

/// The sets and sort orders of all passages by attribute.
#[derive(Debug, Default)]
pub(crate) struct Facets {
    kinds: [Bits; RecordKind::ALL.len()],
    states: [Bits; RecordState::ALL.len()],
    by_batch: Bits,
    /// The passages of records that stopped being active at a known time.
    known: Bits,
    times: [Slices; TIMES.len()],
}

/// The facets, with the columns and records that they refer to.
#[derive(Clone, Copy)]
pub(crate) struct FacetReader<'a> {
    pub(crate) facets: &'a Facets,
    pub(crate) columns: &'a Columns,
    pub(crate) records: &'a Records,
}

impl Facets {
    /// Adds the passages of a record, which must be the newest ones.
    pub(crate) fn list(&mut self, passage: u32, columns: &Columns, records: &Records) {
        let row = records.row(columns.row(passage).record);
        for (sets, at) in
            [(&mut self.kinds[..], row.kind as usize), (&mut self.states[..], row.state as usize)]
        {
            if let Some(set) = sets.get_mut(at) {
                set.set(passage);
            }
        }
        match row.origin {
            RecordOrigin::Extracted => {}
            RecordOrigin::BatchCreated => self.by_batch.set(passage),
        }
        if row.times().known_to.is_some() {
            self.known.set(passage);
        }
        Slices::push_each(&mut self.times, &TIMES.map(|time| time_of(time, row)));
    }

    /// Rebuilds everything after passages were renumbered.
    pub(crate) fn rebuild(&mut self, columns: &Columns, records: &Records) {
        *self = Self::default();
        (0..columns.len() as u32).for_each(|passage| self.list(passage, columns, records));
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let sets = self.kinds.iter().chain(&self.states).chain([&self.by_batch, &self.known]);
        sets.map(Bits::bytes).sum::<usize>() + self.times.iter().map(Slices::bytes).sum::<usize>()
    }
}

impl FacetReader<'_> {
    /// Keeps passages with one of these kinds.
    pub(crate) fn keep_kinds(&self, mask: &mut Mask, kinds: &[RecordKind]) {
        keep_any(mask, kinds.iter().map(|kind| &self.facets.kinds[*kind as usize]));
    }

    /// Keeps passages in one of these states.
    pub(crate) fn keep_states(&self, mask: &mut Mask, states: &[RecordState]) {
        keep_any(mask, states.iter().map(|state| &self.facets.states[*state as usize]));
    }

    /// Removes passages of records with this origin.
    pub(crate) fn drop_origin(&self, mask: &mut Mask, origin: RecordOrigin) {
        match origin {
            RecordOrigin::BatchCreated => mask.drop_all(self.facets.by_batch.words()),
            RecordOrigin::Extracted => mask.keep(self.facets.by_batch.words()),
        }
    }

    /// Keeps passages of records that were active and valid at the time `then`: already stored, not
    /// superseded, and with a validity that includes `then`.
    pub(crate) fn keep_held(&self, mask: &mut Mask, then: Timestamp, active: &Bits) {
        mask.keep_either(active.words(), self.facets.known.words());
        self.keep_until(mask, Time::Since, then);
        self.keep_after(mask, Time::Until, then);
    }

    /// Keeps passages whose `time` is at or before `then`.
    pub(crate) fn keep_until(&self, mask: &mut Mask, time: Time, then: Timestamp) {
        self.keep_range(mask, time, Some((0, ordered_time(then.millis()))));
    }

    /// Keeps passages whose `time` is before `then`.
    pub(crate) fn keep_before(&self, mask: &mut Mask, time: Time, then: Timestamp) {
        self.keep_range(mask, time, ordered_time(then.millis()).checked_sub(1).map(|last| (0, last)));
    }

    /// Keeps passages whose `time` is after `then` or absent.
    pub(crate) fn keep_after(&self, mask: &mut Mask, time: Time, then: Timestamp) {
        let first = ordered_time(then.millis()).checked_add(1);
        self.keep_range(mask, time, first.map(|first| (first, u64::MAX)));
    }

    fn keep_range(&self, mask: &mut Mask, time: Time, range: Option<(u64, u64)>) {
        match (range, self.facets.times.get(time as usize)) {
            (Some(range), Some(slices)) => {
                let row = |place: usize| self.records.row(self.columns.row(place as u32).record);
                let number = |place| time_of(time, row(place));
                slices.narrow(mask.words_mut(), range, number);
            }
            (None, _) | (_, None) => mask.clear(),
        }
    }
}

/// Returns a time of a record as a number. An absent time becomes a number greater than all times,
/// but close to them, so that the sort order keeps its resolution.
fn time_of(time: Time, row: &RecordRow) -> u64 {
    let found = match time {
        Time::Created => Some(row.created_at),
        Time::Updated => Some(row.times().updated_at),
        Time::Since => Some(row.created_at.max(row.times().valid_from)),
        Time::Until => {
            let times = row.times();
            times.valid_to.into_iter().chain(times.known_to).min()
        }
        Time::Expires => row.times().expires_at,
    };
    found.map_or(ordered_time(Timestamp::LATEST.millis()) + 1, |time| ordered_time(time.millis()))
}

fn keep_any<'a>(mask: &mut Mask, mut sets: impl ExactSizeIterator<Item = &'a Bits>) {
    if sets.len() == 1
        && let Some(only) = sets.next()
    {
        return mask.keep(only.words());
    }
    let mut any = Mask::none(mask.words().len() * 64);
    sets.for_each(|set| any.add(set.words()));
    mask.keep(any.words());
}
