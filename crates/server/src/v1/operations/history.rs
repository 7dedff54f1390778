//! Every version of the knowledge about a service, with its validity.

use loci_api::operations::knowledge as shape;
use loci_api::operations::table as api;
use loci_model::Result;

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::SRE_HISTORY, sre_history)
}

async fn sre_history(call: Call, asked: shape::SreHistoryAsk) -> Result<shape::SreHistory> {
    call.doors.engine.operations.sre_history(&call.caller, &call.memory().await?, asked).await
}
