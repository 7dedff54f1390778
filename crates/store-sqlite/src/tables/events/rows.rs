//! Maps events to rows and back.

use std::collections::BTreeMap;

use loci_model::event::{Branch, Event};
use loci_model::{ActorId, MemoryId, Result, SessionId};
use loci_store_kit::row_readers::{self, EventOf};
use rusqlite::Row;

use crate::columns::Columns;
use crate::errors::damaged;
use crate::tx::{Column, SqlTx, unsigned};

/// The bits of an event's row number for its position in the order of arrival.
pub(crate) const ARRIVAL_BITS: u32 = 40;

/// Returns the row number of an event.
pub(crate) fn row_number(memory: i64, arrival: u64) -> i64 {
    memory << ARRIVAL_BITS | crate::tx::signed(arrival)
}

/// The columns that [`EventReader`] reads, of `events e`, before those of [`PAYLOAD`].
pub(crate) const COLUMNS: &str =
    "e.num, e.id, e.br, e.hidden, e.extract, e.expires, e.time, e.arrived, e.meta, e.more";
/// The number of these columns: the index of additional ones.
pub(crate) const PAYLOAD_AT: usize = 10;
/// The index of the first column shared by both stores.
const SHARED_AT: usize = 3;
/// The payload, and its counts.
pub(crate) const PAYLOAD: &str = "e.payload, e.messages, e.tokens";

/// A reader of events of one session.
pub(crate) struct EventReader<'a> {
    of: EventOf<'a>,
    /// The branches of the session by number.
    branches: BTreeMap<i64, Branch>,
}

impl<'a> EventReader<'a> {
    pub(crate) fn new(
        tx: &SqlTx<'_>,
        memory: &'a MemoryId,
        actor: &'a ActorId,
        session: &'a SessionId,
        number: i64,
    ) -> Result<Self> {
        let rows = tx.all("SELECT num, name, root FROM branches WHERE sess = ?1", [number], |row| {
            Ok((row.take(0)?, row_readers::branch(&Columns(row), 1)?))
        })?;
        Ok(Self { of: EventOf { memory, actor, session }, branches: rows.into_iter().collect() })
    }

    /// Returns the event's metadata, which filters read before the rest.
    pub(crate) fn metadata(row: &Row<'_>) -> Result<BTreeMap<String, String>> {
        row_readers::event_metadata(&Columns(row), SHARED_AT)
    }

    /// Returns the event of a row. `payload` states if [`PAYLOAD`] was selected too.
    pub(crate) fn read(&self, row: &Row<'_>, payload: bool) -> Result<Event> {
        let arrival = unsigned(row.take::<i64>(0)? & ((1 << ARRIVAL_BITS) - 1));
        let branch = match row.take::<Option<i64>>(2)? {
            None => row_readers::main_branch()?,
            Some(number) => self.branches.get(&number).cloned().ok_or_else(|| damaged("branch"))?,
        };
        row_readers::event(&Columns(row), self.of, (arrival, branch), SHARED_AT, payload)
    }
}
