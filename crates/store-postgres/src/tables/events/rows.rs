//! One event as a row and back.

use loci_model::event::{Event, MAIN_BRANCH};
use loci_model::{BranchName, Result};
use loci_store_kit::reading::{self, EventOf};
use tokio_postgres::Row;

use crate::columns::Columns;
use crate::tx::{Column, unsigned};

/// Text as PostgreSQL takes it, which has no zero characters. Where a value that has one is looked for, it is looked for
/// like this; what is shown comes from JSON, which keeps it.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// The columns [`read`] reads, of [`FROM`], before those of [`PAYLOAD`].
pub(crate) const COLUMNS: &str =
    "e.arrival, e.id, e.branch, b.root, e.hidden, e.extract, e.expires, e.time, e.arrived, e.meta, e.more";
/// How many these are: whatever is asked for beside them comes there.
pub(crate) const PAYLOAD_AT: usize = 11;
/// Which of them is the first of those that both stores have.
const SHARED_AT: usize = 4;
/// The payload, and what is counted of it.
pub(crate) const PAYLOAD: &str = "e.payload, e.messages, e.tokens";
/// How many columns both are.
pub(crate) const COLUMN_COUNT: usize = 14;
/// Events, each with the root of its branch.
pub(crate) const FROM: &str =
    "events e LEFT JOIN branches b ON b.mem = e.mem AND b.sess = e.sess AND b.name = e.branch";

/// The event of a row; `payload` says whether [`PAYLOAD`] was asked for too.
pub(crate) fn read(of: EventOf<'_>, row: &Row, payload: bool) -> Result<Event> {
    let branch = match row.take::<Option<&str>>(2)? {
        None => reading::main_branch()?,
        Some(_) => reading::branch(&Columns(row), 2)?,
    };
    reading::event(&Columns(row), of, (unsigned(row.take(0)?), branch), SHARED_AT, payload)
}

/// The branch as rows name it.
pub(crate) fn branch_name(name: &BranchName) -> Option<&str> {
    Some(name.as_str()).filter(|name| *name != MAIN_BRANCH)
}
