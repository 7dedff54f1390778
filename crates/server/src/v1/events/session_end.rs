//! The end of a session: its remaining events are extracted now.

use loci_api::pull::SessionEnded;
use loci_api::table as api;
use loci_model::Result;

use super::session;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.plain(api::SESSION_END, end)
}

async fn end(call: Call) -> Result<SessionEnded> {
    let id = session(call.path("session")?.to_owned())?;
    let due = call.doors.engine.session_end(&call.caller, &call.memory().await?, &call.actor()?, &id).await?;
    Ok(SessionEnded { due: due as u64 })
}
