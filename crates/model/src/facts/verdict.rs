//! What checking cited code gives. Words and shapes; the steps are the verifier's.

use serde::{Deserialize, Serialize};

use crate::facts::citation::Place;
use crate::facts::code::ObjectId;
use crate::facts::support::SupportReport;
use crate::words::closed_words;

closed_words! {
    /// What a citation, and a record, is found to be. In order of [`Verdict::severity`] the worst citation speaks for its record.
    Verdict {
        /// The cited code is there.
        Valid = "valid",
        /// Something like it is there: a person or an agent decides.
        Drifted = "drifted",
        /// It is not there any more.
        Gone = "gone",
        /// It is there, and a claim about it is false.
        Contradicted = "contradicted",
        /// It could not be read: evidence of nothing.
        Unverifiable = "unverifiable",
    }
}

impl Verdict {
    /// The higher, the worse: `contradicted > gone > drifted > unverifiable > valid`.
    pub fn severity(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::Unverifiable => 1,
            Self::Drifted => 2,
            Self::Gone => 3,
            Self::Contradicted => 4,
        }
    }

    /// True where the code could be read, whatever was found.
    pub fn is_conclusive(self) -> bool {
        self != Self::Unverifiable
    }
}

closed_words! {
    /// How a citation was found.
    Method {
        /// The same file, byte for byte.
        Unchanged = "unchanged",
        /// The same lines at the same place.
        InPlace = "in_place",
        /// The same lines elsewhere in the file.
        Moved = "moved",
        /// The same lines in the renamed file.
        Renamed = "renamed",
        /// The same lines in another file.
        Relocated = "relocated",
        /// The same words, with line breaks elsewhere.
        Reformatted = "reformatted",
        /// All lines, with others between.
        Split = "split",
        /// Similar lines.
        Fuzzy = "fuzzy",
        /// Changed lines of which every claim still holds.
        ByClaims = "by_claims",
        /// Only that the lines exist: there was nothing to compare them with.
        Unanchored = "unanchored",
        /// Not found.
        None = "none",
    }
}

closed_words! {
    /// Why something could not be read.
    Unverifiable {
        /// No connection.
        Network = "network",
        /// No permission.
        Auth = "auth",
        /// No permission, or not there: the other side does not say which.
        AuthOrMissing = "auth_or_missing",
        /// Too many requests.
        Rate = "rate",
        /// The revision is not there.
        Ref = "ref",
        /// The object is missing from a clone that holds not all.
        PartialClone = "partial_clone",
        /// The file is too large to read.
        TooLarge = "too_large",
        /// The file holds no text.
        Binary = "binary",
        /// The path is another repository.
        Submodule = "submodule",
        /// The file has a line too long to be source code.
        Minified = "minified",
        /// The time was over.
        Deadline = "deadline",
    }
}

impl Unverifiable {
    /// True where it may be read in a moment: what is out of reach comes back, what is not there does not.
    pub fn is_out_of_reach(self) -> bool {
        matches!(self, Self::Network | Self::Rate | Self::Deadline)
    }

    /// True where it lies in what was committed: the same commit gives the same answer whenever it is asked.
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
    /// How much of what the fact says a changed block has lost.
    Drift {
        /// Every word of the fact that stood in the block still does.
        Low = "low",
        /// One of them is gone.
        High = "high",
    }
}

/// What became of one citation at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CitationVerdict {
    /// What it is found to be.
    pub verdict: Verdict,
    /// How.
    pub method: Method,
    /// Where the block, or the best match for it, is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Place>,
    /// The blob it was found in, or that stands at the cited path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<ObjectId>,
    /// Likeness to the cited lines, 0 to 1, of drifted blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// How much a drifted block lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drift>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<Unverifiable>,
    /// When to try again, where the other side says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The finer reason: `file_missing`, `range_out_of_bounds`, `block_gone`; the number of a false claim; of
    /// a drifted block with equal text `nested_otherwise`, `string_changed`, `not_code_any_more`,
    /// `other_kind_of_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The lines between which the original range still lies in the file at the cited path.
    #[serde(default)]
    pub in_bounds: bool,
    /// Equal text with another indentation, where indentation means something: drifted.
    #[serde(default)]
    pub reindented: bool,
    /// A unified diff from the cited lines to the best match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// The place where lines that were cited before their commit are committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<CommittedLines>,
}

/// The commit that brought lines which were cited before they were committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommittedLines {
    /// The commit.
    pub commit: ObjectId,
    /// The file's object there.
    pub blob: ObjectId,
    /// The lines there.
    pub place: Place,
}

impl CitationVerdict {
    /// A verdict with nothing beside it.
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

    /// Not readable, for this reason.
    pub fn unverifiable(why: Unverifiable, retry_after_ms: Option<u64>) -> Self {
        Self { unverifiable: Some(why), retry_after_ms, ..Self::new(Verdict::Unverifiable, Method::None) }
    }

    /// The source design's word for what is wrong, like `gone:block_gone`; `None` where nothing is.
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

/// What became of one claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimOutcome {
    /// Its place among the record's claims, from 0.
    pub index: usize,
    /// Whether it holds; `None` where that could not be found out.
    pub holds: Option<bool>,
    /// What was found, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why that could not be found out, where it lies in reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<Unverifiable>,
}

/// What became of all citations and claims of a record at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The record's verdict.
    pub verdict: Verdict,
    /// One each, in the order of the citations.
    pub citations: Vec<CitationVerdict>,
    /// One each, in the order of the claims.
    pub claims: Vec<ClaimOutcome>,
    /// The verdict of the code on the statement; `None` where no statement was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportReport>,
}
