//! Extracts the JSON of an answer from its wrapping: some models emit their reasoning before it, or
//! enclose it in a code fence, despite the prompt. Other text stays unchanged. This module does not
//! check that the result is JSON.

/// Returns the answer without leading reasoning, and without a code fence around all of it.
pub(crate) fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    let text = match text.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, answer)) => answer.trim(),
        None => text,
    };
    fenced(text).unwrap_or(text)
}

/// Returns the content of a code fence that encloses the whole text.
fn fenced(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let (language, rest) = inside.split_once('\n')?;
    let is_language = language.trim().chars().all(|c| c.is_ascii_alphanumeric());
    (is_language && !rest.contains("\n```")).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_is_taken_off_and_nothing_else() {
        let check = |text: &str, expect: &str| assert_eq!(unwrapped(text), expect, "{text}");
        check(" {\"a\":1}\n", "{\"a\":1}");
        check("```json\n{\"a\":1}\n```", "{\"a\":1}");
        check("```\n[1]\n```\n", "[1]");
        check("<think>hm { \n</think>\n\n```json\n[1]\n```", "[1]");
        check("<think>never ends", "<think>never ends");
        check("Here it is:\n```json\n[1]\n```", "Here it is:\n```json\n[1]\n```");
        check("```json\n[1]\n```\nand\n```json\n[2]\n```", "```json\n[1]\n```\nand\n```json\n[2]\n```");
        check("", "");
    }
}
