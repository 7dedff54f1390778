//! Citations may be sent back in the form in which these tools return them. Members that only the
//! server sets are removed before the form of the arguments is checked. Other unknown members are
//! rejected there as usual.

use serde_json::Value;

use crate::tools::tool::ReceivedArguments;

/// The arguments with citations.
const LISTS: [&str; 2] = ["citations", "new_citations"];
/// The members that the server adds to a citation.
const ADDED: [&str; 3] = ["blob", "symbol", "current"];

/// Returns the arguments without the members that the server had added.
pub(in crate::tools) fn given_back(mut arguments: ReceivedArguments) -> ReceivedArguments {
    for name in LISTS {
        let citations = arguments.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten();
        for citation in citations.filter_map(Value::as_object_mut) {
            for member in ADDED {
                citation.shift_remove(member);
            }
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_server_added_is_left_out() {
        let check = |given: Value, expect: Value| {
            let given = given.as_object().cloned().unwrap_or_default();
            assert_eq!(Value::Object(given_back(given)), expect);
        };
        let whole =
            json!({ "path": "a", "sha": "1", "blob": "2", "symbol": "f", "current": { "path": "b" } });
        let left = json!({ "path": "a", "sha": "1" });
        check(json!({ "citations": [whole, left] }), json!({ "citations": [left, left] }));
        check(json!({ "new_citations": [whole] }), json!({ "new_citations": [left] }));
        check(json!({ "citations": [{ "x": 1 }] }), json!({ "citations": [{ "x": 1 }] }));
        check(json!({ "citations": "a", "blob": 1 }), json!({ "citations": "a", "blob": 1 }));
    }
}
