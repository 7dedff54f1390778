//! Metadata of extracted records by a strategy's schema, as far as possible without a model.
//!
//! Strictly consistent keys are copied from the event. Inferred keys are filled if the event's
//! metadata has the key, or if one of the allowed values occurs in the text; otherwise they are
//! absent. An invalid value is dropped, not the record.

use std::collections::BTreeMap;

use loci_model::event::Event;
use loci_model::record::Record;
use loci_model::record::metadata::{
    Metadata, MetadataExtraction, MetadataSchemaEntry, MetadataType, MetadataValidation, MetadataValue,
};

/// Maximum length of a string value in characters.
const STRING_CHARS_MAX: usize = 256;
const LIST_ITEMS_MAX: usize = 5;
const ITEM_CHARS_MAX: usize = 64;

/// Returns the strictly consistent values of one event's metadata: events with different values are
/// never merged.
pub fn strict_values(schema: &[MetadataSchemaEntry], event: &BTreeMap<String, String>) -> Metadata {
    schema
        .iter()
        .filter(|entry| entry.effective_extraction() == MetadataExtraction::StrictlyConsistent)
        .filter_map(|entry| Some((entry.key.clone(), typed(entry.effective_type(), event.get(&entry.key)?)?)))
        .collect()
}

/// Returns the values of an event that its records keep unchanged: those of the schema, and those
/// that the caller's grant restricts. The latter are strings in any schema, and by them the caller
/// finds the records of its event.
pub fn values_that_hold(schema: &[MetadataSchemaEntry], event: &Event) -> Metadata {
    let mut values = strict_values(schema, &event.metadata);
    values.extend(bound_values(event));
    values
}

/// Returns the values of an event that the caller's grant restricts.
pub fn bound_values(event: &Event) -> Metadata {
    let value = |key: &String| Some((key.clone(), MetadataValue::String(event.metadata.get(key)?.clone())));
    event.notes.bound.iter().filter_map(value).collect()
}

/// Returns true if a record has these values and equal strictly consistent values; a value missing
/// on one side is not equal. Those in `bound` are restricted by grants: the record must have been
/// written with restrictions on the same keys, because other callers see only one of the two.
pub fn agrees(schema: &[MetadataSchemaEntry], record: &Record, strict: &Metadata, bound: &Metadata) -> bool {
    let values = &record.metadata;
    let declared = schema
        .iter()
        .filter(|entry| entry.effective_extraction() == MetadataExtraction::StrictlyConsistent)
        .all(|entry| values.get(&entry.key) == strict.get(&entry.key));
    let is_seen_by_the_same = record.provenance.bound.iter().eq(bound.keys());
    declared && is_seen_by_the_same && strict.iter().all(|(key, value)| values.get(key) == Some(value))
}

/// Returns all values of a record: the strict ones, and those inferred from the event's metadata or
/// the text.
pub fn record_values(
    schema: &[MetadataSchemaEntry],
    event: &BTreeMap<String, String>,
    text: &str,
) -> Metadata {
    let mut values = strict_values(schema, event);
    for entry in schema {
        if entry.effective_extraction() == MetadataExtraction::LlmInferred {
            values.extend(inferred(entry, event, text).map(|value| (entry.key.clone(), value)));
        }
    }
    values
}

fn inferred(
    entry: &MetadataSchemaEntry,
    event: &BTreeMap<String, String>,
    text: &str,
) -> Option<MetadataValue> {
    let validation = entry.llm.as_ref().and_then(|llm| llm.validation.as_ref());
    let given = event.get(&entry.key).and_then(|value| typed(entry.effective_type(), value));
    if let Some(value) = given.filter(|value| is_valid(validation, value)) {
        return Some(value);
    }
    match validation? {
        MetadataValidation::String { allowed } => {
            let mut found = allowed.iter().filter(|word| stands_in(text, word));
            let only = found.next()?;
            // If two allowed values occur in a text, the intended one is unknown.
            found.next().is_none().then(|| MetadataValue::String(only.clone()))
        }
        MetadataValidation::StringList { allowed, items_max } => {
            let limit = items_max.map_or(LIST_ITEMS_MAX, |max| LIST_ITEMS_MAX.min(max as usize));
            let found: Vec<String> =
                allowed.iter().filter(|word| stands_in(text, word)).take(limit).cloned().collect();
            (!found.is_empty()).then_some(MetadataValue::StringList(found))
        }
        MetadataValidation::Number { .. } => None,
    }
}

pub(super) fn is_valid(validation: Option<&MetadataValidation>, value: &MetadataValue) -> bool {
    match (validation, value) {
        (None, _) => true,
        (Some(MetadataValidation::String { allowed }), MetadataValue::String(text)) => {
            allowed.is_empty() || allowed.contains(text)
        }
        (Some(MetadataValidation::StringList { allowed, items_max }), MetadataValue::StringList(items)) => {
            (allowed.is_empty() || items.iter().all(|item| allowed.contains(item)))
                && items_max.is_none_or(|max| items.len() <= max as usize)
        }
        (Some(MetadataValidation::Number { min, max }), MetadataValue::Number(number)) => {
            min.is_none_or(|min| *number >= min) && max.is_none_or(|max| *number <= max)
        }
        (Some(_), _) => false,
    }
}

