//! Findings of a final answer: the entries of its sections with headings, or its bulleted entries
//! if it has no headings. Each entry is kept whole, including any full stops in it. The outcome of
//! an investigation is never read from the text: the caller states it.

use loci_model::limits::{SRE_ITEMS_MAX as ITEMS_MAX, SRE_TEXT_CHARS_MAX as TEXT_CHARS_MAX};
use loci_model::services::knowledge::FindingCategory;
use serde_json::{Value, json};

/// Heading words and the category of the entries under them. The first match applies.
const HEADINGS: &[(&str, FindingCategory)] = &[
    ("root cause", FindingCategory::RootCause),
    ("cause", FindingCategory::RootCause),
    ("recommend", FindingCategory::Recommendation),
    ("next step", FindingCategory::Recommendation),
    ("remediation", FindingCategory::Recommendation),
    ("mitigation", FindingCategory::Recommendation),
    ("suggested", FindingCategory::Recommendation),
    ("finding", FindingCategory::Observation),
    ("observation", FindingCategory::Observation),
    ("evidence", FindingCategory::Observation),
    ("symptom", FindingCategory::Observation),
    ("impact", FindingCategory::Observation),
    ("analysis", FindingCategory::Observation),
];
/// The maximum length of a heading, in characters.
const HEADING_CHARS_MAX: usize = 80;

/// Returns the findings, and the number of findings dropped because they are too long or too many.
pub(crate) fn findings(answer: &str) -> (Vec<Value>, usize) {
    let mut reading = AnswerParser::default();
    for line in answer.lines() {
        reading.line(line);
    }
    reading.close();
    let AnswerParser { headed, bulleted, .. } = reading;
    let found = if headed.is_empty() { bulleted } else { headed };
    let all = found.len();
    let fits = |(_, text): &(FindingCategory, String)| text.chars().count() <= TEXT_CHARS_MAX;
    let kept: Vec<Value> = found
        .into_iter()
        .filter(fits)
        .take(ITEMS_MAX)
        .map(|(category, text)| json!({"text": text, "category": category.as_str()}))
        .collect();
    let lost = all - kept.len();
    (kept, lost)
}

/// The state of the parser of an answer.
#[derive(Default)]
struct AnswerParser {
    headed: Vec<(FindingCategory, String)>,
    bulleted: Vec<(FindingCategory, String)>,
    /// The category of the current heading. `None` under a heading without a known category.
    section: Option<FindingCategory>,
    open: Option<UnfinishedEntry>,
    in_fence: bool,
}

/// An entry that is not complete yet.
struct UnfinishedEntry {
    lines: Vec<String>,
    /// The indentation of its bullet, in columns. `None` for a paragraph.
    bullet: Option<usize>,
}

impl AnswerParser {
    fn line(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            self.in_fence = !self.in_fence;
            self.go_on(line);
            return;
        }
        if self.in_fence {
            self.go_on(line);
            return;
        }
        if trimmed.is_empty() {
            // An empty line ends a paragraph; a list entry may continue with deeper indentation.
            if self.open.as_ref().is_some_and(|open| open.bullet.is_none()) {
                self.close();
            }
            return;
        }
        if let Some((heading, rest)) = heading(trimmed) {
            self.close();
            self.section = category(heading);
            if !rest.is_empty() && self.section.is_some() {
                self.open = Some(UnfinishedEntry { lines: vec![rest.to_owned()], bullet: None });
            }
            return;
        }
        let indent = line.len() - line.trim_start().len();
        match (bullet(trimmed), &self.open) {
            (Some(_), Some(open)) if open.bullet.is_some_and(|at| indent > at) => self.go_on(line),
            (Some(text), _) => {
                self.close();
                let text = text.to_owned();
                self.open = Some(UnfinishedEntry { lines: vec![text], bullet: Some(indent) });
            }
            (None, Some(_)) => self.go_on(line),
            (None, None) => {
                self.open =
                    self.section.map(|_| UnfinishedEntry { lines: vec![trimmed.to_owned()], bullet: None });
            }
        }
    }

    fn go_on(&mut self, line: &str) {
        if let Some(open) = &mut self.open {
            open.lines.push(line.trim_end().to_owned());
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let text = open.lines.join("\n").trim().to_owned();
        if text.is_empty() {
            return;
        }
        match self.section {
            Some(category) => self.headed.push((category, text)),
            None if open.bullet.is_some() => self.bulleted.push((FindingCategory::Observation, text)),
            None => {}
        }
    }
}

