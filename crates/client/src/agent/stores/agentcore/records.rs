//! Search requests to AgentCore, and entries made from the records of the response. The entries
//! keep AgentCore's order.

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{MemoryContent, MemoryRecordMetadataValue, MemoryRecordSummary};
use serde_json::{Number, Value};

use crate::agent::entry::{Entry, Metadata, Trust};

/// The metadata keys of an entry that the store sets itself. They hide metadata of records under
/// the same keys.
const ID: &str = "_id";
const SCORE: &str = "_score";
const NAMESPACES: &str = "_namespaces";
const CREATED_AT: &str = "_createdAt";

/// Returns the first entries of a response that have at least the minimum score.
pub(super) fn entries(
    store_name: &str,
    records: Vec<MemoryRecordSummary>,
    score_min: Option<f64>,
    wanted: usize,
) -> Vec<Entry> {
    let good =
        |record: &MemoryRecordSummary| score_min.is_none_or(|least| record.score.unwrap_or(0.0) >= least);
    records.into_iter().filter(good).take(wanted).map(|record| entry(store_name, record)).collect()
}

fn entry(store_name: &str, record: MemoryRecordSummary) -> Entry {
    // The SDK fills absent members with an empty text and with the year 1970.
    let id = Some(record.memory_record_id).filter(|id| !id.is_empty());
    let created_at = Some(record.created_at).filter(|time| time.secs() != 0);
    let mut metadata: Metadata = record.metadata.unwrap_or_default().into_iter().filter_map(own).collect();
    // The maps of the SDK have no order; an entry's metadata is sorted.
    metadata.sort_keys();
    let reserved = [
        (ID, id.clone().map(Value::String)),
        (SCORE, record.score.and_then(Number::from_f64).map(Value::Number)),
        (NAMESPACES, (!record.namespaces.is_empty()).then(|| Value::from(record.namespaces.clone()))),
        (CREATED_AT, created_at.as_ref().and_then(time_text).map(Value::String)),
    ];
    for (name, value) in reserved {
        metadata.retain(|member, _| member != name);
        metadata.extend(value.map(|value| (name.to_owned(), value)));
    }
    Entry {
        content: match record.content {
            Some(MemoryContent::Text(text)) => text,
            _ => String::new(),
        },
        store_name: store_name.to_owned(),
        also_in: Vec::new(),
        metadata,
        score: record.score,
        created_at_ms: created_at.as_ref().and_then(|time| time.to_millis().ok()),
        observed_at_ms: record.timestamp.as_ref().and_then(|time| time.to_millis().ok()),
        id,
        namespaces: record.namespaces,
        trust: Trust::Unknown,
    }
}

fn own((key, value): (String, MemoryRecordMetadataValue)) -> Option<(String, Value)> {
    let value = match value {
        MemoryRecordMetadataValue::StringValue(text) => Value::String(text),
        MemoryRecordMetadataValue::StringListValue(texts) => Value::from(texts),
        MemoryRecordMetadataValue::NumberValue(number) => Number::from_f64(number).map(Value::Number)?,
        MemoryRecordMetadataValue::DateTimeValue(time) => Value::String(time_text(&time)?),
        _ => {
            tracing::debug!(
                "key=<{key}> | metadata of a record has a form that is not known, and is left out"
            );
            return None;
        }
    };
    Some((key, value))
}

/// Formats a time as `2026-01-31T10:00:00.000Z`.
fn time_text(time: &DateTime) -> Option<String> {
    let at_ms = time.to_millis().ok()?;
    jiff::Timestamp::from_millisecond(at_ms).ok().map(|time| format!("{time:.3}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(id: &str, score: Option<f64>) -> MemoryRecordSummary {
        MemoryRecordSummary::builder()
            .memory_record_id(id)
            .content(MemoryContent::Text(format!("text of {id}")))
            .memory_strategy_id("s")
            .namespaces("/users/alice/facts/")
            .created_at(DateTime::from_millis(1_767_312_000_000))
            .set_score(score)
            .build()
            .unwrap()
    }

    #[test]
    fn an_entry_says_where_it_comes_from() {
        let mut full = record("rec-1", Some(0.5));
        full.timestamp = Some(DateTime::from_millis(1_767_398_400_000));
        full.metadata = Some(
            [
                ("b", MemoryRecordMetadataValue::StringListValue(vec!["x".into()])),
                ("a", MemoryRecordMetadataValue::NumberValue(2.5)),
                ("c", MemoryRecordMetadataValue::DateTimeValue(DateTime::from_millis(0))),
                ("_id", MemoryRecordMetadataValue::StringValue("a forgery".into())),
            ]
            .map(|(key, value)| (key.to_owned(), value))
            .into(),
        );
        let found = entries("facts", vec![full], None, 5);
        assert_eq!(
            serde_json::to_value(&found[0]).unwrap(),
            json!({
                "content": "text of rec-1", "store_name": "facts", "also_in": [], "score": 0.5, "id": "rec-1",
                "metadata": {
                    "a": 2.5, "b": ["x"], "c": "1970-01-01T00:00:00.000Z", "_id": "rec-1", "_score": 0.5,
                    "_namespaces": ["/users/alice/facts/"], "_createdAt": "2026-01-02T00:00:00.000Z"
                },
                "created_at_ms": 1_767_312_000_000_i64, "observed_at_ms": 1_767_398_400_000_i64,
                "namespaces": ["/users/alice/facts/"], "trust": "unknown"
            })
        );
        let mut bare = record("", None);
        (bare.content, bare.namespaces, bare.created_at) = (None, Vec::new(), DateTime::from_secs(0));
        let found = entries("facts", vec![bare], None, 5);
        assert_eq!((found[0].content.as_str(), found[0].metadata.len()), ("", 0), "each only if present");
    }

    #[test]
    fn only_with_a_least_score_is_anything_dropped() {
        let check = |score_min: Option<f64>, wanted: usize, expect: &[&str]| {
            let records = vec![
                record("a", Some(0.2)),
                record("b", None),
                record("c", Some(0.9)),
                record("d", Some(0.3)),
            ];
            let found = entries("facts", records, score_min, wanted);
            let ids: Vec<&str> = found.iter().filter_map(|entry| entry.id.as_deref()).collect();
            assert_eq!(ids, expect);
        };
        check(None, 5, &["a", "b", "c", "d"]);
        check(None, 2, &["a", "b"]);
        check(Some(0.3), 5, &["c", "d"]);
        check(Some(0.3), 1, &["c"]);
        check(Some(0.0), 5, &["a", "b", "c", "d"]);
    }
}
