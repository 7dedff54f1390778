//! A user's own records in operations memory, listed, corrected and deleted by the user in person.
//! An administrator deletes those of others by the operations on records, or all of them by
//! `forget`.

use loci_api::operations::knowledge::SreKept;
use loci_api::operations::me as shape;
use loci_api::operations::table as api;
use loci_api::operations::transfer::SreExported;
use loci_model::services::knowledge::SreType;
use loci_model::{Error, MemoryId, RecordId, Result};
use loci_operations::{SreExportCursor, SreOwnPlace};

use super::investigation_start::memory;
use super::retrieve::skipped;
use super::save::{kept, memory_type};
use super::transfer::shown;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::ME_RECORDS, me_records)
        .json(api::ME_RECORD_CORRECT, me_record_correct)
        .json(api::ME_RECORDS_DELETE, me_records_delete)
}

async fn me_records(call: Call, asked: shape::MeRecordsAsk) -> Result<SreExported> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let named = asked.memory_type.as_deref().map(|word| memory_type(word, "type")).transpose()?;
    let first = named.or(SreType::ALL.first().copied()).ok_or_else(|| Error::bug("there are no types"))?;
    let place: Option<(SreType, Option<SreExportCursor>)> = cursor::read(asked.cursor.as_deref())?;
    let (kind, after) = place.unwrap_or((first, None));
    let page = call.doors.engine.operations.sre_own(&call.caller, &memory, kind, after).await?;
    let mut others = SreType::ALL.iter().copied().skip_while(|one| *one != kind).skip(1);
    let next = match page.next {
        Some(next) => Some((kind, Some(next))),
        None => others.next().filter(|_| named.is_none()).map(|kind| (kind, None)),
    };
    Ok(SreExported {
        records: page.lines.into_iter().map(shown).collect(),
        skipped: skipped(page.skipped),
        next_cursor: next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn me_record_correct(call: Call, asked: shape::MeRecordCorrect) -> Result<SreKept> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let id = RecordId::parse(asked.record_id).map_err(|error| error.on("record_id"))?;
    let engine = &call.doors.engine;
    Ok(kept(engine.operations.sre_own_correct(&call.caller, &memory, (id, asked.data)).await?))
}

async fn me_records_delete(call: Call, asked: shape::MeRecordsDelete) -> Result<shape::MeRecordsDeleted> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    match (asked.ids.as_slice(), asked.yes_destroy) {
        ([], None) | ([_, ..], Some(_)) => {
            let rule = "give ids, or the name of the memory as yes_destroy for all of your records";
            Err(Error::invalid("ids", rule))
        }
        ([..], None) if asked.cursor.is_some() => {
            Err(Error::invalid("cursor", "cursor goes with yes_destroy, for all of your records"))
        }
        (ids, None) => {
            let ids = ids.iter().map(|id| RecordId::parse(id.as_str()).map_err(|error| error.on("ids")));
            some(&call, &memory, ids.collect::<Result<_>>()?).await
        }
        ([], Some(name)) => {
            let known = call.doors.engine.memory_get(&call.caller, &memory).await?.name;
            if name != known.as_str() {
                let rule = "yes_destroy must be the memory's name: all of your records in it go";
                return Err(Error::invalid("yes_destroy", rule));
            }
            all(&call, &memory, asked.cursor.as_deref()).await
        }
    }
}

async fn some(call: &Call, memory: &MemoryId, ids: Vec<RecordId>) -> Result<shape::MeRecordsDeleted> {
    let done = call.doors.engine.operations.sre_own_delete(&call.caller, memory, ids).await?;
    let count = done.items.iter().filter(|item| item.result.is_ok()).count();
    let failed = done.items.into_iter().filter_map(|item| Some((item.id, item.result.err()?.1)));
    Ok(shape::MeRecordsDeleted {
        deleted: u64::try_from(count).unwrap_or(u64::MAX),
        failed: skipped(failed.collect()),
        shared: 0,
        next_cursor: None,
    })
}

/// Deletes all records of the caller, as far as one request can.
async fn all(call: &Call, memory: &MemoryId, from: Option<&str>) -> Result<shape::MeRecordsDeleted> {
    let from: Option<SreOwnPlace> = cursor::read(from)?;
    let done = call.doors.engine.operations.sre_own_delete_all(&call.caller, memory, from).await?;
    Ok(shape::MeRecordsDeleted {
        deleted: done.deleted,
        failed: skipped(done.failed),
        shared: done.shared,
        next_cursor: done.next.as_ref().map(cursor::write).transpose()?,
    })
}