/// Returns the text of a list entry.
fn bullet(line: &str) -> Option<&str> {
    let marked = ["- ", "* ", "+ ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let rest = line.get(digits..).filter(|_| (1..=3).contains(&digits))?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    };
    marked.or_else(numbered).map(str::trim).filter(|text| !text.is_empty())
}

/// Returns the words of a heading, and the rest of its line.
fn heading(line: &str) -> Option<(&str, &str)> {
    if line.starts_with('#') {
        return Some((line.trim_start_matches('#').trim(), ""));
    }
    if let Some(rest) = line.strip_prefix("**") {
        let (words, rest) = rest.split_once("**")?;
        let is_label = words.trim_end().ends_with(':') || rest.starts_with(':') || rest.trim().is_empty();
        return is_label.then(|| (words, rest.trim_start_matches(':').trim()));
    }
    let (words, rest) = line.split_once(':')?;
    let rest = rest.trim();
    // A label followed by text is a heading only if its words name a category, so that `found: …`
    // is an entry.
    let is_short = bullet(line).is_none() && words.chars().count() <= HEADING_CHARS_MAX;
    let is_label = rest.is_empty() || (words.split_whitespace().count() <= 3 && category(words).is_some());
    (is_short && is_label).then_some((words, rest))
}

fn category(heading: &str) -> Option<FindingCategory> {
    let words = heading.to_lowercase();
    HEADINGS.iter().find(|(word, _)| words.contains(word)).map(|(_, category)| *category)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Vec<(String, String)> {
        let text = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
        findings(answer).0.iter().map(|one| (text(one, "category"), text(one, "text"))).collect()
    }

    fn check(answer: &str, expect: &[(&str, &str)]) {
        let expect: Vec<_> =
            expect.iter().map(|(category, text)| ((*category).to_owned(), (*text).to_owned())).collect();
        assert_eq!(texts(answer), expect, "{answer}");
    }

    #[test]
    fn sections_are_taken_whole() {
        check(
            "# Report\nSome words.\n\n## Root Cause\nThe limit was 1.5Gi. It leaks. See v1.2.3.\n\n## Key Findings\n- found: latency at 1.5s\n- OOM\n  - twice. Really.\n\n  and more\n- third\n\n## Recommendations\n1. Raise it.\n2) Restart.\n",
            &[
                ("root_cause", "The limit was 1.5Gi. It leaks. See v1.2.3."),
                ("observation", "found: latency at 1.5s"),
                ("observation", "OOM\n  - twice. Really.\n  and more"),
                ("observation", "third"),
                ("recommendation", "Raise it."),
                ("recommendation", "Restart."),
            ],
        );
        check("**Root cause:** the limit was 400Mi.", &[("root_cause", "the limit was 400Mi.")]);
        check("Root cause: a leak, in v1.2.\n", &[("root_cause", "a leak, in v1.2.")]);
        check("Findings:\n* a\n* b\n", &[("observation", "a"), ("observation", "b")]);
        check(
            "## Findings\n- run\n```\nkubectl\n# not a heading\n```\n",
            &[("observation", "run\n```\nkubectl\n# not a heading\n```")],
        );
    }

    #[test]
    fn lists_count_where_nothing_is_headed() {
        check(
            "I looked.\n- found: latency at 1.5s\n- b",
            &[("observation", "found: latency at 1.5s"), ("observation", "b")],
        );
        check("All checks completed. Issue persists.", &[]);
        check("", &[]);
    }

    #[test]
    fn there_is_no_limit_of_five_and_what_is_lost_is_counted() {
        let list =
            |count: usize| (0..count).map(|at| format!("- finding {at}. With more.\n")).collect::<String>();
        assert_eq!(findings(&list(12)).0.len(), 12);
        let (kept, lost) = findings(&list(ITEMS_MAX + 1));
        assert_eq!((kept.len(), lost), (ITEMS_MAX, 1));
        let (kept, lost) = findings(&format!("- {}\n", "x".repeat(TEXT_CHARS_MAX + 1)));
        assert_eq!((kept.len(), lost), (0, 1));
    }
}
