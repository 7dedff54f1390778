//! The shapes of a memory and its strategies in requests.

use super::scalars::{
    ANY, ARN, BUCKET_NAME, CONTROL_TOKEN, DESCRIPTION, FREE_TEXT, METADATA_KEY, METADATA_TYPE, NAME,
    NAMESPACE_TEMPLATE, PAGE_SIZE, RECORD_METADATA_ITEM, RECORD_METADATA_TEXT, TAG_VALUE, TOPIC_ARN,
    VARIABLE_NAME, VARIABLE_VALUE,
};
use super::shape::{Shape, list, optional, required, text};

pub(super) static CREATE_MEMORY: Shape = Shape::Struct(&[
    optional("clientToken", &CONTROL_TOKEN),
    required("name", &NAME),
    optional("description", &DESCRIPTION),
    optional("encryptionKeyArn", &ARN),
    optional("memoryExecutionRoleArn", &ARN),
    required("eventExpiryDuration", &EVENT_EXPIRY_DAYS),
    optional("memoryStrategies", &STRATEGIES),
    optional("indexedKeys", &INDEXED_KEYS),
    optional("namespaceKeys", &NAMESPACE_KEYS),
    optional("streamDeliveryResources", &STREAM_DELIVERY),
    optional("tags", &TAGS),
]);

pub(super) static LIST_MEMORIES: Shape =
    Shape::Struct(&[optional("maxResults", &PAGE_SIZE), optional("nextToken", &FREE_TEXT)]);

pub(super) static UPDATE_MEMORY: Shape = Shape::Struct(&[
    optional("clientToken", &CONTROL_TOKEN),
    optional("description", &DESCRIPTION),
    optional("eventExpiryDuration", &EVENT_EXPIRY_DAYS),
    optional("memoryExecutionRoleArn", &ARN),
    optional("memoryStrategies", &MODIFY_STRATEGIES),
    optional("addIndexedKeys", &INDEXED_KEYS),
    optional("namespaceKeys", &NAMESPACE_KEYS),
    optional("streamDeliveryResources", &STREAM_DELIVERY),
]);

pub(super) static TAG_RESOURCE: Shape = Shape::Struct(&[required("tags", &TAGS)]);

pub(super) static RECORD_EXPIRY: Shape = Shape::Union(&[
    optional("recordExpiryDurationDays", &RECORD_EXPIRY_DAYS),
    optional("action", &EXPIRY_ACTION),
]);

static TAGS: Shape = Shape::Map { key: &METADATA_KEY, of: &TAG_VALUE, min: 0, max: 50, content: false };
static EVENT_EXPIRY_DAYS: Shape = Shape::Int { min: 3, max: 3650 };
static RECORD_EXPIRY_DAYS: Shape = Shape::Int { min: 31, max: i32::MAX as i64 };
static EXPIRY_ACTION: Shape = Shape::Choice(&["REMOVE"]);
static TEMPLATES: Shape = list(&NAMESPACE_TEMPLATE, 1, 1);

static STRATEGIES: Shape = list(&STRATEGY, 0, ANY);
static STRATEGY: Shape = Shape::Union(&[
    optional("semanticMemoryStrategy", &BUILT_IN_STRATEGY),
    optional("summaryMemoryStrategy", &BUILT_IN_STRATEGY),
    optional("userPreferenceMemoryStrategy", &BUILT_IN_STRATEGY),
    optional("customMemoryStrategy", &CUSTOM_STRATEGY),
    optional("episodicMemoryStrategy", &EPISODIC_STRATEGY),
]);
static BUILT_IN_STRATEGY: Shape = Shape::Struct(&[
    required("name", &NAME),
    optional("description", &DESCRIPTION),
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
]);
static CUSTOM_STRATEGY: Shape = Shape::Struct(&[
    required("name", &NAME),
    optional("description", &DESCRIPTION),
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
    optional("configuration", &CUSTOM_CONFIGURATION),
]);
static EPISODIC_STRATEGY: Shape = Shape::Struct(&[
    required("name", &NAME),
    optional("description", &DESCRIPTION),
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
    optional("reflectionConfiguration", &REFLECTION_CONFIGURATION),
]);
static REFLECTION_CONFIGURATION: Shape = Shape::Struct(&[
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
]);

