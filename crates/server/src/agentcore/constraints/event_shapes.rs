//! The shapes of events, ingested content and their filters.

use super::scalars::{
    ACTOR_ID, ANY, BRANCH_NAME, DATA_TOKEN, EVENT_ID, EVENT_METADATA_KEY, EVENT_METADATA_TEXT, FREE_TEXT,
    METADATA_KEY, PAGE_SIZE, SESSION_ID, VARIABLE_NAME, VARIABLE_VALUE,
};
use super::shape::{Shape, content, list, optional, required};

/// The maximum number of serialized bytes of a `json.content`.
const JSON_BYTES_MAX: usize = 102_400;

/// AWS's service model requires `eventTimestamp`, but AWS's documentation states the server's time
/// as its default. Loci follows the documentation.
pub(super) static CREATE_EVENT: Shape = Shape::Struct(&[
    required("actorId", &ACTOR_ID),
    optional("sessionId", &SESSION_ID),
    optional("eventTimestamp", &Shape::Time),
    required("payload", &Shape::List { of: &PAYLOAD, min: 0, max: 100, content: true }),
    optional("branch", &BRANCH),
    optional("clientToken", &DATA_TOKEN),
    optional("metadata", &EVENT_METADATA),
    optional("extractionMode", &Shape::Choice(&["SKIP"])),
    optional("extractionConfig", &EXTRACTION),
]);

pub(super) static LIST_EVENTS: Shape = Shape::Struct(&[
    optional("includePayloads", &Shape::Bool),
    optional("filter", &EVENT_FILTERS),
    optional("maxResults", &PAGE_SIZE),
    optional("nextToken", &FREE_TEXT),
]);

pub(super) static PAGE: Shape =
    Shape::Struct(&[optional("maxResults", &PAGE_SIZE), optional("nextToken", &FREE_TEXT)]);

pub(super) static LIST_SESSIONS: Shape = Shape::Struct(&[
    optional("filter", &Shape::Struct(&[optional("eventFilter", &Shape::Choice(&["HAS_EVENTS"]))])),
    optional("maxResults", &PAGE_SIZE),
    optional("nextToken", &FREE_TEXT),
]);

pub(super) static INGEST_DATA: Shape = Shape::Struct(&[
    required("source", &SOURCE),
    required("contentTimestamp", &Shape::Time),
    required("actorId", &ACTOR_ID),
    optional("sessionId", &SESSION_ID),
    optional("extractionConfig", &EXTRACTION),
    optional("metadata", &EVENT_METADATA),
    optional("clientToken", &DATA_TOKEN),
]);

pub(super) static LIST_JOBS: Shape = Shape::Struct(&[
    optional(
        "filter",
        &Shape::Struct(&[
            optional("strategyId", &FREE_TEXT),
            optional("sessionId", &FREE_TEXT),
            optional("actorId", &FREE_TEXT),
            optional("status", &Shape::Choice(&["FAILED"])),
        ]),
    ),
    optional("maxResults", &Shape::Int { min: 1, max: 50 }),
    optional("nextToken", &FREE_TEXT),
]);

pub(super) static START_JOB: Shape = Shape::Struct(&[
    required("extractionJob", &Shape::Struct(&[required("jobId", &FREE_TEXT)])),
    optional("clientToken", &DATA_TOKEN),
]);

static PAYLOAD: Shape = Shape::Union(&[
    optional("conversational", &CONVERSATIONAL),
    optional("blob", &Shape::Document { bytes_max: ANY }),
    optional("json", &JSON),
]);
static CONVERSATIONAL: Shape = Shape::Struct(&[
    required("content", &Shape::Union(&[optional("text", &MESSAGE_TEXT)])),
    required("role", &Shape::Choice(&["ASSISTANT", "USER", "TOOL", "OTHER"])),
]);
static MESSAGE_TEXT: Shape = content(1, 100_000, None, 0);
static JSON: Shape = Shape::Struct(&[required("content", &Shape::Document { bytes_max: JSON_BYTES_MAX })]);
static BRANCH: Shape = Shape::Struct(&[required("name", &BRANCH_NAME), optional("rootEventId", &EVENT_ID)]);
static EVENT_METADATA: Shape =
    Shape::Map { key: &EVENT_METADATA_KEY, of: &EVENT_METADATA_VALUE, min: 0, max: 15, content: true };
static EVENT_METADATA_VALUE: Shape = Shape::Union(&[optional("stringValue", &EVENT_METADATA_TEXT)]);
static EXTRACTION: Shape = Shape::Struct(&[optional(
    "namespaceVariables",
    &Shape::Map { key: &VARIABLE_NAME, of: &VARIABLE_VALUE, min: 1, max: 5, content: false },
)]);

static EVENT_FILTERS: Shape = Shape::Struct(&[
    optional(
        "branch",
        &Shape::Struct(&[required("name", &BRANCH_NAME), optional("includeParentBranches", &Shape::Bool)]),
    ),
    optional("eventMetadata", &list(&EVENT_FILTER, 1, 5)),
]);
static EVENT_FILTER: Shape = Shape::Struct(&[
    required("left", &Shape::Union(&[optional("metadataKey", &METADATA_KEY)])),
    required("operator", &Shape::Choice(&["EQUALS_TO", "EXISTS", "NOT_EXISTS"])),
    optional("right", &Shape::Union(&[optional("metadataValue", &EVENT_METADATA_VALUE)])),
]);

static SOURCE: Shape = Shape::Union(&[optional(
    "inline",
    &Shape::Struct(&[required(
        "payload",
        &Shape::List { of: &INGEST_PAYLOAD, min: 1, max: 100, content: true },
    )]),
)]);
static INGEST_PAYLOAD: Shape =
    Shape::Union(&[optional("conversational", &CONVERSATIONAL), optional("json", &JSON)]);
