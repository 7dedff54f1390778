//! The AgentCore names of fields that the engine knows by native names.

use loci_model::FieldName;

/// Returns the AgentCore name of a field.
pub(super) fn wire_name(field: FieldName) -> &'static str {
    match field {
        FieldName::Actor => "actorId",
        FieldName::AddIndexedKeys => "addIndexedKeys",
        FieldName::AddedKeyKind => "addIndexedKeys.type",
        FieldName::Allowed => "allowedValues",
        FieldName::Event => "eventId",
        FieldName::EventExpiryDays => "eventExpiryDuration",
        FieldName::EventVariables => "extractionConfig.namespaceVariables",
        FieldName::Expiry => "recordExpirySpecification.recordExpiryDurationDays",
        FieldName::ExpiryAction => "recordExpirySpecification.action",
        FieldName::ExpiryDays => "recordExpiryDurationDays",
        FieldName::ExpirySpecification => "recordExpirySpecification",
        FieldName::IdempotencyKey => "clientToken",
        FieldName::IndexedKeys => "indexedKeys",
        FieldName::Job => "jobId",
        FieldName::Limit => "maxResults",
        FieldName::Memory => "memoryId",
        FieldName::MetadataDateTime => "dateTimeValue",
        FieldName::MetadataFilters => "metadataFilters",
        FieldName::MetadataNumber => "numberValue",
        FieldName::NamespaceKeyPattern => "namespaceKeys.validation.regexPattern",
        FieldName::NamespaceKeys => "namespaceKeys",
        FieldName::NamespaceTemplate => "namespaceTemplates",
        FieldName::Pattern => "regexPattern",
        FieldName::PayloadBucket => "payloadDeliveryBucketName",
        FieldName::Query => "searchQuery",
        FieldName::Record => "memoryRecordId",
        FieldName::RecordExpiryDays => "recordExpiryDurationDays",
        FieldName::Reflection => "reflectionConfiguration",
        FieldName::ReflectionTemplate => "reflectionConfiguration.namespaceTemplates",
        FieldName::Request => "requestIdentifier",
        FieldName::Root => "rootEventId",
        FieldName::SchemaKey => "memoryRecordSchema.metadataSchema.key",
        FieldName::SchemaKind => "memoryRecordSchema.metadataSchema.type",
        FieldName::SelfManaged => "configuration.selfManagedConfiguration",
        FieldName::SelfManagedSettings => "selfManagedConfiguration",
        FieldName::Session => "sessionId",
        FieldName::Strategies => "memoryStrategies",
        FieldName::Strategy => "memoryStrategyId",
        FieldName::TemplateVariables => "namespaceVariables",
        FieldName::Time => "eventTimestamp",
        FieldName::TopK => "topK",
        FieldName::Topic => "topicArn",
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;
    use futures::FutureExt;
    use loci_model::record::metadata_filter::{FilterOperator, FilterType, MetadataFilter};
    use loci_model::{ActorId, Error, ErrorText, EventId, MemoryId, RecordId, SessionId, StrategyId};
    use serde_json::Value;

    use super::*;
    use crate::agentcore::errors::WireError;
    use crate::v1::protocol::problem::ProblemResponse;

    /// The fields, each with its native name and its AgentCore name.
    const NAMES: &[(FieldName, &str, &str)] = &[
        (FieldName::Actor, "actor", "actorId"),
        (FieldName::AddIndexedKeys, "add_indexed_keys", "addIndexedKeys"),
        (FieldName::AddedKeyKind, "add_indexed_keys.kind", "addIndexedKeys.type"),
        (FieldName::Allowed, "allowed", "allowedValues"),
        (FieldName::Event, "event", "eventId"),
        (FieldName::EventExpiryDays, "event_expiry_days", "eventExpiryDuration"),
        (FieldName::EventVariables, "namespace_variables", "extractionConfig.namespaceVariables"),
        (FieldName::Expiry, "expiry_days", "recordExpirySpecification.recordExpiryDurationDays"),
        (FieldName::ExpiryAction, "expiry_days", "recordExpirySpecification.action"),
        (FieldName::ExpiryDays, "expiry_days", "recordExpiryDurationDays"),
        (FieldName::ExpirySpecification, "expiry_days", "recordExpirySpecification"),
        (FieldName::IdempotencyKey, "Idempotency-Key", "clientToken"),
        (FieldName::IndexedKeys, "indexed_keys", "indexedKeys"),
        (FieldName::Job, "job", "jobId"),
        (FieldName::Limit, "limit", "maxResults"),
        (FieldName::Memory, "memory", "memoryId"),
        (FieldName::MetadataDateTime, "date_time", "dateTimeValue"),
        (FieldName::MetadataFilters, "metadata", "metadataFilters"),
        (FieldName::MetadataNumber, "number", "numberValue"),
        (FieldName::NamespaceKeyPattern, "namespace_keys.pattern", "namespaceKeys.validation.regexPattern"),
        (FieldName::NamespaceKeys, "namespace_keys", "namespaceKeys"),
        (FieldName::NamespaceTemplate, "namespace", "namespaceTemplates"),
        (FieldName::Pattern, "pattern", "regexPattern"),
        (FieldName::PayloadBucket, "bucket", "payloadDeliveryBucketName"),
        (FieldName::Query, "query", "searchQuery"),
        (FieldName::Record, "record", "memoryRecordId"),
        (FieldName::RecordExpiryDays, "record_expiry_days", "recordExpiryDurationDays"),
        (FieldName::Reflection, "reflection_namespace", "reflectionConfiguration"),
        (FieldName::ReflectionTemplate, "reflection_namespace", "reflectionConfiguration.namespaceTemplates"),
        (FieldName::Request, "request", "requestIdentifier"),
        (FieldName::Root, "root", "rootEventId"),
        (FieldName::SchemaKey, "metadata.key", "memoryRecordSchema.metadataSchema.key"),
        (FieldName::SchemaKind, "metadata.kind", "memoryRecordSchema.metadataSchema.type"),
        (FieldName::SelfManaged, "self_managed", "configuration.selfManagedConfiguration"),
        (FieldName::SelfManagedSettings, "self_managed", "selfManagedConfiguration"),
        (FieldName::Session, "session", "sessionId"),
        (FieldName::Strategies, "strategies", "memoryStrategies"),
        (FieldName::Strategy, "strategy", "memoryStrategyId"),
        (FieldName::TemplateVariables, "namespace_variables", "namespaceVariables"),
        (FieldName::Time, "time", "eventTimestamp"),
        (FieldName::TopK, "top_k", "topK"),
        (FieldName::Topic, "topic", "topicArn"),
    ];

    /// Returns the field and the message of the native API.
    fn native(error: Error) -> (Value, Value) {
        let body = ProblemResponse(error).into_response().into_body();
        let body = axum::body::to_bytes(body, 1 << 16).now_or_never().unwrap().unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        (body["error"]["field"].clone(), body["error"]["message"].clone())
    }

    /// Returns the field and the message of the AgentCore API.
    fn wire(error: Error) -> (Value, Value) {
        let body = WireError::new(None, error.into()).into_response().into_body();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["fieldList"][0]["message"], body["message"]);
        (body["fieldList"][0]["name"].clone(), body["message"].clone())
    }

    #[test]
    fn each_field_has_its_name_on_each_door() {
        let fields: Vec<FieldName> = NAMES.iter().map(|(field, ..)| *field).collect();
        assert_eq!(fields, FieldName::ALL);
        for (field, native_name, wire_name) in NAMES {
            let error = || {
                let rule = ErrorText::from("the memory's record: ") + *field + " is no query of {actorId}";
                Error::invalid(ErrorText::from("records.") + *field + ".time", rule)
            };
            let expect = |name: &str| {
                let rule = format!("the memory's record: {name} is no query of {{actorId}}");
                (format!("records.{name}.time").into(), rule.into())
            };
            assert_eq!(native(error()), expect(native_name));
            assert_eq!(wire(error()), expect(wire_name));
        }
    }

    #[test]
    fn refused_values_name_their_field_on_each_door() {
        let check = |error: fn() -> Option<Error>, on_native: (&str, &str), on_wire: (&str, &str)| {
            let starts = |(field, message): (Value, Value), expect: (&str, &str)| {
                assert_eq!(field, expect.0);
                assert!(message.as_str().unwrap().starts_with(expect.1), "{message}");
            };
            starts(native(error().unwrap()), on_native);
            starts(wire(error().unwrap()), on_wire);
        };
        check(
            || ActorId::parse("../x").err(),
            ("actor", "actor must be 1 to 255 "),
            ("actorId", "actorId must be 1 to 255 "),
        );
        check(
            || EventId::parse("12#").err(),
            ("event", "event must be digits, "),
            ("eventId", "eventId must be digits, "),
        );
        check(
            || MemoryId::parse("x").err(),
            ("memory", "memory must be the memory's name, "),
            ("memoryId", "memoryId must be the memory's name, "),
        );
        check(
            || RecordId::parse("mem-x").err(),
            ("record", "record must be 40 to 50 "),
            ("memoryRecordId", "memoryRecordId must be 40 to 50 "),
        );
        check(
            || SessionId::parse("a/b").err(),
            ("session", "session must be 1 to 100 "),
            ("sessionId", "sessionId must be 1 to 100 "),
        );
        check(
            || StrategyId::parse("a b").err(),
            ("strategy", "strategy must be 1 to 100 "),
            ("memoryStrategyId", "memoryStrategyId must be 1 to 100 "),
        );
        // The key is the caller's own text. It is not translated as a field name on any interface.
        let key = || {
            let filter =
                MetadataFilter { key: "memory".to_owned(), operator: FilterOperator::EqualsTo, right: None };
            filter.check(FilterType::DateTime).err()
        };
        check(key, ("metadata", "filter on 'memory': "), ("metadataFilters", "filter on 'memory': "));
    }
}
