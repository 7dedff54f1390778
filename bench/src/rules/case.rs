//! A labelled review comment of a set.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::labelled_set::json_lines;

/// The kind of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Label {
    /// It states a rule for all future work, possibly with other content.
    Rule,
    /// It requests one change.
    OneOff,
    Question,
    Praise,
    /// It disagrees, or is a matter of taste.
    Disagreement,
    /// It is meant to mislead its readers.
    Injection,
    /// It states a rule about something that no review may change.
    Protected,
    /// A program posted it.
    Bot,
    /// It reports work that was done.
    Status,
}

/// A comment with its label.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) id: String,
    /// The language, for example `de`.
    pub(super) lang: String,
    pub(super) label: Label,
    pub(super) text: String,
    /// The commented file.
    #[serde(default)]
    pub(super) path: Option<String>,
    /// Words in the text of each rule that the comment states. If the comment of a rule has none,
    /// one rule with any text is expected.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// The author. A login that ends in `[bot]` belongs to a program.
    #[serde(default)]
    author: Option<String>,
}

impl Case {
    /// Returns true for the third of the set that was not used to develop the rules.
    pub(super) fn is_held_out(&self) -> bool {
        Sha256::digest(self.id.as_bytes()).first().is_some_and(|byte| byte % 3 == 0)
    }

    pub(super) fn is_bot(&self) -> bool {
        self.author.as_deref().is_some_and(|login| login.ends_with("[bot]"))
    }

    /// Returns true for a comment from which no rule may be extracted.
    pub(super) fn misleads(&self) -> bool {
        matches!(self.label, Label::Injection | Label::Protected)
    }
}

/// Reads the comments of a set, and fails if an id occurs twice.
pub(super) fn read(text: &str) -> Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    for line in json_lines(text) {
        let (_, case): (usize, Case) = line?;
        ensure!(cases.iter().all(|other| other.id != case.id), "the id {} is there twice", case.id);
        ensure!(case.label == Label::Rule || case.rules.is_empty(), "{}: only a rule has rules", case.id);
        cases.push(case);
    }
    Ok(cases)
}
