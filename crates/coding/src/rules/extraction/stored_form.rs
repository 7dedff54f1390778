//! The stored form of a rule: one line, in the reviewer's words and language, without openings.

use super::prose;

/// Returns the stored form of a statement: no emphasis, an initial capital, no trailing mark unless
/// it belongs to the text.
pub(super) fn kept(statement: &str) -> String {
    let plain = statement.replace("**", "").replace("__", "");
    let plain =
        plain.trim().trim_start_matches([',', ':', '-', ' ', '(']).trim_end_matches([' ', ',', ':', '-']);
    let plain = match (plain.matches('(').count(), plain.matches(')').count()) {
        (opened, closed) if closed > opened => plain.trim_end_matches(')'),
        _ => plain,
    };
    capitalised(plain.trim())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        // A name keeps its spelling: `iOS`, `camelCase`.
        Some(first) if !starts_with_name(text) => first.to_uppercase().chain(chars).collect(),
        Some(_) | None => text.to_owned(),
    }
}

fn starts_with_name(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.contains(['_', '.', '/', '(', ':']) && !word.ends_with(['.', ':'])
        || word.chars().skip(1).any(char::is_uppercase)
}

/// Returns a text in one line.
pub(super) fn one_line(text: &str) -> String {
    prose::one_line(text).into_owned()
}

/// Returns the beginning of a text that is too long.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_rules_are_kept() {
        let check = |text: &str, expect: &str| assert_eq!(kept(text), expect);
        check("always use `x`", "Always use `x`");
        check("**never** log it)", "Never log it");
        check("camelCase for all names", "camelCase for all names");
        check(", we use dayjs (not moment).", "We use dayjs (not moment).");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
    }
}
