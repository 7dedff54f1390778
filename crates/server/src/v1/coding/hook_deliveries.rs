//! Deliveries of hooks: list and retry. For administrators.

use loci_api::hook as shape;
use loci_api::table as api;
use loci_coding::HookState;
use loci_model::{DeliveryId, Error, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::HOOK_DELIVERY_LIST, list).plain(api::HOOK_DELIVERY_RETRY, retry)
}

async fn list(call: Call, asked: shape::HookDeliveryListing) -> Result<shape::HookDeliveryList> {
    let limit = cursor::limit(asked.limit)?;
    let state = asked.state.as_deref().map(|word| {
        let rule = "state must be one of received, done, failed, ignored";
        HookState::parse(word).ok_or_else(|| Error::invalid("state", rule))
    });
    let after = cursor::read(asked.cursor.as_deref())?;
    let engine = &call.doors.engine;
    let page = engine
        .coding
        .hook_deliveries(&call.caller, &standing(&call)?, state.transpose()?, after, limit)
        .await?;
    Ok(shape::HookDeliveryList {
        deliveries: page.items,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn retry(call: Call) -> Result<shape::HookDelivery> {
    let id = DeliveryId::parse(call.path("guid")?).map_err(|error| error.on("guid"))?;
    call.doors.engine.coding.hook_delivery_retry(&call.caller, &standing(&call)?, &id).await
}
