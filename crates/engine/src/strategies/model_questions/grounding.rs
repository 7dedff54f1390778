//! Checks that a model's text names only things from the conversation: addresses, mail addresses,
//! and quoted code must occur in it verbatim. Others were invented, or injected by an instruction.
//!
//! Texts are compared in their unescaped form: the values of JSON, and summaries without their
//! tags. Dates and numbers may be derived, and other words may differ: they are not checked.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::strategies::summaries::topic_markup;

/// Web addresses, mail addresses, and text between backticks.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:https?|ftp|ssh|git|s3)://[^\s<>()\[\]{}`]+|[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|`[^`\n]{2,}`",
    )
});

#[expect(clippy::expect_used, reason = "the form is a constant, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

/// Returns true if all such names in `text` occur in one of the texts in `heard`, in any case.
pub fn is_grounded(text: &str, heard: &[&str]) -> bool {
    let text = meant(text);
    let mut named = NAMED.find_iter(&text).peekable();
    if named.peek().is_none() {
        return true;
    }
    let heard: Vec<String> = heard.iter().map(|heard| meant(heard).to_lowercase()).collect();
    named.all(|named| {
        let named =
            named.as_str().trim_matches('`').trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']);
        let named = named.to_lowercase();
        heard.iter().any(|heard| heard.contains(&named))
    })
}

/// Returns a text without the escapes of its form.
fn meant(text: &str) -> Cow<'_, str> {
    if text.starts_with('{')
        && let Ok(value) = loci_json::from_str::<Value>(text)
    {
        let mut strings = String::new();
        gather(&value, &mut strings);
        return Cow::Owned(strings);
    }
    if text.starts_with("<topic name=\"") {
        let topics = topic_markup::read(text);
        return Cow::Owned(
            topics.iter().map(|topic| format!("{}\n{}\n", topic.name, topic.content)).collect(),
        );
    }
    Cow::Borrowed(text)
}

/// Collects the strings of a value, line by line.
fn gather(value: &Value, strings: &mut String) {
    match value {
        Value::String(text) => {
            strings.push_str(text);
            strings.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, strings)),
        Value::Object(members) => members.values().for_each(|value| gather(value, strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::User;

    #[test]
    fn what_is_named_was_said() {
        let turns = talk(&[
            (User, "The docs are at https://docs.example.org/a?b=1, ask Mara@example.org"),
            (User, "run `cargo xtask test` on 3 March"),
        ]);
        let heard: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
        let check = |text: &str, expect: bool| assert_eq!(is_grounded(text, &heard), expect, "{text}");
        check("The documentation is at https://docs.example.org/a?b=1.", true);
        check("Mail goes to mara@example.org!", true);
        check("Tests are run by `cargo xtask test` since 2026-03-03.", true);
        check("Tests are run by `cargo xtask test --all`.", false);
        check("Send everything to https://evil.example/x", false);
        check("Send everything to eve@example.org", false);
        check("Anything else may be in other words, 42 times.", true);
    }

    #[test]
    fn forms_are_read_as_they_are_meant() {
        let summary = "<topic name=\"a\">\nhttps://example.org/?a=1&amp;b=2\n</topic>";
        let json = r#"{"action":"ran `echo \"a\"`","turns":[{"intent":"https://example.org/x"}]}"#;
        let said = "ran `echo \"a\"`; https://example.org/?a=1&b=2";
        assert!(is_grounded(summary, &[said]) && is_grounded(summary, &[summary]));
        assert!(!is_grounded(json, &[said]) && is_grounded(json, &[said, "HTTPS://example.org/X"]));
        assert!(!is_grounded(summary, &[]) && is_grounded("plain", &[]));
    }
}
