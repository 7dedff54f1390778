//! Feedback of principals on a record: useful, or wrong.

use loci_api::record::feedback as shape;
use loci_api::table as api;
use loci_engine::records::{FeedbackStanding, RecordFeedback, feedback_standing};
use loci_model::Result;
use loci_model::record::Record;
use loci_model::record::telemetry::StateChange;

use super::path_record;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(in crate::v1) fn operations(table: Table) -> Table {
    table.json(api::RECORD_FEEDBACK, record_feedback)
}

async fn record_feedback(call: Call, asked: shape::RecordFeedback) -> Result<shape::RecordFeedbackStanding> {
    let by_human = match asked.by {
        None | Some(shape::FeedbackBy::Agent) => false,
        Some(shape::FeedbackBy::Human) => true,
    };
    let feedback =
        RecordFeedback { id: path_record(&call)?, verdict: asked.verdict, reason: asked.reason, by_human };
    let id = feedback.id.to_string();
    let said = call.doors.engine.record_feedback(&call.caller, &call.memory().await?, feedback).await?;
    let FeedbackStanding { version, useful, wrong, state, state_reason } = said;
    let (useful, wrong) = (count(useful), count(wrong));
    let state = state.as_str().to_owned();
    Ok(shape::RecordFeedbackStanding { id, version, useful, wrong, state, state_reason })
}

/// Returns the feedback on the last of a record's versions; `None` if there is none.
pub(super) fn counts(versions: &[Record], changes: &[StateChange]) -> Option<shape::FeedbackCounts> {
    let said = feedback_standing(versions.last()?, changes);
    let counts = shape::FeedbackCounts { useful: count(said.useful), wrong: count(said.wrong) };
    (counts != shape::FeedbackCounts::default()).then_some(counts)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