static CUSTOM_CONFIGURATION: Shape = Shape::Union(&[
    optional("semanticOverride", &TWO_STEPS),
    optional("summaryOverride", &CONSOLIDATION_ONLY),
    optional("userPreferenceOverride", &TWO_STEPS),
    optional("episodicOverride", &THREE_STEPS),
    optional("selfManagedConfiguration", &SELF_MANAGED),
]);
static TWO_STEPS: Shape = Shape::Struct(&[optional("extraction", &STEP), optional("consolidation", &STEP)]);
static CONSOLIDATION_ONLY: Shape = Shape::Struct(&[optional("consolidation", &STEP)]);
static THREE_STEPS: Shape = Shape::Struct(&[
    optional("extraction", &STEP),
    optional("consolidation", &STEP),
    optional("reflection", &REFLECTION_STEP),
]);
static STEP: Shape = Shape::Struct(&[required("appendToPrompt", &PROMPT), required("modelId", &FREE_TEXT)]);
static REFLECTION_STEP: Shape = Shape::Struct(&[
    required("appendToPrompt", &PROMPT),
    required("modelId", &FREE_TEXT),
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
]);
static PROMPT: Shape = text(1, 30_000);

static SELF_MANAGED: Shape = Shape::Struct(&[
    optional("triggerConditions", &TRIGGERS),
    required("invocationConfiguration", &INVOCATION),
    optional("historicalContextWindowSize", &HISTORY_WINDOW),
]);
static INVOCATION: Shape =
    Shape::Struct(&[required("topicArn", &TOPIC_ARN), required("payloadDeliveryBucketName", &BUCKET_NAME)]);
static HISTORY_WINDOW: Shape = Shape::Int { min: 0, max: 50 };
static TRIGGERS: Shape = list(&TRIGGER, 1, ANY);
static TRIGGER: Shape = Shape::Union(&[
    optional("messageBasedTrigger", &MESSAGE_TRIGGER),
    optional("tokenBasedTrigger", &TOKEN_TRIGGER),
    optional("timeBasedTrigger", &TIME_TRIGGER),
]);
static MESSAGE_TRIGGER: Shape = Shape::Struct(&[optional("messageCount", &Shape::Int { min: 1, max: 50 })]);
static TOKEN_TRIGGER: Shape =
    Shape::Struct(&[optional("tokenCount", &Shape::Int { min: 100, max: 500_000 })]);
static TIME_TRIGGER: Shape =
    Shape::Struct(&[optional("idleSessionTimeout", &Shape::Int { min: 10, max: 3000 })]);

static RECORD_SCHEMA: Shape = Shape::Struct(&[optional("metadataSchema", &SCHEMA_ENTRIES)]);
static SCHEMA_ENTRIES: Shape = list(&SCHEMA_ENTRY, 1, 20);
static SCHEMA_ENTRY: Shape = Shape::Struct(&[
    required("key", &METADATA_KEY),
    optional("type", &METADATA_TYPE),
    optional("extractionType", &Shape::Choice(&["LLM_INFERRED", "STRICTLY_CONSISTENT"])),
    optional("extractionConfig", &EXTRACTION_CONFIGURATION),
]);
static EXTRACTION_CONFIGURATION: Shape = Shape::Union(&[optional("llmExtractionConfig", &LLM_EXTRACTION)]);
static LLM_EXTRACTION: Shape = Shape::Struct(&[
    required("definition", &SCHEMA_TEXT),
    optional("llmExtractionInstruction", &SCHEMA_TEXT),
    optional("validation", &VALIDATION),
]);
static SCHEMA_TEXT: Shape = text(1, 1000);
static VALIDATION: Shape = Shape::Union(&[
    optional("stringValidation", &STRING_VALIDATION),
    optional("stringListValidation", &STRING_LIST_VALIDATION),
    optional("numberValidation", &NUMBER_VALIDATION),
]);
static STRING_VALIDATION: Shape =
    Shape::Struct(&[required("allowedValues", &list(&RECORD_METADATA_TEXT, 1, 10))]);
static STRING_LIST_VALIDATION: Shape = Shape::Struct(&[
    optional("allowedValues", &list(&RECORD_METADATA_ITEM, 1, 10)),
    optional("maxItems", &Shape::Int { min: 1, max: 5 }),
]);
static NUMBER_VALIDATION: Shape =
    Shape::Struct(&[optional("minValue", &Shape::Double), optional("maxValue", &Shape::Double)]);

