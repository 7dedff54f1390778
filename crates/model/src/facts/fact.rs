//! Verified memory: the data that accompanies a record that cites code, and the events of a fact.
//! Subject, fact and reason are the record's own title, text and description.

use serde::{Deserialize, Serialize};

use crate::facts::citation::Citation;
use crate::facts::claim::Claim;
use crate::facts::code::ObjectId;
use crate::facts::support::SupportReport;
use crate::facts::verdict::{Method, Verdict, Verification};
use crate::record::RecordState;
use crate::words::closed_words;
use crate::{Document, MemoryId, RecordId, RepositoryId, Timestamp};

/// Counters of a fact. Its events yield them, except [`FactCounters::retrieved_swept`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactCounters {
    /// Number of times that a caller confirmed the fact after a verification; 0 at creation.
    pub verifications: u64,
    /// Number of times it was found gone or contradicted, or was invalidated.
    pub rejections: u64,
    /// Number of times it was reported as used.
    pub applied: u64,
    /// Number of times a read returned it.
    pub retrieved: u64,
    /// The part of `retrieved` whose events retention has removed. The remaining events yield the
    /// rest.
    #[serde(default)]
    pub retrieved_swept: u64,
}

/// The circumstances in which a fact was learned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactSource {
    /// The caller's label for the author.
    pub created_by: Option<String>,
    /// The principal that stored the fact.
    pub principal: String,
    /// The name of the agent, as the caller stated it.
    pub agent: Option<String>,
    /// The session in which the fact was stored, as its caller named it.
    pub session: Option<String>,
    /// The ref at which the fact was stored.
    pub reference: Option<String>,
    /// The commit at which the fact was stored.
    pub commit: Option<ObjectId>,
    /// `merged`, `branch` or `worktree-dirty`. It does not name the pull request of a branch.
    pub kind: Option<String>,
}

/// The newest verification on the default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastVerified {
    /// The time of the verification.
    pub at: Timestamp,
    /// The verifier: a principal, or `loci` in the background.
    pub by: String,
    /// The commit that was verified.
    pub commit: ObjectId,
    /// The verdict of the verification.
    pub verdict: Verdict,
}

/// The time since which a quarantined fact is gone, and the commits of the default branch where it
/// is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneSince {
    /// The time since which it is gone.
    pub at: Timestamp,
    /// The commits, without duplicates.
    pub commits: Vec<ObjectId>,
}

/// The data of a fact in addition to its record; stored as one document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactDetail {
    /// The citations, one or more.
    pub citations: Vec<Citation>,
    /// The claims that must hold.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// The circumstances in which the fact was learned.
    pub source: FactSource,
    /// Results of the checks at store time: `UNGROUNDED`, `generated_path`, `lfs`, …; sorted.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The newest verification on the default branch.
    #[serde(default)]
    pub last_verified: Option<LastVerified>,
    /// The verdict on the code's support for the fact, from its storing or from the newest
    /// verification on the default branch since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportReport>,
    /// Set while the fact is quarantined because its code is gone.
    #[serde(default)]
    pub gone: Option<GoneSince>,
    /// The principal that invalidated it, and the time.
    #[serde(default)]
    pub invalidated: Option<(String, Timestamp)>,
}

/// A record that cites code, without the record itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The memory that the fact belongs to.
    pub memory: MemoryId,
    /// The record that contains the fact.
    pub record: RecordId,
    /// The repository that the fact belongs to.
    pub repository: RepositoryId,
    /// SHA-256 of the normalised subject and text, 64 hex digits. It is unique among the active
    /// facts of a repository that are not proposed. If a record's text has another digest, it was
    /// changed since, and its citations prove nothing.
    pub content_hash: String,
    /// The state of the record.
    pub status: RecordState,
    /// True if the fact's citations were proposed from its text and no one has confirmed them yet.
    pub proposed: bool,
    /// Time of the last confirmation.
    pub refreshed_at: Timestamp,
    /// The time at which the fact was stored.
    pub created_at: Timestamp,
    /// Time at which a task last reported the fact as used.
    pub last_used_at: Option<Timestamp>,
    /// Time at which the fact expires unless it is confirmed, used or found valid before.
    pub expires_at: Timestamp,
    /// The counters of verifications, rejections and uses.
    pub counters: FactCounters,
    /// Citations, claims, source and verification results.
    pub detail: FactDetail,
}

impl FactEventKind {
    /// True for events that explain the state of a fact or that its counters count. While the fact
    /// exists, retention keeps such events at any age, so that its state and counters can be
    /// derived from them.
    pub fn is_kept(self) -> bool {
        match self {
            Self::Created
            | Self::VerifiedInvalid
            | Self::Corrected
            | Self::Refreshed
            | Self::Superseded
            | Self::Applied
            | Self::Invalidated
            | Self::Quarantined
            | Self::Restored
            | Self::Expired
            | Self::ContradictionDetected => true,
            Self::Retrieved
            | Self::VerifiedValid
            | Self::Reanchored
            | Self::Deleted
            | Self::VerificationSkipped
            | Self::ConflictDetected
            | Self::RejectedStore => false,
        }
    }
}

