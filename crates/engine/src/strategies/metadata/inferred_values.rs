//! Metadata that a model infers: the description of each key in the question, and the check of its
//! values. A value that violates its rule is dropped, not the record.

use loci_model::record::metadata::{Metadata, MetadataExtraction, MetadataSchemaEntry, MetadataValidation};
use serde_json::{Value, json};

use super::schema_values::{is_valid, typed};

/// Returns the instructions and the JSON Schema of the member with the values; `None` if no values
/// must be inferred. It includes only keys that a model may infer.
pub fn form(schema: &[MetadataSchemaEntry]) -> Option<(String, Value)> {
    let asked: Vec<&MetadataSchemaEntry> = asked(schema).collect();
    if asked.is_empty() {
        return None;
    }
    let mut lines =
        "- `metadata`: one more member, a list of {\"key\": …, \"value\": …}, both strings. Leave a key out where the \
         conversation does not tell its value. The keys:"
            .to_owned();
    for entry in &asked {
        let Some(llm) = &entry.llm else { continue };
        lines.push_str(&format!(
            "\n  - `{}` ({}): {}",
            entry.key,
            entry.effective_type().as_str(),
            one_line(&llm.definition)
        ));
        if let Some(instruction) = &llm.instruction {
            lines.push_str(&format!(" {}", one_line(instruction)));
        }
        lines.push_str(&llm.validation.as_ref().map(rule).unwrap_or_default());
    }
    let keys: Vec<&str> = asked.iter().map(|entry| entry.key.as_str()).collect();
    let pair = json!({
        "type": "object",
        "properties": { "key": { "type": "string", "enum": keys }, "value": { "type": "string" } },
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    Some((lines, json!({ "type": "array", "items": pair })))
}

/// Adds that member to the JSON Schema of an entry, if needed, and returns the instructions.
pub fn add(schema: &[MetadataSchemaEntry], entry: &mut Value) -> Option<String> {
    let (lines, form) = form(schema)?;
    if let Some(properties) = entry.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("metadata".to_owned(), form);
    }
    if let Some(required) = entry.get_mut("required").and_then(Value::as_array_mut) {
        required.push(json!("metadata"));
    }
    Some(lines)
}

/// Returns the valid values; the first one of a key counts.
pub fn values(schema: &[MetadataSchemaEntry], pairs: &[(String, String)]) -> Metadata {
    let mut values = Metadata::new();
    for entry in asked(schema) {
        let said = pairs.iter().find(|(key, _)| *key == entry.key);
        let validation = entry.llm.as_ref().and_then(|llm| llm.validation.as_ref());
        let value = said.and_then(|(_, text)| typed(entry.effective_type(), text));
        if let Some(value) = value.filter(|value| is_valid(validation, value)) {
            values.insert(entry.key.clone(), value);
        }
    }
    values
}

fn asked(schema: &[MetadataSchemaEntry]) -> impl Iterator<Item = &MetadataSchemaEntry> {
    schema.iter().filter(|entry| {
        entry.effective_extraction() == MetadataExtraction::LlmInferred && entry.llm.is_some()
    })
}

fn rule(validation: &MetadataValidation) -> String {
    match validation {
        MetadataValidation::String { allowed } if allowed.is_empty() => String::new(),
        MetadataValidation::String { allowed } => format!(" One of: {}.", allowed.join(", ")),
        MetadataValidation::StringList { allowed, items_max } => {
            let of = if allowed.is_empty() { String::new() } else { format!(" of {}", allowed.join(", ")) };
            let most = items_max.map(|max| format!(", at most {max}")).unwrap_or_default();
            format!(" A JSON list of strings{of}{most}.")
        }
        MetadataValidation::Number { min, max } => {
            let low = min.map(|min| format!(" from {min}")).unwrap_or_default();
            let high = max.map(|max| format!(" up to {max}")).unwrap_or_default();
            format!(" A number{low}{high}.")
        }
    }
}

fn one_line(text: &str) -> String {
    loci_text::normalise_exact(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::record::metadata::{LlmExtraction, MetadataType, MetadataValue};

    fn entry(key: &str, kind: MetadataType, validation: Option<MetadataValidation>) -> MetadataSchemaEntry {
        let llm = LlmExtraction { definition: "what\nit is".into(), instruction: None, validation };
        MetadataSchemaEntry { key: key.into(), kind: Some(kind), extraction: None, llm: Some(llm) }
    }

    #[test]
    fn values_are_asked_for_and_checked() {
        let topics = MetadataValidation::String { allowed: vec!["food".into(), "work".into()] };
        let schema = [
            entry("topic", MetadataType::String, Some(topics)),
            entry(
                "score",
                MetadataType::Number,
                Some(MetadataValidation::Number { min: Some(0.0), max: Some(1.0) }),
            ),
            MetadataSchemaEntry { llm: None, ..entry("plain", MetadataType::String, None) },
        ];
        let (lines, form) = form(&schema).unwrap();
        assert!(lines.contains("`topic` (STRING): what it is One of: food, work."), "{lines}");
        assert!(lines.contains("A number from 0 up to 1."), "{lines}");
        assert_eq!(form["items"]["properties"]["key"]["enum"], json!(["topic", "score"]));
        let check = |pairs: &[(&str, &str)], expect: &[(&str, MetadataValue)]| {
            let pairs: Vec<_> = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            let expect: Metadata = expect.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
            assert_eq!(values(&schema, &pairs), expect);
        };
        let food = ("topic", MetadataValue::String("food".into()));
        check(&[("topic", "food"), ("topic", "work"), ("other", "x")], std::slice::from_ref(&food));
        check(&[("topic", "sports"), ("score", "0.5")], &[("score", MetadataValue::Number(0.5))]);
        check(&[("score", "7"), ("topic", "food"), ("plain", "x")], &[food]);
        assert!(super::form(&schema[2..]).is_none());
    }
}