static INDEXED_KEYS: Shape = list(&INDEXED_KEY, 1, 10);
static INDEXED_KEY: Shape =
    Shape::Struct(&[required("key", &METADATA_KEY), required("type", &METADATA_TYPE)]);
static NAMESPACE_KEYS: Shape = list(&NAMESPACE_KEY, 0, 5);
static NAMESPACE_KEY: Shape = Shape::Struct(&[
    required("key", &VARIABLE_NAME),
    optional(
        "validation",
        &Shape::Struct(&[
            optional("allowedValues", &list(&VARIABLE_VALUE, 1, 10)),
            optional("regexPattern", &text(1, 64)),
        ]),
    ),
]);

static STREAM_DELIVERY: Shape = Shape::Struct(&[required("resources", &list(&STREAM_RESOURCE, 0, 1))]);
static STREAM_RESOURCE: Shape = Shape::Union(&[optional("kinesis", &KINESIS)]);
static KINESIS: Shape = Shape::Struct(&[
    required("dataStreamArn", &ARN),
    required("contentConfigurations", &list(&STREAM_CONTENT, 1, 1)),
]);
static STREAM_CONTENT: Shape = Shape::Struct(&[
    required("type", &Shape::Choice(&["MEMORY_RECORDS"])),
    optional("level", &Shape::Choice(&["METADATA_ONLY", "FULL_CONTENT"])),
]);

static MODIFY_STRATEGIES: Shape = Shape::Struct(&[
    optional("addMemoryStrategies", &STRATEGIES),
    optional("modifyMemoryStrategies", &list(&MODIFY_STRATEGY, 0, ANY)),
    optional("deleteMemoryStrategies", &list(&DELETE_STRATEGY, 0, ANY)),
]);
static DELETE_STRATEGY: Shape = Shape::Struct(&[required("memoryStrategyId", &FREE_TEXT)]);
static MODIFY_STRATEGY: Shape = Shape::Struct(&[
    required("memoryStrategyId", &FREE_TEXT),
    optional("description", &DESCRIPTION),
    optional("namespaces", &TEMPLATES),
    optional("namespaceTemplates", &TEMPLATES),
    optional("configuration", &MODIFY_CONFIGURATION),
    optional("memoryRecordSchema", &RECORD_SCHEMA),
    optional("recordExpirySpecification", &RECORD_EXPIRY),
]);
static MODIFY_CONFIGURATION: Shape = Shape::Struct(&[
    optional("extraction", &MODIFY_EXTRACTION),
    optional("consolidation", &MODIFY_CONSOLIDATION),
    optional("reflection", &MODIFY_REFLECTION),
    optional("selfManagedConfiguration", &MODIFY_SELF_MANAGED),
]);
static MODIFY_EXTRACTION: Shape = Shape::Union(&[optional(
    "customExtractionConfiguration",
    &Shape::Union(&[
        optional("semanticExtractionOverride", &STEP),
        optional("userPreferenceExtractionOverride", &STEP),
        optional("episodicExtractionOverride", &STEP),
    ]),
)]);
static MODIFY_CONSOLIDATION: Shape = Shape::Union(&[optional(
    "customConsolidationConfiguration",
    &Shape::Union(&[
        optional("semanticConsolidationOverride", &STEP),
        optional("summaryConsolidationOverride", &STEP),
        optional("userPreferenceConsolidationOverride", &STEP),
        optional("episodicConsolidationOverride", &STEP),
    ]),
)]);
static MODIFY_REFLECTION: Shape = Shape::Union(&[
    optional("episodicReflectionConfiguration", &REFLECTION_CONFIGURATION),
    optional(
        "customReflectionConfiguration",
        &Shape::Union(&[optional("episodicReflectionOverride", &REFLECTION_STEP)]),
    ),
]);
static MODIFY_SELF_MANAGED: Shape = Shape::Struct(&[
    optional("triggerConditions", &TRIGGERS),
    optional(
        "invocationConfiguration",
        &Shape::Struct(&[
            optional("topicArn", &TOPIC_ARN),
            optional("payloadDeliveryBucketName", &BUCKET_NAME),
        ]),
    ),
    optional("historicalContextWindowSize", &HISTORY_WINDOW),
]);