/// Converts an event's string value to the type of the key; `None` if it does not fit.
pub(super) fn typed(kind: MetadataType, text: &str) -> Option<MetadataValue> {
    let within = |text: &str, max| (1..=max).contains(&text.chars().count());
    match kind {
        MetadataType::String => {
            within(text, STRING_CHARS_MAX).then(|| MetadataValue::String(text.to_owned()))
        }
        MetadataType::Number => {
            text.trim().parse::<f64>().ok().filter(|number| number.is_finite()).map(MetadataValue::Number)
        }
        MetadataType::StringList => {
            let items: Vec<String> = serde_json::from_str(text).unwrap_or_else(|_| vec![text.to_owned()]);
            let fits = (1..=LIST_ITEMS_MAX).contains(&items.len())
                && items.iter().all(|item| within(item, ITEM_CHARS_MAX));
            fits.then_some(MetadataValue::StringList(items))
        }
    }
}

/// Returns true if the whole word or phrase occurs in the text, in any case.
fn stands_in(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (text.to_lowercase(), phrase.to_lowercase());
    if phrase.is_empty() {
        return false;
    }
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(&phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + phrase.len()..).and_then(|after| after.chars().next());
        !part_of_word(before) && !part_of_word(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::record::metadata::LlmExtraction;
    use loci_testkit_ports::samples;

    fn entry(
        key: &str,
        kind: MetadataType,
        strict: bool,
        validation: Option<MetadataValidation>,
    ) -> MetadataSchemaEntry {
        let llm = LlmExtraction { definition: "d".into(), instruction: None, validation };
        MetadataSchemaEntry {
            key: key.into(),
            kind: Some(kind),
            extraction: strict.then_some(MetadataExtraction::StrictlyConsistent),
            llm: (!strict).then_some(llm),
        }
    }

    #[test]
    fn strict_keys_are_copied_and_typed() {
        use MetadataType as T;
        use MetadataValue as V;
        let check = |kind, value: &str, expect: Option<V>| {
            let event =
                BTreeMap::from([("k".to_owned(), value.to_owned()), ("other".to_owned(), "x".to_owned())]);
            let values = record_values(&[entry("k", kind, true, None)], &event, "");
            assert_eq!(values.get("k").cloned(), expect, "{kind:?} {value}");
            assert!(values.len() <= 1);
        };
        check(T::String, "Team A", Some(V::String("Team A".into())));
        check(T::String, "", None);
        check(T::String, &"x".repeat(257), None);
        check(T::Number, "1.5", Some(V::Number(1.5)));
        check(T::Number, "NaN", None);
        check(T::Number, "many", None);
        check(T::StringList, "a", Some(V::StringList(vec!["a".into()])));
        check(T::StringList, r#"["a","b"]"#, Some(V::StringList(vec!["a".into(), "b".into()])));
    }

    #[test]
    fn records_join_within_equal_bound_values() {
        let texts = |pairs: &[(&str, &str)]| -> Metadata {
            let value =
                |(key, text): &(&str, &str)| ((*key).to_owned(), MetadataValue::String((*text).to_owned()));
            pairs.iter().map(value).collect()
        };
        type Pairs<'a> = &'a [(&'a str, &'a str)];
        let memory = loci_model::MemoryId::parse("notes-0123456789").unwrap();
        // The record's values and their restricted keys; then the restricted values of the new
        // event.
        let check = |held: Pairs<'_>, of: &[&str], said: Pairs<'_>, expect: bool| {
            let mut record = samples::record(&memory, 1, "the river rises").unwrap();
            record.metadata = texts(held);
            record.provenance.bound = of.iter().map(|key| (*key).to_owned()).collect();
            let bound = texts(said);
            assert_eq!(agrees(&[], &record, &bound, &bound), expect, "{held:?} {of:?} {said:?}");
        };
        let (wide, narrow): (Pairs<'_>, Pairs<'_>) =
            (&[("team", "red")], &[("project", "x"), ("team", "red")]);
        check(wide, &["team"], wide, true);
        check(narrow, &["project", "team"], narrow, true);
        // A caller who sees one does not see the other.
        check(narrow, &["project", "team"], wide, false);
        check(wide, &["team"], narrow, false);
        check(&[("team", "blue")], &["team"], wide, false);
        // Written without restrictions, or before they were recorded.
        check(wide, &[], wide, false);
        check(wide, &["team"], &[], false);
        check(wide, &[], &[], true);
        // Further values beyond the restricted ones, from a schema or a client.
        check(narrow, &["team"], wide, true);
    }

    #[test]
    fn inferred_keys_come_from_metadata_or_literally_from_the_text() {
        use MetadataValue as V;
        let allowed = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let one = entry(
            "mood",
            MetadataType::String,
            false,
            Some(MetadataValidation::String { allowed: allowed(&["good", "bad"]) }),
        );
        let many = entry(
            "topics",
            MetadataType::StringList,
            false,
            Some(MetadataValidation::StringList {
                allowed: allowed(&["travel", "food"]),
                items_max: Some(1),
            }),
        );
        let free = entry("note", MetadataType::String, false, None);
        let schema = [one, many, free];
        let none = BTreeMap::new();
        let mood = |text: &str| record_values(&schema, &none, text).get("mood").cloned();
        assert_eq!(mood("A GOOD day"), Some(V::String("good".into())));
        assert_eq!(mood("good and bad"), None);
        assert_eq!(mood("goodness"), None);
        let topics = record_values(&schema, &none, "Food and travel").get("topics").cloned();
        assert_eq!(topics, Some(V::StringList(vec!["travel".into()])));
        let given =
            BTreeMap::from([("mood".to_owned(), "bad".to_owned()), ("note".to_owned(), "n".to_owned())]);
        let values = record_values(&schema, &given, "good");
        assert_eq!(values.get("mood"), Some(&V::String("bad".into())));
        assert_eq!(values.get("note"), Some(&V::String("n".into())));
        let odd = BTreeMap::from([("mood".to_owned(), "odd".to_owned())]);
        assert_eq!(record_values(&schema, &odd, "").get("mood"), None);
    }
}
