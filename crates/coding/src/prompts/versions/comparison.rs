//! The differences between two versions of prompts, line by line: pure.

use std::collections::HashMap;

use loci_model::tasks::prompt_version::PromptVersion;
use loci_verified::verifier::common_pairs;

/// The differences between two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptDiff {
    /// The parts that differ: `text`, `overrides`, `tools`, `extraction_prompts`, `model`.
    pub changed: Vec<&'static str>,
    /// All lines of both, each with a prefix ` `, `-` or `+`.
    pub lines: String,
}

/// Compares two versions.
pub(super) fn compared(from: &PromptVersion, to: &PromptVersion) -> PromptDiff {
    let parts = [
        ("text", from.text != to.text),
        ("overrides", from.overrides.as_str() != to.overrides.as_str()),
        ("tools", from.tools != to.tools),
        ("extraction_prompts", from.extraction_prompts != to.extraction_prompts),
        ("model", from.model != to.model),
    ];
    let changed = parts.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| part).collect();
    PromptDiff { changed, lines: difference(&written(from), &written(to)) }
}

/// Returns a version as lines: its text, then the other parts by name.
fn written(prompt: &PromptVersion) -> Vec<String> {
    let mut lines: Vec<String> = prompt.text.lines().map(str::to_owned).collect();
    lines.push(format!("overrides: {}", prompt.overrides.as_str()));
    lines.extend(prompt.tools.iter().map(|tool| format!("tool: {tool}")));
    lines.extend(prompt.extraction_prompts.iter().map(|one| format!("extraction prompt: {one}")));
    lines.extend(prompt.model.iter().map(|model| format!("model: {model}")));
    lines
}

/// Returns the lines of two texts, each with a prefix ` `, `-` or `+`.
pub(crate) fn lines_difference(old: &str, new: &str) -> String {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    difference(&lines(old), &lines(new))
}

fn difference(old: &[String], new: &[String]) -> String {
    // Each distinct line gets a number, so that different lines never compare as equal, as digests
    // could.
    let mut known: HashMap<&str, u64> = HashMap::new();
    let mut numbers = Vec::with_capacity(old.len() + new.len());
    for line in old.iter().chain(new) {
        let next = known.len() as u64;
        numbers.push(*known.entry(line.as_str()).or_insert(next));
    }
    let (old_numbers, new_numbers) = numbers.split_at(old.len());
    let pairs = common_pairs(old_numbers, new_numbers);
    let mut text = String::new();
    let mut put = |sign: char, line: &String| {
        text.push(sign);
        text.push_str(line);
        text.push('\n');
    };
    let (mut a, mut b) = (0, 0);
    for (old_at, new_at) in pairs.into_iter().chain(std::iter::once((old.len(), new.len()))) {
        old.get(a..old_at).unwrap_or_default().iter().for_each(|line| put('-', line));
        new.get(b..new_at).unwrap_or_default().iter().for_each(|line| put('+', line));
        old.get(old_at).into_iter().for_each(|line| put(' ', line));
        (a, b) = (old_at + 1, new_at + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_went_and_came() {
        let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(difference(&lines("a b c"), &lines("a d c e")), " a\n-b\n+d\n c\n+e\n");
        assert_eq!(difference(&lines("a"), &lines("a")), " a\n");
        assert_eq!(difference(&[], &lines("a")), "+a\n");
    }
}
