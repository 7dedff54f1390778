//! Sessions of tasks: events of an agent at work, state for its next run, and promotion of events
//! to learnings.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::coding::task::end::{Learned, amount, milliseconds};

/// A request to append events to a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionAppend {
    /// Id of the task. If present, it must be the id in the path of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Events to append, 1 to 100.
    pub events: Vec<SessionEvent>,
}

/// An event of a task's session, such as a message or the use of a tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionEvent {
    /// Sequence number that the agent assigns to the event; later events have greater numbers. If
    /// the server already stores an event with this number, it ignores the event.
    pub seq: u64,
    /// Type of the event: `message`, `reasoning`, `tool_call`, `tool_result`, `decision` or `note`.
    pub r#type: String,
    /// Role of the speaker: `user`, `assistant`, `tool` or `other`. Default: `tool` for a
    /// `tool_result`, otherwise `assistant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Text of the event, at most 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Name of the user whose message led to the event. Default: the user who requested the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the agent's prompt at the event. Default: the prompt version of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Id of the commit that the event checked out or created: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// Time of the event, RFC 3339. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Tool that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
}

/// The use of a tool in an event.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionTool {
    /// Name of the tool.
    pub name: String,
    /// SHA-256 digest of the tool's input: 64 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<String>,
    /// SHA-256 digest of the tool's output: 64 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    /// Duration of the use in milliseconds. A fractional number is rounded. A value that is
    /// negative or not a number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "milliseconds")]
    pub duration_ms: Option<u64>,
    /// Cost of the use in US dollars. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Status of the use in one word, as the agent reports it, such as `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The result of appending events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionAppended {
    /// Number of events that the request added.
    pub accepted: u32,
    /// Number of events that the server ignored, because it already stores their sequence numbers.
    pub duplicates: u32,
    /// Greatest sequence number among the stored events of the session; absent if no event is
    /// stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// Warnings about events that were not stored completely.
    pub warnings: Vec<String>,
}

/// A request to list events of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionListing {
    /// Sequence number after which the list starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// Types of events, separated by commas. Default: all types.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// Maximum number of events per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of events, by sequence number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionEvents {
    /// The events.
    pub events: Vec<SaidEvent>,
    /// Value of `after_seq` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_after_seq: Option<u64>,
    /// Greatest sequence number of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// Time at which the session ended. From then on, the list contains only the events that the
    /// repository's setting `capture` keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

/// An event of a task's session, as the server stores it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SaidEvent {
    /// Sequence number in the session.
    pub seq: u64,
    /// Type of the event: `message`, `reasoning`, `tool_call`, `tool_result`, `decision` or `note`.
    pub r#type: String,
    /// Role of the speaker: `user`, `assistant`, `tool` or `other`.
    pub role: String,
    /// Text of the event; absent if the setting `capture` of the repository excludes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Name of the user whose message led to the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the agent's prompt at the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Id of the commit that the event checked out or created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// Time of the event.
    pub at: String,
    /// Tool that the event is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
    /// SHA-256 digest of the complete text, after secrets were removed.
    pub content_sha256: String,
    /// Number of characters of the complete text.
    pub content_chars: u64,
    /// Id of the memory's event that contains the text; absent if no text is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Time at which the server deletes the event.
    pub expires_at: String,
}

/// The state that an agent stores between its runs of the same task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionState {
    /// Any JSON value, at most 1 MiB.
    pub state: Value,
    /// Version of the state. In a request, it must be the version that the request replaces; 0 for
    /// the first state.
    #[serde(default)]
    pub version: u64,
}

/// The version of a stored state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionStateKept {
    /// Version of the state.
    pub version: u64,
}

/// A request to store the content of a session's events as learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionPromote {
    /// Sequence numbers of the events, 1 to 50.
    pub seq: Vec<u64>,
    /// `knowledge` for learnings about the repository, or `self_feedback` for information that the
    /// agent lacked. Default: `knowledge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#as: Option<String>,
}

/// The result of promoting events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionPromoted {
    /// The promoted events with their learnings, in the order of the request.
    pub events: Vec<PromotedEvent>,
    /// Warnings about learnings that the server could not compare with stored records.
    pub warnings: Vec<String>,
}

/// An event whose content was stored as learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromotedEvent {
    /// Sequence number of the event.
    pub seq: u64,
    /// Actions on the learnings of the event, one for each paragraph; empty if the text states that
    /// there is nothing to learn.
    pub learnings: Vec<Learned>,
}

/// The result of ending a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskSessionEnded {
    /// False if the session had ended before.
    pub ended: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_none_refuses_no_events() {
        for (tool, cost, duration) in [
            (r#"{"name":"bash","cost_usd":"NaN","duration_ms":"Infinity"}"#, None, None),
            (r#"{"name":"bash","cost_usd":{},"duration_ms":-1}"#, None, None),
            (r#"{"name":"bash","cost_usd":"0.5","duration_ms":12.6}"#, Some(0.5), Some(13)),
            (r#"{"name":"bash","cost_usd":0.25,"duration_ms":12}"#, Some(0.25), Some(12)),
            (r#"{"name":"bash"}"#, None, None),
        ] {
            let text = format!(r#"{{"events":[{{"seq":1,"type":"tool_call","tool":{tool}}}]}}"#);
            let read: SessionAppend = serde_json::from_str(&text).unwrap();
            let read = read.events[0].tool.as_ref().unwrap();
            assert_eq!((read.cost_usd, read.duration_ms), (cost, duration), "{tool}");
        }
    }
}
