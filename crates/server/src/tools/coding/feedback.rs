//! `memory_feedback`: the memories that were used, helped or misled.

use loci_api::coding::task::feedback::TaskFeedback;
use loci_model::limits;
use serde_json::Value;

use super::shapes::own_task;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, list, open, said, text, word};
use crate::tools::shapes::record_id;
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::v1::coding::tasks::feedback::taken;

const RECORDS_MAX: u32 = limits::FEEDBACK_RECORDS_MAX as u32;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_feedback",
        dotted: Some("memory.feedback"),
        description: "Report which shown memories this task used, which helped and which misled, by id.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, false, false),
        input: closed(
            [
                ("task_id", own_task()),
                ("used", ids()),
                ("helpful", ids()),
                ("harmful", list(harmful(), 0, RECORDS_MAX)),
            ],
            &[],
        ),
        output: open(
            [
                ("task_id", word()),
                ("used", array(word())),
                ("helpful", array(word())),
                ("harmful", array(anything())),
                ("quarantined", array(word())),
                ("warnings", array(word())),
            ],
            &["task_id", "used", "helpful", "harmful", "quarantined", "warnings"],
        ),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

fn ids() -> Value {
    list(record_id(), 0, RECORDS_MAX)
}

fn harmful() -> Value {
    let reason = said(text(0, limits::REASON_CHARS_MAX as u32), "Reason it is wrong");
    closed([("id", record_id()), ("reason", reason)], &["id"])
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (asking, id) = (native::asking(&context, &arguments), native::task(&arguments)?);
    let asked: TaskFeedback = native::request(arguments, &[native::TASK])?;
    native::answer(&taken(&asking, &id, asked).await?)
}
