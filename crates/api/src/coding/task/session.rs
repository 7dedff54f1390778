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
    /// Id of the task. If present, it must match the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Events, 1 to 100.
    pub events: Vec<SessionEvent>,
}

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionEvent {
    /// Sequence number in the session, assigned by the agent and greater for later events. The
    /// server treats an event with a known number as a repetition.
    pub seq: u64,
    /// Type: `message`, `reasoning`, `tool_call`, `tool_result`, `decision` or `note`.
    pub r#type: String,
    /// Role: `user`, `assistant`, `tool` or `other`. Default: `tool` for a `tool_result`, otherwise
    /// `assistant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Content, at most 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Name of the user whose message led to the event. Default: the requesting user of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the prompt. Default: the version of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Commit that was checked out or created: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// Time of the event, RFC 3339. Default: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Tool that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
}

/// The use of a tool.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionTool {
    /// Name of the tool.
    pub name: String,
    /// SHA-256 digest of the input: 64 lower-case hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<String>,
    /// SHA-256 digest of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    /// Duration in milliseconds. A fractional number is rounded. A value that is negative or not a
    /// number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "milliseconds")]
    pub duration_ms: Option<u64>,
    /// Cost in US dollars. A value that is not a finite number counts as absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Status of the use, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// The result of appending events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionAppended {
    /// Number of new events.
    pub accepted: u32,
    /// Number of events that were already known.
    pub duplicates: u32,
    /// Greatest sequence number of the session; absent if the session has no stored event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// Warnings about the events.
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
    /// Value of `after_seq` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_after_seq: Option<u64>,
    /// Greatest sequence number of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// Time at which the session ended. After it, the list contains the events that the archive
    /// keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

/// A stored event of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SaidEvent {
    /// Sequence number in the session.
    pub seq: u64,
    /// Type of the event.
    pub r#type: String,
    /// Role of the speaker.
    pub role: String,
    /// Content, as far as the archive keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Name of the user whose message led to the event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Commit that was checked out or created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// Time of the event.
    pub at: String,
    /// Tool that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
    /// SHA-256 digest of the complete content, with its secrets removed.
    pub content_sha256: String,
    /// Number of characters of the complete content.
    pub content_chars: u64,
    /// Id of the event in the memory that contains the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// Time at which the archive deletes the event.
    pub expires_at: String,
}

/// The state that an agent stores for its next run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionState {
    /// Any JSON value, at most 1 MiB.
    pub state: Value,
    /// Version of the state. In a request, it is the version of the state to replace; 0 for the
    /// first state.
    #[serde(default)]
    pub version: u64,
}

/// The version of a stored state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionStateKept {
    /// Version of the state.
    pub version: u64,
}

/// A request to promote events to learnings.
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
    /// Promoted events, in the order of the request.
    pub events: Vec<PromotedEvent>,
    /// Warnings about learnings that could not be compared.
    pub warnings: Vec<String>,
}

/// A promoted event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromotedEvent {
    /// Sequence number of the event.
    pub seq: u64,
    /// Learnings, one for each paragraph; empty if the text states that there are none.
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
