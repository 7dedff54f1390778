//! Security alerts of tasks.

use loci_api::coding::table as api;
use loci_api::coding::task as shape;
use loci_model::{Error, Result};

use super::{alert, task_id};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::TASK_ALERT, raise)
}

async fn raise(call: Call, asked: shape::TaskAlertRaise) -> Result<shape::TaskAlerted> {
    let (standing, id) = (standing(&call)?, task_id(&call)?);
    let found = call.doors.engine.coding.task_alert(&call.caller, &standing, &id, &asked.reason).await?;
    let raised = found.task.security_alert.map(alert);
    Ok(shape::TaskAlerted {
        task_id: id.to_string(),
        security_alert: raised.ok_or_else(|| Error::bug("a task without the alert that was raised"))?,
        raised: found.raised,
        quarantined: found.quarantined.iter().map(ToString::to_string).collect(),
    })
}
