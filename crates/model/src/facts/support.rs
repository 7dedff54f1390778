//! Support of a statement by code. That is another question than whether the cited code is still there
//! ([`crate::facts::verdict::Verdict`]): unchanged code may say nothing of the statement, or the
//! opposite. Words and shapes; the verifier decides.

use serde::{Deserialize, Serialize};

use crate::facts::citation::Place;
use crate::words::closed_words;

closed_words! {
    /// The verdict of cited code on a statement.
    Support {
        /// True claims say so, or every name and value of the statement stands in the cited code, each value
        /// with its name.
        Supported = "supported",
        /// Nothing shows that the code says so.
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
        /// The statement has no name or value that is specific enough to be looked for.
        NothingToFind = "nothing_to_find",
        /// The statement has more names and values, or a longer quotation, than is looked for.
        TooMuch = "too_much",
        /// The statement denies something, or has a value that the code does not give to its name in these
        /// words.
        ValuesOpen = "values_open",
        /// A claim is false.
        ClaimFalse = "claim_false",
        /// The code gives another literal value to a name of the statement.
        OtherValue = "other_value",
        /// No cited line could be read.
        Unread = "unread",
    }
}

/// A name to which the statement gives one literal value, and the code another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherValue {
    /// The name.
    pub name: String,
    /// Its value in the statement.
    pub stated: String,
    /// Its value in the code; secrets are masked.
    pub found: String,
    /// The cited lines that hold it.
    pub place: Place,
}

impl OtherValue {
    /// What stands before a value that the statement denies.
    pub const DENIED: &str = "not ";

    /// What the code says, in a few words.
    pub fn shown(&self) -> String {
        match self.stated.starts_with(Self::DENIED) {
            true => format!("{} is {} there", self.name, self.found),
            false => format!("{} is {} there, not {}", self.name, self.found, self.stated),
        }
    }
}

/// The finds of a statement in its cited code, at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportReport {
    /// The verdict of the code on the statement.
    pub support: Support,
    /// Why.
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
    /// A report without names and values.
    pub fn new(support: Support, reason: SupportReason) -> Self {
        Self { support, reason, found: Vec::new(), missing: Vec::new(), other_values: Vec::new() }
    }
}

closed_words! {
    /// The standing of a fact for its reader: both answers in one word. Only `verified` says that the
    /// code is there and supports it.
    Assurance {
        /// The cited code is unchanged, wherever it stands now, and supports the fact.
        Verified = "verified",
        /// The cited code is unchanged; whether it supports the fact is not checked.
        Cited = "cited",
        /// The cited code has changed.
        Drifted = "drifted",
        /// The code says otherwise.
        Contradicted = "contradicted",
        /// The cited code is gone.
        Gone = "gone",
        /// The code could not be read, or was not looked at.
        Unverified = "unverified",
        /// Its places were found from its text, and nobody vouches for them.
        Proposed = "proposed",
    }
}

closed_words! {
    /// The readers from whom the statement of a fact is withheld while its cited code has changed.
    DriftedFacts {
        /// Nobody: the statement is labelled.
        Label = "label",
        /// Agents, and prompts for models; people see it labelled.
        WithholdFromAgents = "withhold_from_agents",
        /// Everybody.
        Withhold = "withhold",
    }
}

impl Assurance {
    /// The heading under which facts of this kind stand in lists.
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
