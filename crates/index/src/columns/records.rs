//! The records: one row each, found by id. Rows of removed records are reused.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use loci_model::event::Role;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{RecordId, Result, Timestamp};

use crate::columns::NONE;
use crate::primitives::compact_list::push_sparing;
use crate::primitives::compact_text::CompactText;
use crate::primitives::interner::Interner;
use crate::primitives::number_table::NumberTable;
use crate::snapshot::bytes::{ByteReader, ByteWriter, code_of, damaged, of_code};

/// Roles by their code in a snapshot.
const ROLES: &[Option<Role>] =
    &[None, Some(Role::Assistant), Some(Role::User), Some(Role::Tool), Some(Role::Other)];

/// The position of a turn in its session, except its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnPosition {
    /// The client's run that the turn was written in, and the first sequence number of its event.
    pub(crate) run: Option<Box<(Arc<str>, u64)>>,
    /// The id of the turn's event.
    pub(crate) event: CompactText,
    /// The index of the message in the event.
    pub(crate) message: u32,
    /// The part of the message, then the part of the record.
    pub(crate) part: (u32, u32),
}

impl TurnPosition {
    fn run(&self) -> Option<&(Arc<str>, u64)> {
        self.run.as_deref()
    }

    /// Returns the sort key of turns with the same run and time.
    fn within(&self) -> (&CompactText, u32, (u32, u32)) {
        (&self.event, self.message, self.part)
    }

    fn load(from: &mut ByteReader<'_>, runs: &Interner) -> Result<Self> {
        let (run, first) = (from.u32()?, from.u64()?);
        if run != NONE && run >= runs.len() {
            return Err(damaged("a run that is not there"));
        }
        Ok(Self {
            run: (run != NONE).then(|| Box::new((runs.shared(run), first))),
            event: CompactText::load(from)?,
            message: from.u32()?,
            part: (from.u32()?, from.u32()?),
        })
    }
}

/// The times of a record, except the time of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    /// The time at which the first version was created.
    pub(crate) created_at: Timestamp,
    /// The time at which this version was created.
    pub(crate) updated_at: Timestamp,
    /// The start of the validity, inclusive.
    pub(crate) valid_from: Timestamp,
    /// The end of the validity, exclusive. `None` without an end.
    pub(crate) valid_to: Option<Timestamp>,
    /// The time at which the record stopped being active. `None` if it did not.
    pub(crate) known_to: Option<Timestamp>,
    /// The expiry time. `None` if the record does not expire.
    pub(crate) expires_at: Option<Timestamp>,
}

impl Times {
    /// Returns the times that most records have: one version, valid from the event or the creation,
    /// without an end.
    fn usual(valid_from: Timestamp, created_at: Timestamp) -> Self {
        Self {
            created_at,
            updated_at: created_at,
            valid_from,
            valid_to: None,
            known_to: None,
            expires_at: None,
        }
    }
}

/// The start of validity of a record whose times are usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// The validity starts at the time of the event.
    Happened,
    /// The validity starts at the creation of the record.
    Created,
}

impl Since {
    /// Returns the times in the form in which they are stored. `time` is that of the event. All
    /// times are stored only if they are unusual.
    pub(crate) fn kept(times: Times, time: Timestamp) -> (Self, Option<Box<Times>>) {
        if times == Times::usual(time, times.created_at) {
            (Self::Happened, None)
        } else if times == Times::usual(times.created_at, times.created_at) {
            (Self::Created, None)
        } else {
            (Self::Happened, Some(Box::new(times)))
        }
    }

    /// Returns all times of a record with usual ones.
    fn times(self, time: Timestamp, created_at: Timestamp) -> Times {
        match self {
            Self::Happened => Times::usual(time, created_at),
            Self::Created => Times::usual(created_at, created_at),
        }
    }
}

/// The passages of a record, which have contiguous numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Passages {
    first: u32,
    count: u32,
}

impl Passages {
    /// Returns passages from contiguous numbers.
    fn new(numbers: &[u32]) -> Self {
        Self { first: numbers.first().copied().unwrap_or(0), count: numbers.len() as u32 }
    }

