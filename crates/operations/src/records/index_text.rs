//! What a search reads of something that is remembered: its members and their values, but those
//! that no question is about. The same for a first saving and for whatever an investigation
//! becomes. Pure.

use serde_json::Value;

use crate::input::canonical;

/// When it was and by which clock, how sure and from whom.
const UNASKED: [&str; 8] =
    ["confidence", "timestamp", "tz", "discovered_by", "user_id", "status_source", "evidence", "categories"];

/// What is looked for in what is stored.
pub(crate) fn index_text(stored: &Value) -> String {
    let mut searched = stored.clone();
    if let Some(members) = searched.as_object_mut() {
        members.retain(|name, _| !UNASKED.contains(&name.as_str()));
    }
    canonical::values_text(&searched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_no_question_is_about_is_left_out() {
        let check = |stored: Value, expect: &str| assert_eq!(index_text(&stored), expect, "{stored}");
        check(json!({"service_name": "api", "user_id": "Alice", "confidence": 0.8}), "service name api");
        // Of the whole alone: what an object within is called is its own matter.
        check(json!({"knowledge_data": {"timestamp": "none"}}), "knowledge data timestamp none");
        check(json!("a sentence"), "a sentence");
    }
}
