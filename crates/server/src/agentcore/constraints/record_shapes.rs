//! The shapes of records, their metadata filters and batches.

use super::memory_shapes::RECORD_EXPIRY;
use super::scalars::{
    DATA_TOKEN, FREE_TEXT, METADATA_KEY, NAMESPACE, PAGE_SIZE, RECORD_ID, RECORD_METADATA_ITEM,
    RECORD_METADATA_TEXT, REQUEST_IDENTIFIER, STRATEGY_ID,
};
use super::shape::{Shape, content, list, optional, required, text};

pub(super) static RETRIEVE: Shape = Shape::Struct(&[
    optional("namespace", &NAMESPACE),
    optional("namespacePath", &NAMESPACE),
    required("searchCriteria", &SEARCH_CRITERIA),
    optional("maxResults", &PAGE_SIZE),
    optional("nextToken", &FREE_TEXT),
]);

pub(super) static LIST_RECORDS: Shape = Shape::Struct(&[
    optional("namespace", &NAMESPACE),
    optional("namespacePath", &NAMESPACE),
    optional("memoryStrategyId", &STRATEGY_ID),
    optional("metadataFilters", &FILTERS),
    optional("maxResults", &PAGE_SIZE),
    optional("nextToken", &FREE_TEXT),
]);

pub(super) static BATCH_CREATE: Shape = Shape::Struct(&[
    required("records", &list(&CREATE_INPUT, 0, 100)),
    optional("clientToken", &DATA_TOKEN),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
]);

pub(super) static BATCH_UPDATE: Shape = Shape::Struct(&[
    required("records", &list(&UPDATE_INPUT, 0, 100)),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
]);

pub(super) static BATCH_DELETE: Shape = Shape::Struct(&[required("records", &list(&DELETE_INPUT, 0, 100))]);

/// A longer query is shortened in lenient mode, with a warning.
static SEARCH_QUERY: Shape = content(1, 10_000, None, 1);
static SEARCH_CRITERIA: Shape = Shape::Struct(&[
    required("searchQuery", &SEARCH_QUERY),
    optional("memoryStrategyId", &STRATEGY_ID),
    optional("topK", &Shape::Int { min: 1, max: 100 }),
    optional("metadataFilters", &FILTERS),
]);
static FILTERS: Shape = list(&FILTER, 1, 5);
static FILTER: Shape = Shape::Struct(&[
    required("left", &Shape::Union(&[optional("metadataKey", &METADATA_KEY)])),
    required(
        "operator",
        &Shape::Choice(&[
            "EQUALS_TO",
            "EXISTS",
            "NOT_EXISTS",
            "BEFORE",
            "AFTER",
            "CONTAINS",
            "GREATER_THAN",
            "GREATER_THAN_OR_EQUALS",
            "LESS_THAN",
            "LESS_THAN_OR_EQUALS",
        ]),
    ),
    optional("right", &Shape::Union(&[optional("metadataValue", &METADATA_VALUE)])),
]);
static METADATA_VALUE: Shape = Shape::Union(&[
    optional("stringValue", &RECORD_METADATA_TEXT),
    optional("stringListValue", &list(&RECORD_METADATA_ITEM, 1, 5)),
    optional("numberValue", &Shape::Double),
    optional("dateTimeValue", &Shape::Time),
]);
static METADATA: Shape =
    Shape::Map { key: &METADATA_KEY, of: &METADATA_VALUE, min: 1, max: 20, content: false };
static CONTENT: Shape = Shape::Union(&[optional("text", &text(1, 16_000))]);
static NAMESPACES: Shape = list(&NAMESPACE, 0, 1);

static CREATE_INPUT: Shape = Shape::Struct(&[
    required("requestIdentifier", &REQUEST_IDENTIFIER),
    required("namespaces", &NAMESPACES),
    required("content", &CONTENT),
    required("timestamp", &Shape::Time),
    optional("memoryStrategyId", &STRATEGY_ID),
    optional("metadata", &METADATA),
]);
static UPDATE_INPUT: Shape = Shape::Struct(&[
    required("memoryRecordId", &RECORD_ID),
    required("timestamp", &Shape::Time),
    optional("content", &CONTENT),
    optional("namespaces", &NAMESPACES),
    optional("sourceNamespaces", &NAMESPACES),
    optional("memoryStrategyId", &STRATEGY_ID),
    optional("metadata", &METADATA),
]);
static DELETE_INPUT: Shape =
    Shape::Struct(&[required("memoryRecordId", &RECORD_ID), optional("namespace", &NAMESPACE)]);
