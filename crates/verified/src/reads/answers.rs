//! The answers of verified memory: facts with their verdicts, the withheld facts, and the revision
//! that was read.

use loci_api::verified::fact::OmittedFacts;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::{Verdict, Verification};

use crate::facts::fact_record::Remembered;

/// The verification mode of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VerifyMode {
    /// No verification. The answer states this.
    None,
    /// The cached verdict of this commit if there is one, else a new verification.
    #[default]
    Cached,
    /// A new verification.
    Fresh,
}

impl VerifyMode {
    /// Parses the mode's name.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "cached" => Some(Self::Cached),
            "fresh" => Some(Self::Fresh),
            _ => None,
        }
    }
}

/// A fact as returned.
#[derive(Debug, Clone, PartialEq)]
pub struct FactView {
    /// The fact and its record.
    pub remembered: Remembered,
    /// The scope key of its repository.
    pub repo: String,
    /// The verification at the revision of the call; `None` if there was none.
    pub verification: Option<Verification>,
    /// Other active facts that contradict it.
    pub conflicts_with: Vec<loci_model::RecordId>,
    /// True if the fact was learned on a branch that is gone and was never merged. Only a search by
    /// a question determines this.
    pub is_source_abandoned: bool,
}

impl FactView {
    /// Returns the verdict, if there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verification.as_ref().map(|verification| verification.verdict)
    }
}

/// The answer of a read.
#[derive(Debug, Clone, PartialEq)]
pub struct FactList {
    /// The scope key of the repository.
    pub repo: String,
    /// The revision that the caller requested, as text.
    pub reference: String,
    /// The commit of the revision; `None` if the code was not read or the revision does not exist.
    pub commit: Option<ObjectId>,
    /// True if the working tree was read.
    pub dirty: bool,
    /// The facts in order. Those that could not be verified come last.
    pub facts: Vec<FactView>,
    /// The counts of withheld facts.
    pub omitted: OmittedFacts,
    /// The facts that were withheld because of their code, in order.
    pub withheld: Vec<FactView>,
    /// The facts as a block for a prompt, if requested.
    pub prompt: Option<String>,
    /// Warnings for the caller, each with a code and a text.
    pub warnings: Vec<String>,
}
