//! The end of a session: what is left to read of it is read now.

use loci_api::pull::SessionEnded;
use loci_model::Result;

use super::session;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::{Table, post};

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.plain(
        post(
            "/v1/memories/{memory}/actors/{actor}/sessions/{session}/end",
            "End a session: what is left to read of it is due now. Its next event opens it again.",
        ),
        end,
    )
}

async fn end(call: Call) -> Result<SessionEnded> {
    let id = session(call.path("session")?.to_owned())?;
    let due = call.doors.engine.session_end(&call.caller, &call.memory().await?, &call.actor()?, &id).await?;
    Ok(SessionEnded { due: due as u64 })
}