    /// Returns the number of passages.
    pub(crate) fn len(self) -> usize {
        self.count as usize
    }

    /// True for a record without passages.
    pub(crate) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// Returns the numbers, ascending.
    pub(crate) fn iter(self) -> Range<u32> {
        self.first..self.first.saturating_add(self.count)
    }
}

impl IntoIterator for Passages {
    type Item = u32;
    type IntoIter = Range<u32>;

    fn into_iter(self) -> Range<u32> {
        self.iter()
    }
}

/// The attributes of a record that are not specific to one passage.
#[derive(Debug, Clone)]
pub(crate) struct RecordRow {
    /// The id of the record.
    pub(crate) id: CompactText,
    /// The version of the record.
    pub(crate) version: u32,
    /// The sequence number of its last change.
    pub(crate) sequence: u64,
    /// The digest of the record without its sequence and vectors.
    pub(crate) content: u64,
    /// The kind of the record.
    pub(crate) kind: RecordKind,
    /// The state of the record.
    pub(crate) state: RecordState,
    /// The origin of the record.
    pub(crate) origin: RecordOrigin,
    /// The role of the message that the record contains verbatim.
    pub(crate) role: Option<Role>,
    /// True if `time` is the time of an event.
    pub(crate) has_time: bool,
    /// The number of the record's group.
    pub(crate) group: u32,
    /// The number of the record's branch.
    pub(crate) branch: u32,
    /// The number of the record's metadata set.
    pub(crate) metadata: u32,
    /// The number of the file path that the record belongs to.
    pub(crate) path: u32,
    /// The position in a conversation. `None` if the record forms a session of its own.
    pub(crate) place: Option<Box<TurnPosition>>,
    /// The time of the record's event, or of its creation if `has_time` is false.
    pub(crate) time: Timestamp,
    /// The time at which the first version was created.
    pub(crate) created_at: Timestamp,
    /// The start of validity, if the times are usual.
    pub(crate) since: Since,
    /// All times of the record, if they are unusual.
    pub(crate) unusual_times: Option<Box<Times>>,
    /// The passages of the record, in order.
    pub(crate) passages: Passages,
}

/// The numbers that a snapshot uses for the texts of a record's row.
#[derive(Debug)]
pub(crate) struct RowNumbers {
    /// The number of the group.
    pub(crate) group: u32,
    /// The number of the branch.
    pub(crate) branch: u32,
    /// The number of the metadata set.
    pub(crate) metadata: u32,
    /// The number of the file path.
    pub(crate) path: u32,
    /// The number of the client's run.
    pub(crate) run: u32,
}

impl RecordRow {
    /// Returns the client's run that the record was written in.
    pub(crate) fn run(&self) -> Option<&str> {
        self.place.as_deref()?.run.as_deref().map(|(run, _)| &**run)
    }

    /// Returns all times of the record.
    pub(crate) fn times(&self) -> Times {
        let usual = || self.since.times(self.time, self.created_at);
        self.unusual_times.as_deref().copied().unwrap_or_else(usual)
    }

    /// Compares turns of one session, as `loci_model::provenance::Position` does.
    pub(crate) fn in_session(&self, other: &Self) -> Ordering {
        let (a, b) = (self.place.as_deref(), other.place.as_deref());
        let runs = a.and_then(TurnPosition::run).cmp(&b.and_then(TurnPosition::run));
        runs.then(self.time.cmp(&other.time))
            .then_with(|| a.map(TurnPosition::within).cmp(&b.map(TurnPosition::within)))
    }

    /// Writes everything except its passages to a snapshot.
    pub(crate) fn save(&self, numbers: &RowNumbers, out: &mut ByteWriter) {
        self.id.save(out);
        out.u32(self.version).u64(self.sequence).u64(self.content);
        out.u8(code_of(RecordKind::ALL, &self.kind)).u8(code_of(RecordState::ALL, &self.state));
        out.u8(code_of(RecordOrigin::ALL, &self.origin)).u8(code_of(ROLES, &self.role));
        out.u8(self.has_time.into());
        out.u32(numbers.group).u32(numbers.branch).u32(numbers.metadata).u32(numbers.path);
        let times = self.times();
        out.time(self.time).time(times.created_at).time(times.updated_at).time(times.valid_from);
        out.maybe_time(times.valid_to).maybe_time(times.known_to).maybe_time(times.expires_at);
        out.u8(self.place.is_some().into());
        if let Some(place) = &self.place {
            out.u32(numbers.run).u64(place.run.as_deref().map_or(0, |(_, first)| *first));
            place.event.save(out);
            out.u32(place.message).u32(place.part.0).u32(place.part.1);
        }
    }

