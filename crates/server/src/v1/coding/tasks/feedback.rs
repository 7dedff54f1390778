//! Feedback on the memories that a task was shown.

use loci_api::coding::table as api;
use loci_api::coding::task::feedback as shape;
use loci_coding::{FeedbackTaken, NewFeedback};
use loci_model::{Error, RecordId, Result, TaskId};
use loci_verified::record_id;

use super::task_id;
use crate::authenticated_call::AuthenticatedCall;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::verified::repositories::asking;

const AGENT: &str = "agent";
const HUMAN: &str = "human";

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::TASK_FEEDBACK, feedback)
}

async fn feedback(call: Call, asked: shape::TaskFeedback) -> Result<shape::TaskFeedbackTaken> {
    taken(&asking(&call)?, &task_id(&call)?, asked).await
}

/// Stores feedback on memories.
pub(crate) async fn taken(
    asking: &AuthenticatedCall<'_>,
    id: &TaskId,
    asked: shape::TaskFeedback,
) -> Result<shape::TaskFeedbackTaken> {
    let taken = asking.engine.coding.task_feedback(asking.caller, &asking.standing, id, read(asked)?).await?;
    Ok(answer(id.to_string(), taken))
}

fn read(asked: shape::TaskFeedback) -> Result<NewFeedback> {
    let harmful = asked.harmful.into_iter().map(|one| Ok((record("harmful.id", &one.id)?, one.reason)));
    Ok(NewFeedback {
        used: asked.used.iter().map(|id| record("used", id)).collect::<Result<_>>()?,
        helpful: asked.helpful.iter().map(|id| record("helpful", id)).collect::<Result<_>>()?,
        harmful: harmful.collect::<Result<_>>()?,
        by_human: match asked.by.as_deref() {
            None | Some(AGENT) => false,
            Some(HUMAN) => true,
            Some(_) => return Err(Error::invalid("by", "by must be agent or human")),
        },
    })
}

/// Returns a record, also by the short id that the tools of facts use.
fn record(field: &'static str, id: &str) -> Result<RecordId> {
    record_id(id).map_err(|error| error.on(field))
}

fn answer(task_id: String, taken: FeedbackTaken) -> shape::TaskFeedbackTaken {
    let FeedbackTaken { feedback, quarantined, warnings } = taken;
    let ids = |ids: &mut dyn Iterator<Item = RecordId>| ids.map(|id| id.to_string()).collect();
    let harmful = feedback.harmful.into_iter().map(|(id, reason)| shape::HarmfulMemory {
        id: id.to_string(),
        reason: Some(reason).filter(|reason| !reason.is_empty()),
    });
    shape::TaskFeedbackTaken {
        task_id,
        used: ids(&mut feedback.used.into_iter()),
        helpful: ids(&mut feedback.helpful.into_iter()),
        harmful: harmful.collect(),
        quarantined: ids(&mut quarantined.into_iter()),
        warnings,
    }
}
