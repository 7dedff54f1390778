//! The records: one row each, found by id. Rows of records that are gone are used again.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use loci_model::event::Role;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{RecordId, Timestamp};

use crate::compact_text::CompactText;

/// Place of a turn in its session; the derived order is that of `loci_model::provenance::Position`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Run and first turn.
    pub(crate) run: Option<(Arc<str>, u64)>,
    /// When the event happened.
    pub(crate) time: Timestamp,
    /// The event.
    pub(crate) event: CompactText,
    /// Index into the payload.
    pub(crate) message: u32,
    /// Part of the message, then part of the record.
    pub(crate) part: (u32, u32),
}

/// Everything of a record that is not of one passage alone.
#[derive(Debug, Clone)]
pub(crate) struct RecordRow {
    /// Its id.
    pub(crate) id: CompactText,
    /// Its version.
    pub(crate) version: u32,
    /// The change it stands at.
    pub(crate) sequence: u64,
    /// What it is.
    pub(crate) kind: RecordKind,
    /// Where it stands.
    pub(crate) state: RecordState,
    /// How it came to be.
    pub(crate) origin: RecordOrigin,
    /// The role of the message it holds.
    pub(crate) role: Option<Role>,
    /// `time` says when it happened.
    pub(crate) has_time: bool,
    /// Its group.
    pub(crate) group: u32,
    /// Its branch.
    pub(crate) branch: u32,
    /// Its metadata, interned.
    pub(crate) metadata: u32,
    /// Its path, interned.
    pub(crate) path: u32,
    /// Its place in a conversation; `None` where it is a session of its own.
    pub(crate) place: Option<Box<Place>>,
    /// When it happened.
    pub(crate) time: Timestamp,
    /// When its first version was written.
    pub(crate) created_at: Timestamp,
    /// When this version was written.
    pub(crate) updated_at: Timestamp,
    /// True from here on.
    pub(crate) valid_from: Timestamp,
    /// True until just before here.
    pub(crate) valid_to: Option<Timestamp>,
    /// Until when it was held for active.
    pub(crate) known_to: Option<Timestamp>,
    /// When it vanishes.
    pub(crate) expires_at: Option<Timestamp>,
    /// Its passages, by part.
    pub(crate) passages: Box<[u32]>,
}

impl RecordRow {
    /// In force.
    pub(crate) fn is_active(&self) -> bool {
        self.state == RecordState::Active
    }

    /// A turn of a conversation that is in force: its session is shared. Any other record is a session of its own.
    pub(crate) fn is_linked(&self) -> bool {
        self.is_active() && self.place.is_some()
    }

    /// Held for true and active at `then`.
    pub(crate) fn held_at(&self, then: Timestamp) -> bool {
        let known = match self.known_to {
            Some(end) => then < end,
            None => self.is_active(),
        };
        known
            && self.created_at <= then
            && self.valid_from <= then
            && self.valid_to.is_none_or(|end| then < end)
    }
}

/// All records.
#[derive(Debug, Default)]
pub(crate) struct Records {
    rows: Vec<RecordRow>,
    free: Vec<u32>,
    by_id: HashMap<CompactText, u32>,
}

impl Records {
    /// The number of a record, where it is held.
    pub(crate) fn find(&self, id: &CompactText) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    /// The row of a record.
    pub(crate) fn row(&self, record: u32) -> &RecordRow {
        &self.rows[record as usize]
    }

    /// Names the passages of a record.
    pub(crate) fn set_passages(&mut self, record: u32, passages: Vec<u32>) {
        if let Some(row) = self.rows.get_mut(record as usize) {
            row.passages = passages.into();
        }
    }

    /// Puts a record in and tells its number, the same for the same id.
    pub(crate) fn put(&mut self, row: RecordRow) -> u32 {
        let number = self.find(&row.id).or_else(|| self.free.pop()).unwrap_or(self.rows.len() as u32);
        self.by_id.insert(row.id.clone(), number);
        match self.rows.get_mut(number as usize) {
            Some(slot) => *slot = row,
            None => self.rows.push(row),
        }
        number
    }

    /// Takes a record out.
    pub(crate) fn take(&mut self, record: u32) {
        if let Some(row) = self.rows.get_mut(record as usize)
            && self.by_id.remove(&row.id).is_some()
        {
            row.passages = Box::default();
            row.place = None;
            self.free.push(record);
        }
    }

    /// All numbers in use.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + '_ {
        self.by_id.values().copied()
    }

    /// The id of a record. Ids came in as [`RecordId`], so that the spelling always parses back.
    pub(crate) fn id(&self, record: u32) -> Option<RecordId> {
        RecordId::parse(self.row(record).id.spell().into_owned()).ok()
    }

    /// Newer records first, then by id.
    pub(crate) fn newer_first(&self, left: u32, right: u32) -> Ordering {
        let (a, b) = (self.row(left), self.row(right));
        b.time.cmp(&a.time).then_with(|| a.id.cmp(&b.id))
    }

    /// Renames the passages of all records.
    pub(crate) fn rename_passages(&mut self, renamed: &[u32]) {
        for row in &mut self.rows {
            for passage in &mut row.passages {
                *passage = renamed.get(*passage as usize).copied().unwrap_or(*passage);
            }
        }
    }

    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        let places = self.rows.iter().filter(|row| row.place.is_some()).count() * size_of::<Place>();
        self.rows.len() * (size_of::<RecordRow>() + 8) + self.by_id.len() * 40 + places
    }
}
