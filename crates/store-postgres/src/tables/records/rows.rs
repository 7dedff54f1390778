//! Maps records to rows and back. The row contains the record as JSON, and further columns for
//! statements.

use loci_model::record::{Record, RecordState};
use loci_model::{Result, Timestamp};
use loci_store_kit::StoredRecord;
use loci_store_kit::codes::{code_of, json};
use tokio_postgres::Row;

use crate::digests::Key16;
use crate::errors::stored;
use crate::tx::{Column, code, unsigned};

/// The columns that [`read`] and [`placed`] read.
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

/// The row of a record with the columns that are not part of the record, and its former state.
#[derive(Debug, Clone)]
pub(crate) struct PlacedRecord {
    pub(crate) stored: StoredRecord,
    pub(crate) group: Key16,
    pub(crate) model: Option<i64>,
    pub(crate) stated: Timestamp,
}

/// Reads a row of [`RECORDS`] with these columns.
pub(crate) fn placed(row: &Row) -> Result<PlacedRecord> {
    Ok(PlacedRecord {
        stored: read(row)?,
        group: row.take(6)?,
        model: row.take(7)?,
        stated: Timestamp::clamped(row.take(8)?),
    })
}

/// Returns the stored form of a record.
pub(crate) fn body(record: &Record) -> Result<String> {
    json(record)
}

/// Returns the code of a state.
pub(crate) fn state_code(state: RecordState) -> i16 {
    code(code_of(RecordState::ALL, state))
}
