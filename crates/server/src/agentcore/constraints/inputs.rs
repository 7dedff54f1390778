//! The input of each operation, as path, query and body members, and the check of a whole request.

use loci_model::memory::settings::EventLimits;

use super::refusal::{Reason, Refusal, Rule, Violations};
use super::shape::Shape;
use super::walk::{Walk, check_text};
use super::{event_shapes as events, memory_shapes as memories, record_shapes as records, scalars};
use crate::agentcore::route::{Operation, Route};

type Text = (&'static str, &'static Shape);

struct Input {
    path: &'static [Text],
    query: &'static [Text],
    body: Option<&'static Shape>,
}

const MEMORY: &[Text] = &[("memoryId", &scalars::MEMORY_ID)];
const DATA_MEMORY: &[Text] = &[("memoryId", &scalars::MEMORY_ID_OR_ARN)];
const ACTOR: &[Text] = &[("memoryId", &scalars::MEMORY_ID_OR_ARN), ("actorId", &scalars::ACTOR_ID)];
const SESSION: &[Text] = &[
    ("memoryId", &scalars::MEMORY_ID_OR_ARN),
    ("actorId", &scalars::ACTOR_ID),
    ("sessionId", &scalars::SESSION_ID),
];
const EVENT: &[Text] = &[
    ("memoryId", &scalars::MEMORY_ID_OR_ARN),
    ("actorId", &scalars::ACTOR_ID),
    ("sessionId", &scalars::SESSION_ID),
    ("eventId", &scalars::EVENT_ID),
];
const RECORD: &[Text] = &[("memoryId", &scalars::MEMORY_ID_OR_ARN), ("memoryRecordId", &scalars::RECORD_ID)];
const RESOURCE: &[Text] = &[("resourceArn", &scalars::RESOURCE_ARN)];
const NAMESPACE: &[Text] = &[("namespace", &scalars::NAMESPACE)];
const TOKEN: &[Text] = &[("clientToken", &scalars::CONTROL_TOKEN)];
const VIEW: &[Text] = &[("view", &VIEW_NAME)];
static VIEW_NAME: Shape = Shape::Choice(&["full", "without_decryption"]);

fn input(operation: Operation) -> Input {
    let body = |path, body| Input { path, query: &[], body: Some(body) };
    let plain = |path, query| Input { path, query, body: None };
    match operation {
        Operation::CreateMemory => body(&[], &memories::CREATE_MEMORY),
        Operation::GetMemory => plain(MEMORY, VIEW),
        Operation::ListMemories => body(&[], &memories::LIST_MEMORIES),
        Operation::UpdateMemory => body(MEMORY, &memories::UPDATE_MEMORY),
        Operation::DeleteMemory => plain(MEMORY, TOKEN),
        Operation::CreateEvent => body(DATA_MEMORY, &events::CREATE_EVENT),
        Operation::GetEvent | Operation::DeleteEvent => plain(EVENT, &[]),
        Operation::ListEvents => body(SESSION, &events::LIST_EVENTS),
        Operation::ListActors => body(DATA_MEMORY, &events::PAGE),
        Operation::ListSessions => body(ACTOR, &events::LIST_SESSIONS),
        Operation::RetrieveMemoryRecords => body(DATA_MEMORY, &records::RETRIEVE),
        Operation::ListMemoryRecords => body(DATA_MEMORY, &records::LIST_RECORDS),
        Operation::GetMemoryRecord | Operation::DeleteMemoryRecord => plain(RECORD, NAMESPACE),
        Operation::BatchCreateMemoryRecords => body(DATA_MEMORY, &records::BATCH_CREATE),
        Operation::BatchUpdateMemoryRecords => body(DATA_MEMORY, &records::BATCH_UPDATE),
        Operation::BatchDeleteMemoryRecords => body(DATA_MEMORY, &records::BATCH_DELETE),
        Operation::IngestData => body(DATA_MEMORY, &events::INGEST_DATA),
        Operation::ListMemoryExtractionJobs => body(DATA_MEMORY, &events::LIST_JOBS),
        Operation::StartMemoryExtractionJob => body(DATA_MEMORY, &events::START_JOB),
        Operation::TagResource => body(RESOURCE, &memories::TAG_RESOURCE),
        Operation::UntagResource | Operation::ListTagsForResource => plain(RESOURCE, &[]),
    }
}

/// Checks a routed request and returns the JSON text of its body: `{}` if the operation has none or
/// it is empty.
///
/// # Errors
/// A [`Refusal`] with reason `CannotParse` if the body is not JSON or a member has the wrong JSON
/// type, else `FieldValidationFailed` with one field per violated constraint.
pub fn check<'b>(route: &Route, body: &'b [u8], limits: EventLimits) -> Result<&'b str, Refusal> {
    let input = input(route.operation);
    let mut text = "{}";
    let mut walk = Walk::new(limits);
    if let Some(shape) = input.body {
        text = body_text(body)?;
        walk.body(shape, text)?;
    }
    let mut violations = walk.into_violations();
    for (name, shape) in input.path {
        check_text(&mut violations, name, shape, route.member(name), limits);
    }
    for (name, shape) in input.query {
        if let Some(value) = route.query_member(name) {
            check_text(&mut violations, name, shape, value, limits);
        }
    }
    if route.operation == Operation::UntagResource {
        check_tag_keys(&mut violations, route);
    }
    violations.into_result().map(|()| text)
}

/// Returns the body as text. White space alone counts as empty.
fn body_text(body: &[u8]) -> Result<&str, Refusal> {
    let text = std::str::from_utf8(body)
        .map_err(|_| Refusal::whole(Reason::CannotParse, "The request body is not UTF-8 text"))?;
    Ok(if text.trim().is_empty() { "{}" } else { text })
}

/// Checks `tagKeys`, the only list in a query.
fn check_tag_keys(violations: &mut Violations, route: &Route) {
    let keys: Vec<&str> =
        route.query.iter().filter(|(name, _)| name == "tagKeys").map(|(_, value)| value.as_str()).collect();
    if keys.is_empty() {
        violations.push("tagKeys", Rule::Required);
    }
    if keys.len() > 200 {
        violations.push("tagKeys", Rule::LengthMax(200));
    }
    for (index, key) in keys.iter().enumerate() {
        let path = format!("tagKeys[{index}]");
        check_text(violations, &path, &scalars::METADATA_KEY, key, EventLimits::Strict);
    }
}
