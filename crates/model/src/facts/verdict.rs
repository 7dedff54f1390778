//! Results of checking cited code. This module holds words and data types. The verifier holds the
//! steps.

use serde::{Deserialize, Serialize};

use crate::facts::citation::LineRange;
use crate::facts::code::ObjectId;
use crate::facts::support::SupportReport;
use crate::words::closed_words;

closed_words! {
    /// The verdict on a citation or a record. The worst citation by [`Verdict::severity`]
    /// determines the verdict on its record.
    Verdict {
        /// The cited code is present.
        Valid = "valid",
        /// Similar code is present: a person or an agent decides.
        Drifted = "drifted",
        /// The cited code is no longer present.
        Gone = "gone",
        /// The cited code is present, and a claim about it is false.
        Contradicted = "contradicted",
        /// The code could not be read: no evidence for either side.
        Unverifiable = "unverifiable",
    }
}

impl Verdict {
    /// Returns the severity, worse if higher: `contradicted > gone > drifted > unverifiable >
    /// valid`.
    pub fn severity(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Unverifiable => 1,
            Self::Drifted => 2,
            Self::Gone => 3,
            Self::Contradicted => 4,
        }
    }

    /// True if the code could be read, for any verdict.
    pub fn is_conclusive(self) -> bool {
        self != Self::Unverifiable
    }
}

closed_words! {
    /// The method by which a citation was found.
    Method {
        /// The file is unchanged, byte for byte.
        Unchanged = "unchanged",
        /// The lines are unchanged at their place.
        InPlace = "in_place",
        /// The lines are unchanged at another place in the file.
        Moved = "moved",
        /// The lines are unchanged in the renamed file.
        Renamed = "renamed",
        /// The lines are unchanged in another file.
        Relocated = "relocated",
        /// The words are unchanged, with other line breaks.
        Reformatted = "reformatted",
        /// All lines are present, with other lines between them.
        Split = "split",
        /// Similar lines were found in place of the cited ones.
        Fuzzy = "fuzzy",
        /// Changed lines of which every claim still holds.
        ByClaims = "by_claims",
        /// The lines exist, but there was nothing to compare them with.
        Unanchored = "unanchored",
        /// The citation was not found.
        None = "none",
    }
}

closed_words! {
    /// The reason for which code could not be read.
    Unverifiable {
        /// The server could not connect to the source of the code.
        Network = "network",
        /// The source of the code denies access.
        Auth = "auth",
        /// No permission, or not present: the host does not distinguish them.
        AuthOrMissing = "auth_or_missing",
        /// The source of the code rejects the server's requests because of their number.
        Rate = "rate",
        /// The revision does not exist.
        Ref = "ref",
        /// The object is missing from a partial clone.
        PartialClone = "partial_clone",
        /// The file is too large to read.
        TooLarge = "too_large",
        /// The file holds no text.
        Binary = "binary",
        /// The path is another repository.
        Submodule = "submodule",
        /// The file has a line too long to be source code.
        Minified = "minified",
        /// The time limit of the check passed.
        Deadline = "deadline",
    }
}

impl Unverifiable {
    /// True if a later attempt may succeed: an unreachable source returns, while a missing object
    /// does not.
    pub fn is_out_of_reach(self) -> bool {
        matches!(self, Self::Network | Self::Rate | Self::Deadline)
    }

    /// True if the reason lies in the committed content: the same commit always gives the same
    /// result.
    pub fn is_lasting(self) -> bool {
        match self {
            Self::TooLarge | Self::Binary | Self::Submodule | Self::Minified => true,
            Self::Network
            | Self::Auth
            | Self::AuthOrMissing
            | Self::Rate
            | Self::Ref
            | Self::PartialClone
            | Self::Deadline => false,
        }
    }
}

closed_words! {
    /// The share of the fact's words that a changed block has lost.
    Drift {
        /// Every word of the fact that was in the block is still there.
        Low = "low",
        /// At least one of these words is gone.
        High = "high",
    }
}

/// The verdict on one citation at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitationVerdict {
    /// The verdict on the citation.
    pub verdict: Verdict,
    /// The method by which the cited code was found.
    pub method: Method,
    /// The current lines of the cited code, or of the most similar code; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<LineRange>,
    /// The blob of the match, or the blob at the cited path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectId>,
    /// Similarity to the cited lines, 0 to 1, for drifted blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// The drift of a drifted block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// The reason for which the code could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<Unverifiable>,
    /// The time before a retry in milliseconds, if the host specifies it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The detailed reason: `file_missing`, `range_out_of_bounds`, `block_gone`; the number of a
    /// false claim; for a drifted block with equal text `nested_otherwise`, `string_changed`,
    /// `not_code_any_more`, `other_kind_of_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// True if the original range still lies within the file at the cited path.
    #[serde(default)]
    pub in_bounds: bool,
    /// True for equal text with another indentation where indentation is significant: drifted.
    #[serde(default)]
    pub reindented: bool,
    /// A unified diff from the cited lines to the best match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The committed place of lines that were cited before their commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<CommittedLines>,
}

/// The commit that added lines which were cited before they were committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommittedLines {
    /// The commit that added the cited lines.
    pub commit: ObjectId,
    /// The blob of the file at that commit.
    pub blob: ObjectId,
    /// The lines at that commit.
    pub place: LineRange,
}

impl CitationVerdict {
    /// Returns a verdict without further details.
    pub fn new(verdict: Verdict, method: Method) -> Self {
        Self {
            verdict,
            method,
            found: None,
            blob: None,
            similarity: None,
            drift: None,
            unverifiable: None,
            retry_after_ms: None,
            detail: None,
            in_bounds: false,
            reindented: false,
            diff: None,
            committed: None,
        }
    }

    /// Returns a verdict for unreadable code, with the reason.
    pub fn unverifiable(why: Unverifiable, retry_after_ms: Option<u64>) -> Self {
        Self { unverifiable: Some(why), retry_after_ms, ..Self::new(Verdict::Unverifiable, Method::None) }
    }

    /// Returns the source design's error word, like `gone:block_gone`; `None` for a valid citation.
    pub fn error_word(&self) -> Option<String> {
        let detail = self.detail.as_deref();
        match self.verdict {
            Verdict::Valid => None,
            Verdict::Drifted => Some(format!("drifted:{}", self.drift.map_or("high", Drift::as_str))),
            Verdict::Gone => Some(format!("gone:{}", detail.unwrap_or("block_gone"))),
            Verdict::Contradicted => Some(format!("contradicted:{}", detail.unwrap_or("claim"))),
            Verdict::Unverifiable => {
                Some(format!("unverifiable:{}", self.unverifiable.map_or("network", Unverifiable::as_str)))
            }
        }
    }
}

/// The result of one claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimOutcome {
    /// The index among the record's claims, from 0.
    pub index: usize,
    /// True if the claim holds; `None` if that could not be determined.
    pub holds: Option<bool>,
    /// The finding, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The reason for which the code could not be read, if that prevented the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<Unverifiable>,
}

/// The results of all citations and claims of a record at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The combined verdict on the record.
    pub verdict: Verdict,
    /// One verdict for each citation, in their order.
    pub citations: Vec<CitationVerdict>,
    /// One result for each claim, in their order.
    pub claims: Vec<ClaimOutcome>,
    /// The verdict on the code's support for the statement; `None` if no statement was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportReport>,
}
