//! Limits results to 64 KiB. A longer result loses the end of its longest list, then the middle of
//! its longest text. It states this, and keeps every member.

use serde_json::{Map, Value, json};

/// The maximum number of bytes in a result.
const BYTES_MAX: usize = 64 * 1024;
/// The bytes reserved for the note about the cut.
const SAID: usize = 512;

/// Returns the result, cut if it is too long.
pub(super) fn cut(mut value: Value) -> Value {
    if value.to_string().len() <= BYTES_MAX {
        return value;
    }
    let Some(object) = value.as_object_mut() else { return too_long() };
    object.insert("truncated".to_owned(), Value::Bool(true));
    let mut said = Vec::new();
    if let Some(left_out) = shorten_list(object) {
        said.push(format!(
            "{left_out} items were left out: a result has at most {BYTES_MAX} bytes; ask for fewer"
        ));
    }
    while let Some((name, left_out)) = shorten_text(object) {
        said.push(format!("{left_out} bytes in the middle of {name} were left out: ask for less"));
    }
    match object.get_mut("warnings").and_then(Value::as_array_mut) {
        Some(warnings) => warnings.extend(said.into_iter().map(Value::from)),
        None => {
            object.insert("warnings".to_owned(), json!(said));
        }
    }
    if value.to_string().len() > BYTES_MAX { too_long() } else { value }
}

/// Returns the number of bytes above the limit, including the note about the cut.
fn over(object: &Map<String, Value>) -> usize {
    let size = Value::Object(object.clone()).to_string().len();
    size.saturating_add(SAID).saturating_sub(BYTES_MAX)
}

fn longest(object: &Map<String, Value>, is_kind: fn(&Value) -> bool) -> Option<String> {
    let of_kind = object.iter().filter(|(_, member)| is_kind(member));
    of_kind.max_by_key(|(_, member)| member.to_string().len()).map(|(name, _)| name.clone())
}

/// Removes items at the end of the longest list, and returns their number.
fn shorten_list(object: &mut Map<String, Value>) -> Option<u64> {
    let mut over = over(object);
    let name = longest(object, Value::is_array)?;
    let list = object.get_mut(&name).and_then(Value::as_array_mut)?;
    let mut left_out = 0_u64;
    while over > 0 {
        let Some(last) = list.pop() else { break };
        over = over.saturating_sub(last.to_string().len().saturating_add(1));
        left_out = left_out.saturating_add(1);
    }
    (left_out > 0).then_some(left_out)
}

/// Removes the middle of the longest text, if that is long. Its last line stays, because a fence
/// can end there. Returns its name and the number of bytes removed.
fn shorten_text(object: &mut Map<String, Value>) -> Option<(String, usize)> {
    let over = over(object);
    let name = longest(object, Value::is_string).filter(|_| over > 0)?;
    let text = object.get_mut(&name)?;
    let whole = text.as_str()?.to_owned();
    let last = whole.trim_end().rfind('\n').filter(|at| whole.len() - at <= SAID);
    let (body, end) = whole.split_at(last.unwrap_or(whole.len()));
    // Escaped characters take more than one byte each, so the loop removes one at a time.
    let (mut kept, mut spare) = (body.len(), over.saturating_add(MARK.len()));
    for (at, sign) in body.char_indices().rev() {
        if spare == 0 {
            break;
        }
        kept = at;
        spare = spare.saturating_sub(Value::from(sign.to_string()).to_string().len().saturating_sub(2));
    }
    let left_out = body.len().saturating_sub(kept);
    if left_out <= MARK.len() {
        return None;
    }
    *text = format!("{}{MARK}{end}", body.get(..kept)?).into();
    Some((name, left_out))
}

/// The text in place of the removed part.
const MARK: &str = "\n[… left out …]";

/// Returns the result for one that is too long without any list or text.
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
    }

    #[test]
    fn long_texts_keep_their_end_and_their_fellows() {
        let block = format!("head\n{}\n</end>", "\"quoted\" line\n".repeat(9_000));
        let long = cut(json!({ "prompt": block, "memories": [{ "id": 1 }, { "id": 2 }], "repo": "a/b" }));
        assert!(long.to_string().len() <= BYTES_MAX && long.to_string().len() > BYTES_MAX - 2_000);
        assert_eq!((&long["truncated"], &long["repo"]), (&json!(true), &json!("a/b")));
        assert!(long["memories"].is_array());
        let prompt = long["prompt"].as_str().unwrap();
        assert!(prompt.starts_with("head\n") && prompt.ends_with(&format!("{MARK}\n</end>")), "{prompt:.99}");
        assert!(long["warnings"].to_string().contains("bytes in the middle of prompt were left out"));
        let signs = cut(json!({ "content": "\u{1}".repeat(70_000), "path": "a" }));
        assert!(signs["path"] == "a" && signs.to_string().len() <= BYTES_MAX);
        assert!(signs["content"].as_str().unwrap().ends_with(MARK));
    }
}
