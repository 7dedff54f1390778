//! Destroys a memory and creates it again, by its name.

use loci_api::memory::recreate as shape;
use loci_api::table as api;
use loci_model::Result;

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::MEMORY_RECREATE, memory_recreate)
}

async fn memory_recreate(call: Call, asked: shape::MemoryRecreate) -> Result<shape::MemoryRecreated> {
    let engine = &call.doors.engine;
    let done =
        engine.memory_recreate(&call.caller, &call.memory().await?, asked.yes_destroy.as_deref()).await?;
    Ok(shape::MemoryRecreated {
        name: done.old.name,
        memory_id: done.new.map(|new| new.id.to_string()),
        records: done.records,
        events: done.events,
    })
}