    /// Reads a row written by [`RecordRow::save`]. The numbers are those of the snapshot, and not
    /// validated yet.
    pub(crate) fn load(from: &mut ByteReader<'_>, runs: &Interner) -> Result<Self> {
        let mut row = Self {
            id: CompactText::load(from)?,
            version: from.u32()?,
            sequence: from.u64()?,
            content: from.u64()?,
            kind: of_code(RecordKind::ALL, from.u8()?)?,
            state: of_code(RecordState::ALL, from.u8()?)?,
            origin: of_code(RecordOrigin::ALL, from.u8()?)?,
            role: of_code(ROLES, from.u8()?)?,
            has_time: from.flag()?,
            group: from.u32()?,
            branch: from.u32()?,
            metadata: from.u32()?,
            path: from.u32()?,
            time: from.time()?,
            created_at: from.time()?,
            since: Since::Happened,
            unusual_times: None,
            place: None,
            passages: Passages::default(),
        };
        let times = Times {
            created_at: row.created_at,
            updated_at: from.time()?,
            valid_from: from.time()?,
            valid_to: from.maybe_time()?,
            known_to: from.maybe_time()?,
            expires_at: from.maybe_time()?,
        };
        (row.since, row.unusual_times) = Since::kept(times, row.time);
        row.place = if from.flag()? { Some(Box::new(TurnPosition::load(from, runs)?)) } else { None };
        Ok(row)
    }

    /// Returns true if the record is active.
    pub(crate) fn is_active(&self) -> bool {
        self.state == RecordState::Active
    }

    /// Returns true for an active turn of a conversation, which shares its session with other
    /// records. Any other record forms a session of its own.
    pub(crate) fn is_linked(&self) -> bool {
        self.is_active() && self.place.is_some()
    }
}

/// The row number where a record is stored or would be stored. It is valid until the next change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordPlace {
    hash: u32,
    /// The row number of the record, if it is stored.
    pub(crate) held: Option<u32>,
}

/// All records.
#[derive(Debug, Default)]
pub(crate) struct Records {
    rows: Vec<RecordRow>,
    free: Vec<u32>,
    by_id: NumberTable,
}

impl Records {
    /// Returns the number of a record, if stored.
    pub(crate) fn find(&self, id: &CompactText) -> Option<u32> {
        self.place(id).held
    }

    /// Returns the row of a record.
    pub(crate) fn row(&self, record: u32) -> &RecordRow {
        &self.rows[record as usize]
    }

