//! Results are at most 64 KiB (mcp.md §11). Of longer ones the end of the longest list is left out, and the result says so.

use serde_json::{Value, json};

/// Bytes of a result.
const BYTES_MAX: usize = 64 * 1024;
/// Bytes for what is said of the cut.
const SAID: usize = 256;

/// The result, cut where it is too long.
pub(super) fn cut(mut value: Value) -> Value {
    let size = value.to_string().len();
    if size <= BYTES_MAX {
        return value;
    }
    let Some(object) = value.as_object_mut() else { return too_long() };
    let longest = object
        .iter()
        .filter(|(_, member)| member.is_array())
        .max_by_key(|(_, member)| member.to_string().len())
        .map(|(name, _)| name.clone());
    let Some(list) = longest.and_then(|name| object.get_mut(&name)).and_then(Value::as_array_mut) else {
        return too_long();
    };
    let mut over = size.saturating_add(SAID).saturating_sub(BYTES_MAX);
    let mut left_out = 0_u64;
    while over > 0 {
        let Some(last) = list.pop() else { break };
        over = over.saturating_sub(last.to_string().len().saturating_add(1));
        left_out = left_out.saturating_add(1);
    }
    object.insert("truncated".to_owned(), Value::Bool(true));
    let said =
        format!("{left_out} items were left out: a result has at most {BYTES_MAX} bytes; ask for fewer");
    match object.get_mut("warnings").and_then(Value::as_array_mut) {
        Some(warnings) => warnings.push(said.into()),
        None => {
            object.insert("warnings".to_owned(), json!([said]));
        }
    }
    if value.to_string().len() > BYTES_MAX { too_long() } else { value }
}

/// For what is too long without any list.
fn too_long() -> Value {
    json!({ "truncated": true, "warnings": [format!("the result has more than {BYTES_MAX} bytes: ask for less")] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_results_say_what_is_left_out() {
        let item = |nth: usize| json!({ "content": "x".repeat(1000), "nth": nth });
        let short = json!({ "results": [item(0)] });
        assert_eq!(cut(short.clone()), short);
        let long = cut(json!({ "results": (0..100).map(item).collect::<Vec<_>>(), "warnings": ["w"] }));
        assert!(long.to_string().len() <= BYTES_MAX && long.to_string().len() > BYTES_MAX - 3000);
        assert_eq!(long["truncated"], true);
        assert_eq!(long["results"][0]["nth"], 0);
        let kept = long["results"].as_array().unwrap().len();
        assert_eq!(
            long["warnings"][1],
            format!(
                "{} items were left out: a result has at most {BYTES_MAX} bytes; ask for fewer",
                100 - kept
            )
        );
        assert_eq!(cut(json!({ "content": "x".repeat(70_000) }))["truncated"], true);
    }
}
