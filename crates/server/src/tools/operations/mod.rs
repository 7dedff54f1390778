//! The family `sre`: four tools for a supervisor of operations agents, with the names and both
//! argument forms of the source design. Worker agents get none. Saved data has the trust of an
//! agent, so no tool can activate a contact or an approval.

mod retrieve_memory;
mod save_infrastructure;
mod save_investigation;
mod save_preference;

use loci_api::ErrorCode;
use loci_model::MemoryId;
use loci_model::services::knowledge::SreType;
use loci_operations::{SreAction, SreRequester, SreSaved};
use serde_json::{Map, Value, json};

use super::arguments::string;
use super::error::ToolError;
use super::schema::{anything, array, flag, open, said, word};
use super::tool::{Context, ReceivedArguments, Tool, ToolOutcome};

/// Returns the memory of the call.
async fn memory(context: &Context) -> Result<MemoryId, ToolError> {
    let named = context.place.asked.as_deref().or(context.place.configured.as_deref());
    Ok(context.engine.operations.sre_memory(&context.caller, named).await?)
}

/// Returns the named session; an empty text names none.
fn named_session(arguments: &ReceivedArguments) -> Option<String> {
    string(arguments, "session_id").filter(|id| !id.is_empty())
}

/// Returns the user of the call: that of the argument, else of the connection's header, else of the
/// session, else the caller, if it does not act for others.
async fn user(
    context: &Context,
    memory: &MemoryId,
    arguments: &ReceivedArguments,
) -> Result<String, ToolError> {
    let (named, session) = (string(arguments, "user_id"), named_session(arguments));
    let asked = requester(context, named.as_deref(), session.as_deref());
    Ok(context.engine.operations.sre_requester(&context.caller, memory, asked).await?)
}

/// Returns the user of the call like [`user`]; `None` if nothing names one. A user in the argument
/// or the header is checked even if the call needs none.
async fn user_if_known(
    context: &Context,
    memory: &MemoryId,
    arguments: &ReceivedArguments,
) -> Result<Option<String>, ToolError> {
    let (named, session) = (string(arguments, "user_id"), named_session(arguments));
    let asked = requester(context, named.as_deref(), session.as_deref());
    Ok(context.engine.operations.sre_requester_if_known(&context.caller, memory, asked).await?)
}

fn requester<'a>(context: &'a Context, named: Option<&'a str>, session: Option<&'a str>) -> SreRequester<'a> {
    SreRequester { named, connection: context.place.user.as_deref(), session }
}

/// Returns the session of the open investigation of a user.
async fn open_session(context: &Context, memory: &MemoryId, user: &str) -> Result<Option<String>, ToolError> {
    let open = context.engine.operations.investigation_open(&context.caller, memory, (user, None)).await?;
    Ok(open.map(|open| open.session))
}

/// Returns the arguments of the structured form; `None` for a call in the simple form.
fn structured(arguments: &ReceivedArguments) -> Result<Option<Value>, ToolError> {
    let Some(Value::Object(content)) = arguments.get("content") else { return Ok(None) };
    let context = string(arguments, "context").filter(|text| !text.trim().is_empty());
    let context = context.ok_or_else(|| missing(&["context"]))?;
    let mut content = content.clone();
    content.entry("context").or_insert(json!(context));
    Ok(Some(Value::Object(content)))
}

/// Returns the error for missing arguments.
fn missing(names: &[&str]) -> ToolError {
    let rule = format!("missing: {}. Give them, or content and context instead", names.join(", "));
    ToolError::new(ErrorCode::Invalid, rule).on(names.first().copied().unwrap_or("content"))
}

/// Returns the texts that the simple form requires.
fn simple<const N: usize>(
    arguments: &ReceivedArguments,
    names: [&'static str; N],
) -> Result<[String; N], ToolError> {
    let absent: Vec<&str> = names
        .into_iter()
        .filter(|name| string(arguments, name).is_none_or(|text| text.trim().is_empty()))
        .collect();
    if !absent.is_empty() {
        return Err(missing(&absent));
    }
    Ok(names.map(|name| string(arguments, name).unwrap_or_default()))
}

/// Returns the result of a save for a user, with the user's name.
fn answer_for(saved: &SreSaved, user: &str) -> ToolOutcome {
    let mut shown = shown(saved);
    shown.insert("user_id".to_owned(), json!(user));
    Ok(Value::Object(shown))
}

/// Returns the members of a save's result. Of several records it shows the one that needs most
/// attention.
fn shown(saved: &SreSaved) -> Map<String, Value> {
    let gravest = saved.records.iter().max_by_key(|kept| kept.action);
    let record = saved.records.iter().find_map(|kept| kept.record.as_ref()).map(ToString::to_string);
    let mut shown = Map::new();
    shown.insert("saved".to_owned(), json!(saved.event.is_some()));
    shown.extend(record.map(|record| ("record_id".to_owned(), json!(record))));
    let action = gravest.map_or(SreAction::Rejected, |kept| kept.action);
    shown.insert("state".to_owned(), json!(state(action)));
    let reason = gravest.and_then(|kept| kept.reason.clone());
    shown.extend(reason.map(|reason| ("reason".to_owned(), json!(reason))));
    if !saved.masked.is_empty() {
        let warning = format!("secrets were masked before anything was stored: {}", saved.masked.join(", "));
        shown.insert("warnings".to_owned(), json!([warning]));
    }
    shown
}

/// Returns the schema of the argument that names the user.
fn user_form() -> Value {
    said(word(), "The user, where the key acts for users")
}

fn state(action: SreAction) -> &'static str {
    match action {
        SreAction::Added | SreAction::Superseded | SreAction::Duplicate => "active",
        SreAction::Conflict | SreAction::PendingConfirmation | SreAction::Rejected => action.as_str(),
    }
}

/// Returns the schema of a save's result.
fn saved_form() -> Value {
    let members = [
        ("saved", flag()),
        ("record_id", word()),
        ("state", word()),
        ("reason", word()),
        ("user_id", word()),
        ("warnings", array(word())),
    ];
    open(members, &["saved", "state"])
}

/// Returns the schema of the structured arguments.
fn content_form() -> Value {
    anything()
}

/// Parses a type in both spellings.
fn memory_type(word: &str) -> Result<SreType, ToolError> {
    SreType::parse_input(word).ok_or_else(|| {
        let rule = format!("unknown memory_type '{word}'");
        let supported: Vec<&str> = SreType::ALL.iter().map(|kind| kind.as_str()).collect();
        ToolError::new(ErrorCode::Invalid, rule).on("memory_type").with("supported", supported)
    })
}

/// Returns the tools of the family in listing order.
pub(super) fn tools() -> Vec<Tool> {
    vec![
        save_preference::tool(),
        save_infrastructure::tool(),
        save_investigation::tool(),
        retrieve_memory::tool(),
    ]
}
