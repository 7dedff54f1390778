//! One record as a row and back. The noun lies in the row as JSON; the columns beside it are what statements ask for.

use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};
use loci_store_kit::StoredRecord;
use loci_store_kit::codes::{code_of, json};
use tokio_postgres::Row;

use crate::digests::Key16;
use crate::errors::stored;
use crate::tx::{Column, code, unsigned};

/// The columns that [`read`] and [`place`] read.
pub(crate) const RECORDS: &str =
    "SELECT r.key, r.sequence, r.content, r.left_at, r.gone, r.body, r.grp, r.model, r.stated FROM records r";

/// Reads a row of [`RECORDS`].
pub(crate) fn read(row: &Row) -> Result<StoredRecord> {
    let mut record: Record = stored(serde_json::from_str(row.take::<&str>(5)?), "record")?;
    record.sequence = unsigned(row.take(1)?);
    Ok(StoredRecord {
        record,
        left_at: row.take::<Option<i64>>(3)?.map(Timestamp::clamped),
        gone: row.take(4)?,
    })
}

/// What the row of a record says beside the noun, and before it is written again.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) stored: StoredRecord,
    pub(crate) group: Key16,
    pub(crate) model: Option<i64>,
    pub(crate) stated: Timestamp,
}

/// Reads a row of [`RECORDS`] with its place.
pub(crate) fn placed(row: &Row) -> Result<Placed> {
    Ok(Placed {
        stored: read(row)?,
        group: row.take(6)?,
        model: row.take(7)?,
        stated: Timestamp::clamped(row.take(8)?),
    })
}

/// The noun as it is stored.
pub(crate) fn body(record: &Record) -> Result<String> {
    json(record)
}

/// The code of a state.
pub(crate) fn state_code(state: RecordState) -> i16 {
    code(code_of(RecordState::ALL, state))
}