impl Fact {
    /// Returns every path of the fact: cited, current and in between; sorted, without duplicates.
    pub fn paths(&self) -> Vec<String> {
        let of = |citation: &Citation| {
            let current = citation.current.iter().map(|(place, _)| place.path.clone());
            let cited = std::iter::once(citation.anchor.place.path.clone());
            cited.chain(current).chain(citation.earlier_paths.iter().cloned()).collect::<Vec<_>>()
        };
        let mut paths: Vec<String> = self.detail.citations.iter().flat_map(of).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Returns the approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        const HASHES: usize = 512;
        let lines =
            |citation: &Citation| citation.anchor.lines.iter().map(|line| line.len() + 24).sum::<usize>();
        self.detail.citations.iter().map(|citation| HASHES + lines(citation)).sum()
    }
}

closed_words! {
    /// A kind of fact event (the list is closed).
    FactEventKind {
        /// The fact was stored.
        Created = "created",
        /// A read returned the fact.
        Retrieved = "retrieved",
        /// A verification found it valid.
        VerifiedValid = "verified_valid",
        /// A verification found it drifted, gone or contradicted.
        VerifiedInvalid = "verified_invalid",
        /// The fact was stored in place of another.
        Corrected = "corrected",
        /// The fact was confirmed.
        Refreshed = "refreshed",
        /// Another fact superseded it.
        Superseded = "superseded",
        /// A task used the fact.
        Applied = "applied",
        /// A caller declared it wrong.
        Invalidated = "invalidated",
        /// The cited code was found at another place.
        Reanchored = "reanchored",
        /// The cited code is gone from the default branch.
        Quarantined = "quarantined",
        /// The cited code is present again.
        Restored = "restored",
        /// The fact was neither confirmed, used nor found valid for too long.
        Expired = "expired",
        /// The fact was deleted.
        Deleted = "deleted",
        /// The fact could not be verified.
        VerificationSkipped = "verification_skipped",
        /// A claim of the fact is false.
        ContradictionDetected = "contradiction_detected",
        /// Another fact contradicts it.
        ConflictDetected = "conflict_detected",
        /// The fact was rejected and not stored.
        RejectedStore = "rejected_store",
    }
}

/// An event of a fact, or of a set of citations. It holds no text of facts or code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactEvent {
    /// A UUID of version 7, which sorts by time. The id of a verification event is its receipt.
    pub id: String,
    /// The memory that the event belongs to.
    pub memory: MemoryId,
    /// The repository that the event belongs to.
    pub repository: RepositoryId,
    /// The record; `None` for citations without a record, and for rejected facts.
    pub record: Option<RecordId>,
    /// The kind of the event.
    pub kind: FactEventKind,
    /// The time of the event.
    pub at: Timestamp,
    /// The principal, or `loci` in the background.
    pub principal: String,
    /// The name of the agent, as the caller stated it.
    pub agent: Option<String>,
    /// The session of the caller, as the caller named it.
    pub session: Option<String>,
    /// Duration of the event in milliseconds.
    pub duration_ms: Option<u32>,
    /// The git ref at which the fact was verified or stored.
    pub reference: Option<String>,
    /// The commit at which the fact was verified or stored, if there is one.
    pub commit: Option<ObjectId>,
    /// The verdict of the verification; `None` for other events.
    pub verdict: Option<Verdict>,
    /// The method of the verification.
    pub method: Option<Method>,
    /// A short word: the reason for a skipped verification, the error code of a rejected fact, or
    /// the cause of a refresh.
    pub cause: Option<String>,
    /// Further details, a JSON object.
    pub details: Option<Document>,
}

/// The number of equal events of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactTally {
    /// The kind of the events.
    pub kind: FactEventKind,
    /// The verdict of the counted events; `None` for events without a verdict.
    pub verdict: Option<Verdict>,
    /// The short word for the cause.
    pub cause: Option<String>,
    /// Number of events with this kind, verdict and cause.
    pub count: u64,
}

/// A stored verification. It applies to exactly this content at exactly this commit, so it never
/// becomes stale.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptVerdict {
    /// The record of the verification. Both are erased together, because the verification may quote
    /// code.
    pub record: RecordId,
    /// Digest of citations, claims and text, 64 hex digits.
    pub digest: String,
    /// The commit at which the content was verified.
    pub commit: ObjectId,
    /// The time of the verification.
    pub at: Timestamp,
    /// The verdicts on citations and claims.
    pub verification: Verification,
}
