//! Tools of a memory on a server: what a record was before, forgetting one, and what was said in this conversation. Their names begin
//! with the store's, for a manager may have several.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use loci_api::event::{EventListing, PayloadItem};
use serde_json::{Value, json};

use crate::agent::tools::{Tool, ToolAnswer, ToolError};
use crate::call::Client;
use crate::error::ClientError;

/// Events of a timeline.
const TIMELINE_EVENTS: u32 = 20;

/// The memory of a call, and what is asked for.
struct Call {
    client: Client,
    memory: String,
    arguments: Value,
}

pub(super) fn tools(
    store: &str,
    client: &Client,
    memory: &str,
    conversation: Option<(&str, &str)>,
    writable: bool,
) -> Vec<Tool> {
    let tool = |name: &str, description: &str, schema: Value, work: fn(Call) -> Answer| Tool {
        name: format!("{}_{name}", store.replace('-', "_")),
        description: description.to_owned(),
        input_schema: schema,
        work: bound(client, memory, work),
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
    if let Some((actor, session)) = conversation {
        let (actor, session) = (actor.to_owned(), session.to_owned());
        let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let words = "Show what was said in this conversation so far, newest first.";
        let timeline = move |mut call: Call| {
            call.arguments = json!({ "actor": actor, "session": session });
            timeline(call)
        };
        tools.push(Tool { work: bound(client, memory, timeline), ..tool("timeline", words, none, history) });
    }
    let words = "Show how an entry of long-term memory came to say what it says: all its versions.";
    tools.push(tool("history", words, of_record(), history));
    if writable {
        let words = "Forget an entry of long-term memory. Use when the user asks for it.";
        tools.push(tool("forget", words, of_record(), forget));
    }
    tools
}

type Answer = BoxFuture<'static, Result<ToolAnswer, ToolError>>;

fn bound(
    client: &Client,
    memory: &str,
    work: impl Fn(Call) -> Answer + Send + Sync + 'static,
) -> crate::agent::tools::ToolWork {
    let (client, memory) = (client.clone(), memory.to_owned());
    Arc::new(move |arguments| work(Call { client: client.clone(), memory: memory.clone(), arguments }))
}

fn history(call: Call) -> Answer {
    async move {
        let history =
            call.client.record_history(&call.memory, &id(&call.arguments)?).await.map_err(refused)?;
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
        let id = id(&call.arguments)?;
        call.client.record_delete(&call.memory, &id).await.map_err(refused)?;
        Ok(ToolAnswer::plain(json!({ "forgotten": id })))
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

fn id(arguments: &Value) -> Result<String, ToolError> {
    match arguments.get("id").and_then(Value::as_str) {
        Some(id) if !id.trim().is_empty() => Ok(id.to_owned()),
        _ => Err(ToolError("id must be a text that is not empty".to_owned())),
    }
}

fn refused(error: ClientError) -> ToolError {
    ToolError(error.to_string())
}
