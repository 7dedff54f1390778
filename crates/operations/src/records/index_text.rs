//! The searchable text of a record: its members and their values, except members that no query is
//! about. Used for first versions and for every later version of an investigation. Pure.

use serde_json::Value;

use crate::input::canonical_json;

/// Members about time, time zone, confidence and source, which are not indexed.
const UNASKED: [&str; 8] =
    ["confidence", "timestamp", "tz", "discovered_by", "user_id", "status_source", "evidence", "categories"];

/// Returns the searchable text of stored content.
pub(crate) fn index_text(stored: &Value) -> String {
    let mut searched = stored.clone();
    if let Some(members) = searched.as_object_mut() {
        members.retain(|name, _| !UNASKED.contains(&name.as_str()));
    }
    canonical_json::values_text(&searched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_no_question_is_about_is_left_out() {
        let check = |stored: Value, expect: &str| assert_eq!(index_text(&stored), expect, "{stored}");
        check(json!({"service_name": "api", "user_id": "Alice", "confidence": 0.8}), "service name api");
        // Only top-level members are excluded: nested objects may use the same names.
        check(json!({"knowledge_data": {"timestamp": "none"}}), "knowledge data timestamp none");
        check(json!("a sentence"), "a sentence");
    }
}
