//! Sessions of tasks: what an agent says while it works, what it keeps for its next run, and what becomes a learning.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::coding::task::end::{Learned, amount, milliseconds};

/// What was said and done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionAppend {
    /// The task, once more; it must be the one of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// 1 to 100 events.
    pub events: Vec<SessionEvent>,
}

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionEvent {
    /// Its number in the session, the agent's own: greater for what came later. One that is known is a repetition.
    pub seq: u64,
    /// `message`, `reasoning`, `tool_call`, `tool_result`, `decision`, `note`.
    pub r#type: String,
    /// `user`, `assistant`, `tool`, `other`; absent: the tool for a `tool_result`, else the assistant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// What was said, in at most 100,000 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whose words led to it, by name; absent: whoever asked for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The version of the prompt; absent: that of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// The commit that was checked out, or made: 40 or 64 hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// When it happened, RFC 3339; absent: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The tool that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
}

/// How a tool was used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionTool {
    /// Its name.
    pub name: String,
    /// Digest of what it was given: 64 small hex digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<String>,
    /// Digest of what it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_sha256: Option<String>,
    /// How long it took; what is no whole number of milliseconds is rounded, and what is no number taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "milliseconds")]
    pub duration_ms: Option<u64>,
    /// What it cost; what is no finite number of dollars is taken for absent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// How it ended, in a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// What became of a report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionAppended {
    /// So many are new.
    pub accepted: u32,
    /// So many were known.
    pub duplicates: u32,
    /// The greatest number of the session; absent: nothing is kept of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// What to know.
    pub warnings: Vec<String>,
}

/// Which events of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionListing {
    /// Behind this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u64>,
    /// Of these types, joined by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// 1 to 100; absent: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of a session, by number.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionEvents {
    /// What was said.
    pub events: Vec<SaidEvent>,
    /// More is behind this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_after_seq: Option<u64>,
    /// The greatest number of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seq: Option<u64>,
    /// When it ended: what is here is what the archive keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

/// Something that was said, and what is known beside it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct SaidEvent {
    /// Its number.
    pub seq: u64,
    /// What it is.
    pub r#type: String,
    /// Who spoke.
    pub role: String,
    /// What was said, as far as it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whose words led to it, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The version of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// The commit that was checked out, or made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_sha: Option<String>,
    /// When it happened.
    pub at: String,
    /// The tool that was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<SessionTool>,
    /// Digest of all that was said, without its secrets.
    pub content_sha256: String,
    /// Characters of it.
    pub content_chars: u64,
    /// The event of the memory that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    /// The archive forgets it then.
    pub expires_at: String,
}

/// What an agent keeps for its next run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionState {
    /// Anything, of at most 1 MiB as JSON.
    pub state: Value,
    /// Its version; in a request that of the state whose place it takes, 0 for the first.
    #[serde(default)]
    pub version: u64,
}

/// The version of a state that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionStateKept {
    /// Its version.
    pub version: u64,
}

/// Which events become learnings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionPromote {
    /// Their numbers: 1 to 50.
    pub seq: Vec<u64>,
    /// `knowledge`, of the repository, or `self_feedback`, of what the agent would have needed; absent: `knowledge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#as: Option<String>,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct SessionPromoted {
    /// In the order in which they were asked for.
    pub events: Vec<PromotedEvent>,
    /// What could not be looked at.
    pub warnings: Vec<String>,
}

/// What became of one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct PromotedEvent {
    /// Its number.
    pub seq: u64,
    /// Its learnings: one a paragraph; none where it says that there are none.
    pub learnings: Vec<Learned>,
}

/// Whether a session ended now.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TaskSessionEnded {
    /// False where it had ended before.
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
