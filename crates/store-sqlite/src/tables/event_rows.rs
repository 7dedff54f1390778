//! One event as a row and back.

use std::collections::BTreeMap;

use loci_model::event::{Branch, Event, EventLoad, EventNotes, ExtractionMode, MAIN_BRANCH, RunPlace};
use loci_model::{ActorId, BranchName, Error, EventId, MemoryId, Result, SessionId, Timestamp};
use rusqlite::Row;
use serde::{Deserialize, Serialize};

use crate::errors::stored;
use crate::tx::{Column, SqlTx, unsigned};

/// Bits of an event's row number that hold its place in the order of arrival.
pub(crate) const ARRIVAL_BITS: u32 = 40;

/// The row number of an event.
pub(crate) fn row_number(memory: i64, arrival: u64) -> i64 {
    memory << ARRIVAL_BITS | crate::tx::signed(arrival)
}

/// What few events have.
#[derive(Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct More {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    variables: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunPlace>,
    #[serde(default, skip_serializing_if = "is_plain")]
    notes: EventNotes,
}

fn is_plain(notes: &EventNotes) -> bool {
    *notes == EventNotes::default()
}

impl More {
    /// As JSON, where there is anything to say.
    pub(crate) fn of(event: &Event) -> Result<Option<String>> {
        let more = Self {
            variables: event.namespace_variables.clone(),
            run: event.run.clone(),
            notes: event.notes.clone(),
        };
        if more == Self::default() { Ok(None) } else { json(&more).map(Some) }
    }
}

pub(crate) fn json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::bug("a value that cannot be written").caused_by(error))
}

/// The columns [`EventReader`] reads, of `events e`, before those of [`PAYLOAD`].
pub(crate) const COLUMNS: &str =
    "e.num, e.id, e.br, e.hidden, e.extract, e.expires, e.time, e.arrived, e.meta, e.more";
/// The payload, and what lies behind it.
pub(crate) const PAYLOAD: &str = "e.payload, e.messages, e.tokens";

/// Reads events of one session.
pub(crate) struct EventReader<'a> {
    pub(crate) memory: &'a MemoryId,
    pub(crate) actor: &'a ActorId,
    pub(crate) session: &'a SessionId,
    /// Branches of the session by number.
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
            let name = stored(BranchName::parse(row.take::<String>(1)?), "branch")?;
            let root = stored(EventId::parse(row.take::<String>(2)?), "branch")?;
            Ok((row.take(0)?, Branch { name, root: Some(root) }))
        })?;
        Ok(Self { memory, actor, session, branches: rows.into_iter().collect() })
    }

    /// The event's metadata, which filters read before the rest.
    pub(crate) fn metadata(row: &Row<'_>) -> Result<BTreeMap<String, String>> {
        match row.take::<Option<String>>(8)? {
            Some(text) => stored(serde_json::from_str(&text), "event"),
            None => Ok(BTreeMap::new()),
        }
    }

    /// The event of a row; `payload` says whether [`PAYLOAD`] was asked for too.
    pub(crate) fn read(&self, row: &Row<'_>, payload: bool) -> Result<Event> {
        let more: More = match row.take::<Option<String>>(9)? {
            Some(text) => stored(serde_json::from_str(&text), "event")?,
            None => More::default(),
        };
        let branch = match row.take::<Option<i64>>(2)? {
            None => main_branch()?,
            Some(number) => {
                self.branches.get(&number).cloned().ok_or_else(|| crate::errors::damaged("branch"))?
            }
        };
        let extract: bool = row.take(4)?;
        Ok(Event {
            memory: self.memory.clone(),
            actor: self.actor.clone(),
            session: self.session.clone(),
            id: stored(EventId::parse(row.take::<String>(1)?), "event id")?,
            time: Timestamp::clamped(row.take(6)?),
            arrived: Timestamp::clamped(row.take(7)?),
            arrival: unsigned(row.take::<i64>(0)? & ((1 << ARRIVAL_BITS) - 1)),
            payload: if payload {
                stored(
                    serde_json::from_str(
                        row.get_ref(10).ok().and_then(|text| text.as_str().ok()).unwrap_or(""),
                    ),
                    "event",
                )?
            } else {
                Vec::new()
            },
            branch,
            metadata: Self::metadata(row)?,
            extraction: if extract { ExtractionMode::Extract } else { ExtractionMode::Skip },
            namespace_variables: more.variables,
            run: more.run,
            hidden: row.take(3)?,
            expires: Timestamp::clamped(row.take(5)?),
            notes: more.notes,
            load: if payload {
                EventLoad { messages: row.take(11)?, tokens: row.take(12)? }
            } else {
                EventLoad::default()
            },
        })
    }
}

pub(crate) fn main_branch() -> Result<Branch> {
    Ok(Branch { name: BranchName::parse(MAIN_BRANCH)?, root: None })
}
