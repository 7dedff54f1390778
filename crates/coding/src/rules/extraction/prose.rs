//! The sentences of a reviewer's comment: without code blocks and suggestions, quoted lines,
//! headings and tables. Also recognizes comments that a program wrote.

use std::borrow::Cow;
use std::sync::LazyLock;

use loci_engine::safety::invisible_markdown::is_definition;
use loci_engine::safety::sanitise;
use loci_text::split::sentences;
use regex::Regex;

use super::cue_text::{self, CODE};

/// The minimum length of a wrapped line, in characters. After a shorter line, a new paragraph
/// starts.
const WRAPPED_CHARS_MIN: usize = 60;

static LINK: LazyLock<Regex> = LazyLock::new(|| cue_text::compiled(r"!?\[([^\]\n]*)\]\([^)\s]*\)"));
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| cue_text::compiled(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?"));
static PARTS: LazyLock<Regex> =
    LazyLock::new(|| cue_text::compiled(r"[;；]\s*|\s+(?:-{1,3}|–|—)\s+|—|(?:\.\.\.|…)\s+"));

/// Marks that programs leave in their comments.
static OF_PROGRAMS: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"(?im)<!--|^\s*\|.*\|\s*$|\bcodecov\b|\bcoveralls\b|\bsonar(?:cloud|qube)\b|\bdependabot\b|\brenovate(?:bot)?\b",
        r"|\bquality gate\b|\bcoverage (?:report|remained|increased|decreased|changed|of this|diff|:)|\b(?:patch|project|line|branch|total) coverage\b",
        r"|\bcontributor licen[sc]e agreement\b|\bCLA\b|\bCLAassistant\b|\bgithub-actions\b|\[bot\]|\bi am a bot\b|\bi'm a bot\b|\bthis is an automated\b",
        r"|\bautomatically (?:generated|created|closed|marked|posted|merged)\b|\bautomated (?:message|comment|review|check)\b",
        r"|\bthis (?:pr|pull request|issue) (?:has been|was|is being|will be) (?:automatically|marked as stale|auto)",
        r"|\bbuild (?:succeeded|failed|passed|#?\d+)\b|\b(?:deploy|deployment) preview\b|\bpreview (?:deployment|url|is ready)\b|\bbundle size\b|\bsize limit report\b",
        r"|\b\d+ (?:tests? )?passed\b|\blighthouse\b|\bvercel\b|\bnetlify\b|\bsnyk\b|\bcoderabbit\b|\bjenkins\b|\bcircleci\b|\bchangeset(?:s| detected)\b",
        r"|^\s*(?:/|@)(?:lgtm|approve|retest|assign|cc|bors|hold|rebase|mergify|loci|dependabot)\b|\bbors r\+|\bmerge conflicts? (?:detected|that must be resolved)\b",
        r"|!\[[^\]]*\]\([^)]*badge[^)]*\)|\bby (?:eslint|pylint|rubocop|golangci-lint|hadolint|reviewdog)\b|\breported by reviewdog\b|\bworkflow run\b",
    ))
});

/// Removes characters and markup that hide content.
pub(super) fn without_hidden(text: &str) -> String {
    sanitise::sanitise(text).replace(CODE, "")
}

/// True for the text of a program, regardless of the account that posted it.
pub(super) fn is_of_program(text: &str) -> bool {
    OF_PROGRAMS.is_match(text)
}

/// Returns the sentences of a comment and their parts, each in one line.
pub(super) fn statements(text: &str) -> Vec<String> {
    by_paragraph(text).into_iter().flatten().collect()
}

/// Returns the statements of a comment, paragraph by paragraph.
pub(super) fn by_paragraph(text: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for paragraph in paragraphs(text) {
        let mut found = Vec::new();
        let (masked, spans) = cue_text::masked(&paragraph);
        let mut spans = spans.into_iter();
        for sentence in sentences(&masked) {
            for part in PARTS.split(sentence) {
                let restored = cue_text::restored(part, &mut spans);
                let restored = restored.split_whitespace().collect::<Vec<_>>().join(" ");
                if !restored.is_empty() {
                    found.push(restored);
                }
            }
        }
        all.push(found);
    }
    all
}

/// Joins the lines of wrapped text.
fn paragraphs(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let bare = line.trim();
        if let Some(mark) = fence {
            fence = fence.filter(|_| !bare.starts_with(mark));
            goes_on = false;
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark) && !closes_itself(bare, mark));
        let is_item = ITEM.is_match(line);
        if fence.is_some() || bare.is_empty() || is_left_out(line) {
            goes_on = false;
            continue;
        }
        let said = LINK.replace_all(ITEM.replace(line, "").trim(), "$1").into_owned();
        match found.last_mut() {
            Some(last) if goes_on && !is_item && said.starts_with(char::is_lowercase) => {
                last.push(' ');
                last.push_str(&said);
            }
            _ => found.push(said),
        }
        goes_on = bare.chars().count() >= WRAPPED_CHARS_MIN;
    }
    found
}

/// True for a fence that opens and closes in one line, which is a code span.
fn closes_itself(line: &str, mark: &str) -> bool {
    line.get(mark.len()..).is_some_and(|rest| rest.contains(mark))
}

/// True for quotes, headings, tables, indented code and link definitions.
fn is_left_out(line: &str) -> bool {
    let bare = line.trim_start();
    is_definition(line)
        || bare.starts_with(['>', '|'])
        || bare.starts_with("# ")
        || bare.starts_with("##")
        || line.starts_with('\t')
}

/// Returns a text with single spaces between words.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said() {
        let check = |text: &str, expect: &[&str]| assert_eq!(statements(text), expect, "{text:?}");
        check("One. Two!", &["One.", "Two!"]);
        check("> never do that\nI disagree.", &["I disagree."]);
        check("Use this:\n```suggestion\nalways(x)\n```\nThanks", &["Use this:", "Thanks"]);
        check("- one\n- two `a. B` three", &["one", "two `a. B` three"]);
        check("rename this\nwe always use camelCase", &["rename this", "we always use camelCase"]);
        check("const please; we always use const", &["const please", "we always use const"]);
        check("see [the guide](https://x.example/a) first", &["see the guide first"]);
        check("[a]: https://x.example \"We always use tabs.\"\nThanks", &["Thanks"]);
        let hidden = without_hidden("[//]: # (We always use tabs.)\n<!-- Never log. -->Thanks");
        check(&hidden, &["Thanks"]);
        let wrapped = "this is a line that somebody wrapped behind some sixty characters\nand that goes on.";
        check(wrapped, &[&wrapped.replace('\n', " ")]);
    }

    #[test]
    fn what_programs_post() {
        let check = |text: &str, expect: bool| assert_eq!(is_of_program(text), expect, "{text:?}");
        check("## Codecov Report\nAll good", true);
        check("Coverage decreased (-0.2%) to 91%", true);
        check("Thank you for signing the Contributor License Agreement", true);
        check("We always keep coverage above ninety percent.", false);
        check("Please squash your commits.", false);
    }
}
