//! Support of a statement by code. It is independent of the verdict on the cited code
//! ([`crate::facts::verdict::Verdict`]): unchanged code may not concern the statement, or may
//! contradict it. This module holds words and data types. The verifier decides.

use serde::{Deserialize, Serialize};

use crate::facts::citation::LineRange;
use crate::words::closed_words;

closed_words! {
    /// The verdict of cited code on a statement.
    Support {
        /// True claims show it, or every name and value of the statement occurs in the cited code,
        /// each value with its name.
        Supported = "supported",
        /// Nothing shows that the code supports the statement.
        NotChecked = "not_checked",
        /// A claim is false, or the code gives another value to a name of the statement.
        Contradicted = "contradicted",
    }
}

closed_words! {
    /// The reason for a verdict on support.
    SupportReason {
        /// All declared claims are true, and hold a name or value of the statement.
        ClaimTrue = "claim_true",
        /// Every name and value of the statement was found.
        NamesFound = "names_found",
        /// A name or value of the statement was not found.
        NamesMissing = "names_missing",
        /// The statement has no name or value that is specific enough for a search.
        NothingToFind = "nothing_to_find",
        /// The statement has more names and values, or a longer quotation, than the verifier
        /// searches for.
        TooMuch = "too_much",
        /// The statement denies something, or has a value that the code does not give to its name
        /// in these words.
        ValuesOpen = "values_open",
        /// A claim is false.
        ClaimFalse = "claim_false",
        /// The code gives another literal value to a name of the statement.
        OtherValue = "other_value",
        /// No cited line could be read.
        Unread = "unread",
    }
}

/// A name to which the statement and the code give different literal values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherValue {
    /// The name that has two values.
    pub name: String,
    /// The value of the name in the statement.
    pub stated: String,
    /// The value of the name in the code; secrets are masked.
    pub found: String,
    /// The cited lines that hold it.
    pub place: LineRange,
}

impl OtherValue {
    /// The prefix of a value that the statement denies.
    pub const DENIED: &str = "not ";

    /// Returns the difference in a few words.
    pub fn shown(&self) -> String {
        match self.stated.starts_with(Self::DENIED) {
            true => format!("{} is {} there", self.name, self.found),
            false => format!("{} is {} there, not {}", self.name, self.found, self.stated),
        }
    }
}

/// The result of checking a statement against its cited code, at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportReport {
    /// The verdict of the code on the statement.
    pub support: Support,
    /// The reason for the verdict.
    pub reason: SupportReason,
    /// Names and values of the statement that were found, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<String>,
    /// Names and values of the statement that were not found, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Names that have another value in the code.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_values: Vec<OtherValue>,
}

impl SupportReport {
    /// Returns a report without names and values.
    pub fn new(support: Support, reason: SupportReason) -> Self {
        Self { support, reason, found: Vec::new(), missing: Vec::new(), other_values: Vec::new() }
    }
}

closed_words! {
    /// The assurance of a fact for its reader. It combines the verdict and the support in one word.
    /// Only `verified` states that the code is present and supports the fact.
    Assurance {
        /// The cited code is unchanged, at any place, and supports the fact.
        Verified = "verified",
        /// The cited code is unchanged. Its support for the fact is not checked.
        Cited = "cited",
        /// The cited code has changed.
        Drifted = "drifted",
        /// The code contradicts the fact.
        Contradicted = "contradicted",
        /// The cited code is gone.
        Gone = "gone",
        /// The code could not be read, or was not checked.
        Unverified = "unverified",
        /// The citations of the fact were derived from its text, and nobody has confirmed them.
        Proposed = "proposed",
    }
}

closed_words! {
    /// The readers from whom Loci withholds the statement of a fact whose cited code has changed.
    DriftedFacts {
        /// No reader: the statement is labelled.
        Label = "label",
        /// Agents, and prompts for models. People see the statement with a label.
        WithholdFromAgents = "withhold_from_agents",
        /// The statement is withheld from all readers.
        Withhold = "withhold",
    }
}

impl Assurance {
    /// Returns the heading of facts of this kind in lists.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Verified => "Verified facts",
            Self::Cited => "Facts that cite code and were not checked against it",
            Self::Drifted => "Facts whose cited code has changed",
            Self::Contradicted => "Facts that the code contradicts",
            Self::Gone => "Facts whose cited code is gone",
            Self::Unverified => "Facts whose code could not be read",
            Self::Proposed => "Proposals: nobody vouches for their places",
        }
    }
}
