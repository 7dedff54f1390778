//! Tools for a model in a memory on a server: the history of a record, its deletion, feedback on
//! it, and the timeline of the conversation. Their names begin with the store's name, because a
//! manager may have several stores.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use loci_api::event::{EventListing, PayloadItem};
use loci_api::record::feedback::{FeedbackBy, FeedbackVerdict, RecordFeedback};
use serde_json::{Value, json};

use crate::agent::tools::{Tool, ToolAnswer, ToolError};
use crate::call::Client;
use crate::error::ClientError;
use crate::namespace;

/// The maximum number of events in a timeline.
const TIMELINE_EVENTS: u32 = 20;

/// The maximum number of characters of a store's name at the start of a tool name. Models accept
/// tool names of at most 64 characters.
const PREFIX_CHARS_MAX: usize = 40;

/// The scope of a store's tools. They reach only records that the store's searches can return.
pub(super) struct Scope<'a> {
    /// The name of the store.
    pub(super) store: &'a str,
    /// The client of the store's server.
    pub(super) client: &'a Client,
    /// The id of the store's memory.
    pub(super) memory: &'a str,
    /// The actor and the session of the store, if it has both.
    pub(super) conversation: Option<(&'a str, &'a str)>,
    /// The namespace in which the store searches.
    pub(super) namespace: &'a str,
    /// True if the store also searches all namespaces below it.
    pub(super) is_subtree: bool,
    /// True if the store's searches have metadata conditions. They are not checked for a single
    /// record here.
    pub(super) has_filters: bool,
    /// True if the store may be written to.
    pub(super) writable: bool,
}

/// The scope and the arguments of a tool call.
struct Call {
    client: Client,
    memory: String,
    namespace: String,
    is_subtree: bool,
    arguments: Value,
}

pub(super) fn tools(scope: &Scope<'_>) -> Vec<Tool> {
    let tool = |name: &str, description: &str, schema: Value, work: fn(Call) -> Answer| Tool {
        name: format!("{}_{name}", prefix(scope.store)),
        description: description.to_owned(),
        input_schema: schema,
        work: bound(scope, work),
    };
    let of_record = || {
        json!({
            "type": "object",
            "properties": {"id": {"type": "string", "description": "The id of an entry"}},
            "required": ["id"],
            "additionalProperties": false
        })
    };
    let mut tools = Vec::new();
    if let Some((actor, session)) = scope.conversation {
        let (actor, session) = (actor.to_owned(), session.to_owned());
        let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let words = "Show what was said in this conversation so far, newest first.";
        let timeline = move |mut call: Call| {
            call.arguments = json!({ "actor": actor, "session": session });
            timeline(call)
        };
        tools.push(Tool { work: bound(scope, timeline), ..tool("timeline", words, none, history) });
    }
    if scope.has_filters {
        return tools;
    }
    let words = "Show how an entry of long-term memory came to say what it says: all its versions.";
    tools.push(tool("history", words, of_record(), history));
    if scope.writable {
        let words = "Forget an entry of long-term memory. Use when the user asks for it.";
        tools.push(tool("forget", words, of_record(), forget));
        let words = "Say that an entry of long-term memory was useful, or that it is wrong. Use when it helped, or when you have found that it \
                     is not so.";
        tools.push(tool("feedback", words, of_feedback(), feedback));
    }
    tools
}

fn of_feedback() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The id of an entry"},
            "verdict": {"type": "string", "enum": ["useful", "wrong"]},
            "reason": {"type": "string", "description": "Why, in at most 500 characters"}
        },
        "required": ["id", "verdict"],
        "additionalProperties": false
    })
}

type Answer = BoxFuture<'static, Result<ToolAnswer, ToolError>>;

fn bound(
    scope: &Scope<'_>,
    work: impl Fn(Call) -> Answer + Send + Sync + 'static,
) -> crate::agent::tools::ToolWork {
    let (client, memory) = (scope.client.clone(), scope.memory.to_owned());
    let (namespace, is_subtree) = (scope.namespace.to_owned(), scope.is_subtree);
    Arc::new(move |arguments| {
        work(Call {
            client: client.clone(),
            memory: memory.clone(),
            namespace: namespace.clone(),
            is_subtree,
            arguments,
        })
    })
}

/// Returns the store's name with only the characters that tool names permit.
fn prefix(store: &str) -> String {
    let plain =
        store.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' });
    plain.take(PREFIX_CHARS_MAX).collect()
}

