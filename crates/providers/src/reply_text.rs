//! The JSON of an answer without its wrapping: some models think aloud before it or put it in a fence, whatever they are
//! told. What is not wrapped stays as it is; whether it is JSON is the reader's matter.

/// The answer without thoughts at its beginning and without a fence around all of it.
pub(crate) fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    let text = match text.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, answer)) => answer.trim(),
        None => text,
    };
    fenced(text).unwrap_or(text)
}

/// The inside of a fence that encloses everything.
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
