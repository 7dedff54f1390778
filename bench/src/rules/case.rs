//! A labelled review comment, as a set holds it.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::labelled_set::json_lines;

/// What a comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Label {
    /// It states a rule for all future work, perhaps beside other things.
    Rule,
    /// It asks for one change.
    OneOff,
    Question,
    Praise,
    /// It disagrees, or is a matter of taste.
    Disagreement,
    /// It is meant to mislead whoever reads it.
    Injection,
    /// It states a rule about what no review may change.
    Protected,
    /// A program posted it.
    Bot,
    /// It says what was done.
    Status,
}

/// A comment with its label.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) id: String,
    /// Its language, as `de`.
    pub(super) lang: String,
    pub(super) label: Label,
    pub(super) text: String,
    /// The file it stands at.
    #[serde(default)]
    pub(super) path: Option<String>,
    /// Of each rule that it states, words that its text has. Where a rule's comment has none, one rule of any text is expected.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// Who wrote it; a login that ends in `[bot]` is a program's.
    #[serde(default)]
    author: Option<String>,
}

impl Case {
    /// True for the third that the rules have not been made by.
    pub(super) fn is_held_out(&self) -> bool {
        Sha256::digest(self.id.as_bytes()).first().is_some_and(|byte| byte % 3 == 0)
    }

    pub(super) fn is_bot(&self) -> bool {
        self.author.as_deref().is_some_and(|login| login.ends_with("[bot]"))
    }

    /// True for what nothing may be taken out of.
    pub(super) fn misleads(&self) -> bool {
        matches!(self.label, Label::Injection | Label::Protected)
    }
}

/// The comments of a set; every id once.
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