/// Returns the id of the requested record, if it is in the store's namespace. Other records count
/// as not found, as in a search.
async fn within(call: &Call) -> Result<String, ToolError> {
    let id = id(&call.arguments, &["id"])?;
    record_within(call, id).await
}

async fn record_within(call: &Call, id: String) -> Result<String, ToolError> {
    let unknown = || ToolError(format!("there is no entry {id}"));
    let found = call.client.record_get(&call.memory, &id).await;
    let record =
        found.map_err(|error| if error.status() == Some(404) { unknown() } else { refused(error) })?;
    let is_in_place = if call.is_subtree { namespace::is_within } else { namespace::is_same };
    if is_in_place(&record.namespace, &call.namespace) { Ok(id) } else { Err(unknown()) }
}

fn history(call: Call) -> Answer {
    async move {
        let id = within(&call).await?;
        let history = call.client.record_history(&call.memory, &id).await.map_err(refused)?;
        let versions = history.versions.into_iter().map(|version| {
            json!({
                "version": version.version, "content": version.text, "state": version.state,
                "updatedAt": version.updated_at
            })
        });
        Ok(ToolAnswer::plain(versions.collect()))
    }
    .boxed()
}

fn forget(call: Call) -> Answer {
    async move {
        let id = within(&call).await?;
        call.client.record_delete(&call.memory, &id).await.map_err(refused)?;
        Ok(ToolAnswer::plain(json!({ "forgotten": id })))
    }
    .boxed()
}

fn feedback(call: Call) -> Answer {
    async move {
        let id = id(&call.arguments, &["id", "verdict", "reason"])?;
        let verdict = call.arguments.get("verdict").and_then(Value::as_str);
        let verdict = match verdict {
            Some("useful") => FeedbackVerdict::Useful,
            Some("wrong") => FeedbackVerdict::Wrong,
            Some(_) | None => return Err(ToolError("verdict must be useful or wrong".to_owned())),
        };
        let reason = match call.arguments.get("reason") {
            None | Some(Value::Null) => None,
            Some(Value::String(reason)) => Some(reason.clone()),
            Some(_) => return Err(ToolError("reason must be a text".to_owned())),
        };
        let id = record_within(&call, id).await?;
        let said = RecordFeedback { verdict, reason, by: Some(FeedbackBy::Agent) };
        let standing = call.client.record_feedback(&call.memory, &id, &said).await.map_err(refused)?;
        Ok(ToolAnswer::plain(json!({
            "id": id, "useful": standing.useful, "wrong": standing.wrong, "state": standing.state
        })))
    }
    .boxed()
}

fn timeline(call: Call) -> Answer {
    async move {
        let text =
            |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let listing = EventListing {
            actor: text("actor"),
            session: text("session"),
            limit: Some(TIMELINE_EVENTS),
            ..EventListing::default()
        };
        let list = call.client.event_list(&call.memory, &listing).await.map_err(refused)?;
        let said = list.events.into_iter().flat_map(|event| {
            let time = event.time;
            event.payload.into_iter().rev().filter_map(move |item| match item {
                PayloadItem::Message(said) => {
                    Some(json!({ "time": time, "role": said.role, "text": said.text }))
                }
                PayloadItem::Json(_) | PayloadItem::Blob(_) => None,
            })
        });
        Ok(ToolAnswer::plain(said.collect()))
    }
    .boxed()
}

/// Returns the id in the arguments, which may contain only known members.
fn id(arguments: &Value, known: &[&str]) -> Result<String, ToolError> {
    let mut members = arguments.as_object().into_iter().flat_map(|members| members.keys());
    if let Some(unknown) = members.find(|name| !known.contains(&name.as_str())) {
        let rule = match known {
            [only] => format!("give {only} alone"),
            several => format!("give {}", several.join(", ")),
        };
        return Err(ToolError(format!("{unknown} is not known here: {rule}")));
    }
    match arguments.get("id").and_then(Value::as_str) {
        Some(id) if !id.trim().is_empty() => Ok(id.to_owned()),
        _ => Err(ToolError("id must be a text that is not empty".to_owned())),
    }
}

fn refused(error: ClientError) -> ToolError {
    ToolError(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_models_take() {
        assert_eq!(prefix("users-facts"), "users_facts");
        assert_eq!(prefix("größe & more"), "gr__e___more");
        assert_eq!(prefix(&"x".repeat(100)).len(), PREFIX_CHARS_MAX);
    }
}
