//! Removal of a line that repeats an earlier one of the same document. It removes only whole list
//! items without indentation or nested content, within one section, and none in code, where
//! repetition is intended.

use std::collections::BTreeSet;

use super::normal_form;

/// Returns the body without the repeated lines. `None` if no line is repeated.
pub(crate) fn without(body: &str) -> Option<String> {
    let lines: Vec<&str> = body.split_inclusive('\n').collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut fence: Option<&str> = None;
    let mut kept = String::with_capacity(body.len());
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(mark) = fence {
            if trimmed.starts_with(mark) {
                fence = None;
            }
            kept.push_str(line);
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if line.starts_with('#') {
            seen.clear();
        }
        let opens_more =
            lines.get(at + 1).is_some_and(|next| next.starts_with([' ', '\t']) && !next.trim().is_empty());
        if fence.is_some() || !is_item(line) || opens_more || seen.insert(normal_form::line(line)) {
            kept.push_str(line);
        }
    }
    if kept.len() == body.len() {
        return None;
    }
    // The end of the last line was removed with it.
    if !body.ends_with('\n') && kept.ends_with('\n') {
        kept.pop();
    }
    Some(kept)
}

/// Returns true for a list item without indentation that has content.
fn is_item(line: &str) -> bool {
    let marked = line.strip_prefix(['-', '*', '+']).is_some_and(|rest| rest.starts_with(' '));
    marked && line.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidation::normal_form::line;
    use proptest::prelude::*;

    #[test]
    fn lines() {
        let check =
            |body: &str, expect: Option<&str>| assert_eq!(without(body).as_deref(), expect, "{body:?}");
        check("# T\n- one\n- two\n- One\n", Some("# T\n- one\n- two\n"));
        check("- one\n* **one**", Some("- one"));
        check("- one\r\n- one\r\n- two\r\n", Some("- one\r\n- two\r\n"));
        check("## A\n- none\n## B\n- none\n", None);
        check("```\n- a\n- a\n```\n", None);
        check("- a\n  - x\n- a\n  - y\n", None);
        check("text\ntext\n", None);
        check("- 2 eggs\n- 3 eggs\n", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn nothing_else_goes(body in "(- |# |```|a|b| |\n|\r\n){0,40}") {
            if let Some(kept) = without(&body) {
                let lines: BTreeSet<String> = body.lines().map(line).collect();
                let after: BTreeSet<String> = kept.lines().map(line).collect();
                prop_assert_eq!(lines, after);
                prop_assert_eq!(without(&kept), None);
            }
        }
    }
}
