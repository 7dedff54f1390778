//! The parts of a report by their labels, such as `PR: …` or `**What was difficult**: …`. A label
//! begins a line or follows a sentence; its part ends at the next label.

use std::sync::LazyLock;

use regex::Regex;

use super::compiled;

/// The meaning of a label in a report on a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    /// The task that was requested.
    Intent,
    /// The way in which the agent worked on the task.
    Approach,
    /// The agent's own notes.
    Notes,
    /// The result of the task in words.
    Summary,
    /// The obstacles that the agent met.
    Difficulties,
    /// The files that the agent changed.
    Files,
    /// The pull request of the task.
    Pull,
    /// The branch of the pull request.
    Branch,
    /// The duration of the task in seconds.
    Duration,
    /// The cost of the task in US dollars.
    Cost,
    /// The error that ended the task.
    Error,
    /// A remark of the orchestrator on the report itself.
    Remark,
}

/// Labels in lower case.
const LABELS: &[(&str, Label)] = &[
    ("agent notes", Label::Notes),
    ("approach", Label::Approach),
    ("blockers", Label::Difficulties),
    ("branch", Label::Branch),
    ("changed files", Label::Files),
    ("cost", Label::Cost),
    ("description", Label::Intent),
    ("difficulties", Label::Difficulties),
    ("duration", Label::Duration),
    ("error", Label::Error),
    ("error message", Label::Error),
    ("files", Label::Files),
    ("files changed", Label::Files),
    ("files modified", Label::Files),
    ("goal", Label::Intent),
    ("intent", Label::Intent),
    ("modified files", Label::Files),
    ("note", Label::Remark),
    ("notes", Label::Notes),
    ("outcome", Label::Summary),
    ("pr", Label::Pull),
    ("pull request", Label::Pull),
    ("result", Label::Summary),
    ("self-feedback", Label::Notes),
    ("summary", Label::Summary),
    ("task description", Label::Intent),
    ("what was difficult", Label::Difficulties),
    ("what went well", Label::Approach),
];

static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<&str> = LABELS.iter().map(|(word, _)| *word).collect();
    let words = words.join("|");
    compiled(&format!(r"(?im)(?:^|[.;!?])[\s#>*_-]*\b({words})\s*[*_]*:[*_]*(?:\s+|$)"))
});

/// Returns the labelled parts of a text in its order; the part before the first label has none.
pub(super) fn parts(text: &str) -> Vec<(Option<Label>, &str)> {
    let mut parts = Vec::new();
    let (mut label, mut from) = (None, 0);
    for found in LABEL.captures_iter(text) {
        let (Some(whole), Some(word)) = (found.get(0), found.get(1)) else { continue };
        // The punctuation that ends a sentence belongs to it.
        let ended = whole.as_str().starts_with(['.', ';', '!', '?']);
        let end = whole.start() + usize::from(ended);
        parts.push((label, text.get(from..end).unwrap_or_default().trim()));
        let word = word.as_str().to_lowercase();
        label = LABELS.iter().find(|(known, _)| *known == word).map(|(_, label)| *label);
        from = whole.end();
    }
    parts.push((label, text.get(from..).unwrap_or_default().trim()));
    parts.retain(|(_, value)| !value.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_begin_lines_and_follow_sentences() {
        let check = |text: &str, expect: &[(Option<Label>, &str)]| assert_eq!(parts(text), expect, "{text}");
        check(
            "PR: https://x.example/pull/57. Duration: 812.4s. Cost: $0.4213. Agent notes: It works.",
            &[
                (Some(Label::Pull), "https://x.example/pull/57."),
                (Some(Label::Duration), "812.4s."),
                (Some(Label::Cost), "$0.4213."),
                (Some(Label::Notes), "It works."),
            ],
        );
        check(
            "Begun late.\n- **What was difficult**: the locks\n## Files changed:\n- a.rs",
            &[
                (None, "Begun late."),
                (Some(Label::Difficulties), "the locks"),
                (Some(Label::Files), "- a.rs"),
            ],
        );
        check("The cost: nobody knows.", &[(None, "The cost: nobody knows.")]);
        check("see files:12", &[(None, "see files:12")]);
        check("", &[]);
    }
}
