//! Knowledge blocks in an agent's answer: fences, with any language or none, whose JSON contains
//! `infrastructure_knowledge`. Fences are detected by line and JSON by its grammar, so that
//! back-ticks, braces and commands within values stay part of the values.

use loci_engine::safety::code_spans::regions;
use serde_json::{Map, Value};

/// The member that marks JSON as a knowledge block.
const MEMBER: &str = "infrastructure_knowledge";
/// The maximum nesting depth of fences.
const DEPTH_MAX: usize = 4;

/// The knowledge that an answer states in blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Blocks {
    /// The items of all blocks, in order.
    pub(crate) items: Vec<Value>,
    /// The parse errors of invalid blocks.
    pub(crate) unread: Vec<String>,
}

/// Returns the knowledge blocks of an answer.
pub(crate) fn blocks(text: &str) -> Blocks {
    let mut found = Blocks::default();
    look(text, DEPTH_MAX, &mut found);
    found
}

/// Returns the text of an answer without its knowledge blocks.
pub(crate) fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut from = 0;
    for region in regions(text).into_iter().filter(|region| region.fence) {
        let mut found = Blocks::default();
        look(text.get(region.range.clone()).unwrap_or_default(), DEPTH_MAX, &mut found);
        if found != Blocks::default() {
            prose.push_str(text.get(from..region.range.start).unwrap_or_default());
            prose.push('\n');
            from = region.range.end;
        }
    }
    prose.push_str(text.get(from..).unwrap_or_default());
    prose
}

fn look(text: &str, depth: usize, found: &mut Blocks) {
    for region in regions(text).into_iter().filter(|region| region.fence) {
        let content = content(text.get(region.range).unwrap_or_default());
        if !content.contains(MEMBER) {
            continue;
        }
        match value(&content) {
            Ok(Some(mut members)) => take(&mut members, found),
            Ok(None) if depth > 1 => look(&content, depth - 1, found),
            Ok(None) => {}
            Err(why) => found.unread.push(why),
        }
    }
}

/// Returns the lines inside a fence, without the quotation marks around it.
fn content(fence: &str) -> String {
    let mut lines: Vec<&str> = fence.lines().collect();
    let is_quoted = lines.first().is_some_and(|line| line.trim_start().starts_with('>'));
    let bare = |line: &'_ str| -> String {
        let line = if is_quoted { line.trim_start_matches([' ', '\t', '>']) } else { line };
        line.to_owned()
    };
    let is_end = |line: &&str| {
        let marks = line.trim_matches([' ', '\t', '>']);
        marks.len() >= 3 && (marks.chars().all(|c| c == '`') || marks.chars().all(|c| c == '~'))
    };
    if lines.len() > 1 && lines.last().is_some_and(is_end) {
        lines.pop();
    }
    lines.iter().skip(1).map(|line| bare(line)).collect::<Vec<_>>().join("\n")
}

/// Returns the object in a fence. `None` if the content is not a JSON object.
fn value(content: &str) -> Result<Option<Map<String, Value>>, String> {
    if !content.trim_start().starts_with('{') {
        return Ok(None);
    }
    let content = loci_json::repaired_text(content);
    // The first value counts: text after it in the same fence is ignored.
    match serde_json::Deserializer::from_str(&content).into_iter::<Value>().next() {
        Some(Ok(Value::Object(members))) => Ok(Some(members)),
        Some(Ok(_)) | None => Ok(None),
        Some(Err(error)) => Err(format!(
            "a block of knowledge is not JSON (line {}, column {} of it): write it anew as one JSON object",
            error.line(),
            error.column()
        )),
    }
}

fn take(members: &mut Map<String, Value>, found: &mut Blocks) {
    match members.remove(MEMBER) {
        Some(Value::Array(items)) => found.items.extend(items),
        Some(item @ Value::Object(_)) => found.items.push(item),
        Some(_) => found.unread.push(format!("{MEMBER} must be a list of objects")),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ONE: &str = r#"{"infrastructure_knowledge": [{"service_name": "api", "knowledge_data": {"fix": "`kubectl get {pods}`"}}]}"#;

    fn services(text: &str) -> Vec<String> {
        let name = |item: &Value| item["service_name"].as_str().unwrap_or("?").to_owned();
        blocks(text).items.iter().map(name).collect()
    }

    #[test]
    fn blocks_are_found() {
        let check = |text: &str, expect: &[&str]| assert_eq!(services(text), expect, "{text}");
        check("no block", &[]);
        check(&format!("Text.\n```\n{ONE}\n```\n"), &["api"]);
        check(&format!("Text.\n```json\n{ONE}\n```\nMore."), &["api"]);
        check(&format!("~~~yaml\n{ONE}\n~~~\n"), &["api"]);
        check(&format!("  ```json\n  {ONE}\n  ```\n"), &["api"]);
        check(&format!("> ```json\n> {ONE}\n> ```\n"), &["api"]);
        check(&format!("```json\n{ONE}\n```\nand\n```\n{ONE}\n```\n"), &["api", "api"]);
        check(&format!("````markdown\n```json\n{ONE}\n```\n````\n"), &["api"]);
        // Text after the end of the object is cut off.
        check(&format!("```json\n{ONE}"), &["api"]);
        check(&format!("```json\n{ONE}\nas seen above\n```"), &["api"]);
        // Neither prose that mentions the member nor other JSON is a block.
        check(&format!("Send {ONE}"), &[]);
        check("```json\n{\"other\": \"infrastructure_knowledge\"}\n```", &[]);
        check("```sh\necho infrastructure_knowledge\n```", &[]);
    }

    #[test]
    fn prose_is_what_stands_beside_blocks() {
        let check = |text: &str, expect: &str| assert_eq!(prose(text).trim(), expect, "{text}");
        check("The limit is 1Gi.", "The limit is 1Gi.");
        check(&format!("```\n{ONE}\n```\n"), "");
        check(&format!("````markdown\n```json\n{ONE}\n```\n````\n"), "");
        check(&format!("A.\n```json\n{ONE}\n```\nB.\n```sh\nls\n```\n"), "A.\n\nB.\n```sh\nls\n```");
        // An invalid block is not part of the prose.
        check("A.\n```json\n{\"infrastructure_knowledge\": [\n```\n", "A.");
    }

    #[test]
    fn values_are_whole() {
        let item = json!({"service_name": "a", "knowledge_data": {
            "run": "```sh\nkubectl get po -o jsonpath='{.items[*]}'\n```", "nested": {"a": {"b": ["}", "{"]}}}});
        let pretty = serde_json::to_string_pretty(&json!({"infrastructure_knowledge": [item]})).unwrap();
        assert_eq!(blocks(&format!("Found:\n```json\n{pretty}\n```\n")).items, [item]);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_spoils_nothing() {
        let text = format!(
            "```json\n{{\"infrastructure_knowledge\": [\n```\n\n```json\n{ONE}\n```\n```json\n{{\"infrastructure_knowledge\": 1}}\n```"
        );
        let found = blocks(&text);
        assert_eq!((found.items.len(), found.unread.len()), (1, 2), "{:?}", found.unread);
        assert!(found.unread[0].contains("not JSON"), "{:?}", found.unread);
    }
}
