//! Maps events to rows and back.

use loci_model::event::{Event, MAIN_BRANCH};
use loci_model::{BranchName, Result};
use loci_store_kit::row_readers::{self, EventOf};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::tx::{Column, unsigned};

/// Returns text for PostgreSQL, which has no zero characters. Searches for a value with zero
/// characters apply the same replacement; displayed texts come from JSON, which keeps them.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The columns that [`read`] reads, of [`FROM`], before those of [`PAYLOAD`].
pub(crate) const COLUMNS: &str =
    "e.arrival, e.id, e.branch, b.root, e.hidden, e.extract, e.expires, e.time, e.arrived, e.meta, e.more";
/// The number of these columns: the index of additional ones.
pub(crate) const PAYLOAD_AT: usize = 11;
/// The index of the first column shared by both stores.
const SHARED_AT: usize = 4;
/// The payload, and its counts.
pub(crate) const PAYLOAD: &str = "e.payload, e.messages, e.tokens";
/// The number of columns including the payload.
pub(crate) const COLUMN_COUNT: usize = 14;
/// The events, each with the root of its branch.
pub(crate) const FROM: &str =
    "events e LEFT JOIN branches b ON b.mem = e.mem AND b.sess = e.sess AND b.name = e.branch";

/// Returns the event of a row. `payload` states if [`PAYLOAD`] was selected too.
pub(crate) fn read(of: EventOf<'_>, row: &Row, payload: bool) -> Result<Event> {
    let branch = match row.take::<Option<&str>>(2)? {
        None => row_readers::main_branch()?,
        Some(_) => row_readers::branch(&Columns(row), 2)?,
    };
    row_readers::event(&Columns(row), of, (unsigned(row.take(0)?), branch), SHARED_AT, payload)
}

/// Returns the branch as stored in rows.
pub(crate) fn branch_name(name: &BranchName) -> Option<&str> {
    Some(name.as_str()).filter(|name| *name != MAIN_BRANCH)
}
