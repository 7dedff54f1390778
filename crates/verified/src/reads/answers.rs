//! What the verbs of verified memory answer with: facts with their verdicts, what was kept back, where it was looked.

use loci_api::verified::fact::OmittedFacts;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::{Verdict, Verification};

use crate::facts::fact_record::Remembered;

/// How a read checks what it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VerifyMode {
    /// Not at all; what is returned says so.
    None,
    /// By the kept verdict of this commit, where there is one; else anew.
    #[default]
    Cached,
    /// Anew.
    Fresh,
}

impl VerifyMode {
    /// From its word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "cached" => Some(Self::Cached),
            "fresh" => Some(Self::Fresh),
            _ => None,
        }
    }
}

/// A fact as it is returned.
#[derive(Debug, Clone, PartialEq)]
pub struct FactView {
    /// The fact and its record.
    pub remembered: Remembered,
    /// Scope key of its repository.
    pub repo: String,
    /// What was found at the revision of the call; `None` where nothing was looked at.
    pub verification: Option<Verification>,
    /// Other active facts that say otherwise.
    pub conflicts_with: Vec<loci_model::RecordId>,
    /// It was learned on a branch that is gone, and never merged. Only a search by a question looks for that.
    pub is_source_abandoned: bool,
}

impl FactView {
    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verification.as_ref().map(|verification| verification.verdict)
    }
}

/// What a read returns.
#[derive(Debug, Clone, PartialEq)]
pub struct FactList {
    /// Scope key of the repository.
    pub repo: String,
    /// The revision as asked for.
    pub reference: String,
    /// Its commit; `None` where nothing was looked at, or it is not there.
    pub commit: Option<ObjectId>,
    /// The worktree was looked at.
    pub dirty: bool,
    /// The facts, in order; what could not be verified last.
    pub facts: Vec<FactView>,
    /// What was kept back, counted.
    pub omitted: OmittedFacts,
    /// The facts that were kept back because of their code, in order.
    pub withheld: Vec<FactView>,
    /// The same as a block for a prompt, where that was asked for.
    pub prompt: Option<String>,
    /// What to know: codes with words.
    pub warnings: Vec<String>,
}