    /// Returns one more than the greatest assigned number.
    pub(crate) fn limit(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Returns the row of a number in use.
    pub(crate) fn held(&self, record: u32) -> Option<&RecordRow> {
        self.rows.get(record as usize).filter(|row| self.find(&row.id) == Some(record))
    }

    /// Sets the passages of a record.
    pub(crate) fn set_passages(&mut self, record: u32, passages: Vec<u32>) {
        if let Some(row) = self.rows.get_mut(record as usize) {
            row.passages = Passages::new(&passages);
        }
    }

    /// Sets the sequence number of a record.
    pub(crate) fn set_sequence(&mut self, record: u32, sequence: u64) {
        if let Some(row) = self.rows.get_mut(record as usize) {
            row.sequence = sequence;
        }
    }

    /// Returns the current or future slot of a record.
    pub(crate) fn place(&self, id: &CompactText) -> RecordPlace {
        let hash = self.by_id.hash(id);
        let is_it = |record: u32| self.rows.get(record as usize).is_some_and(|row| row.id == *id);
        RecordPlace { hash, held: self.by_id.find(hash, is_it) }
    }

    /// Stores a record in its slot, and returns its number, which is stable for an id.
    pub(crate) fn put(&mut self, row: RecordRow, place: RecordPlace) -> u32 {
        if let Some(number) = place.held {
            if let Some(slot) = self.rows.get_mut(number as usize) {
                *slot = row;
            }
            return number;
        }
        let number = self.free.pop().unwrap_or(self.rows.len() as u32);
        match self.rows.get_mut(number as usize) {
            Some(slot) => *slot = row,
            None => push_sparing(&mut self.rows, row),
        }
        self.by_id.insert(place.hash, number);
        number
    }

    /// Removes a record.
    pub(crate) fn take(&mut self, record: u32) {
        if self.held(record).is_none() {
            return;
        }
        if let Some(row) = self.rows.get_mut(record as usize) {
            self.by_id.remove(self.by_id.hash(&row.id), record);
            row.passages = Passages::default();
            row.place = None;
            row.unusual_times = None;
            self.free.push(record);
        }
    }

    /// Returns all numbers in use.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.limit()).filter(|record| self.held(*record).is_some())
    }

    /// Returns the id of a record. Only valid ids are stored, so parsing does not fail.
    pub(crate) fn id(&self, record: u32) -> Option<RecordId> {
        let id = &self.row(record).id;
        match id.number() {
            Some(number) => Some(RecordId::of_uuid(number)),
            None => RecordId::parse(id.spell().into_owned()).ok(),
        }
    }

    /// Orders newer records first, then by id.
    pub(crate) fn newer_first(&self, left: u32, right: u32) -> Ordering {
        let (a, b) = (self.row(left), self.row(right));
        b.time.cmp(&a.time).then_with(|| a.id.cmp(&b.id))
    }

    /// Renumbers the metadata of all records.
    pub(crate) fn rename_metadata(&mut self, new: &dyn Fn(u32) -> u32) {
        self.rows.iter_mut().for_each(|row| row.metadata = new(row.metadata));
    }

    /// Renumbers the passages of all records.
    pub(crate) fn rename_passages(&mut self, renamed: &[u32]) {
        for row in &mut self.rows {
            if let Some(first) = renamed.get(row.passages.first as usize).filter(|_| !row.passages.is_empty())
            {
                row.passages.first = *first;
            }
        }
    }

    /// Returns the memory use in bytes, including the overhead of the allocator.
    pub(crate) fn bytes(&self) -> usize {
        let of_row = |row: &RecordRow| {
            let place = row.place.as_deref().map_or(0, |place| {
                size_of::<TurnPosition>()
                    + 16
                    + place.run.as_ref().map_or(0, |_| size_of::<(Arc<str>, u64)>() + 16)
            });
            let times = row.unusual_times.as_ref().map_or(0, |_| size_of::<Times>() + 16);
            place + times
        };
        self.rows.iter().map(of_row).sum::<usize>()
            + self.rows.capacity() * size_of::<RecordRow>()
            + self.free.capacity() * size_of::<u32>()
            + self.by_id.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        let at = Timestamp::clamped;
        let usual = |valid_from| Times::usual(at(valid_from), at(7));
        let others = [
            Times { updated_at: at(8), ..usual(5) },
            Times { valid_to: Some(at(9)), ..usual(7) },
            Times { known_to: Some(at(9)), ..usual(5) },
            Times { expires_at: Some(at(9)), ..usual(5) },
            usual(6),
        ];
        for (times, kept_apart) in
            others.into_iter().map(|times| (times, true)).chain([(usual(5), false), (usual(7), false)])
        {
            let (since, kept) = Since::kept(times, at(5));
            assert_eq!(kept.is_some(), kept_apart, "{times:?}");
            assert_eq!(kept.map_or_else(|| since.times(at(5), at(7)), |kept| *kept), times);
        }
    }

    #[test]
    fn rows_are_small() {
        assert!(size_of::<RecordRow>() <= 112, "{}", size_of::<RecordRow>());
        assert!(size_of::<TurnPosition>() <= 48, "{}", size_of::<TurnPosition>());
    }
}
