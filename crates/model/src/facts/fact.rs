//! Verified memory: what stands beside a record that cites code, and what happened to it.
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

/// How often something happened to a fact; what its events say, but for [`FactCounters::retrieved_swept`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactCounters {
    /// Refreshed after a verification; 0 at creation.
    pub verifications: u64,
    /// Found gone or contradicted, or invalidated.
    pub rejections: u64,
    /// Reported as used.
    pub applied: u64,
    /// Returned by a read.
    pub retrieved: u64,
    /// How many of those retention has removed the events of: events say the rest.
    #[serde(default)]
    pub retrieved_swept: u64,
}

/// Where and by whom a fact was learned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactSource {
    /// The caller's label for whoever stored it.
    pub created_by: Option<String>,
    /// The principal that stored it.
    pub principal: String,
    /// Label of the agent.
    pub agent: Option<String>,
    /// Label of its session.
    pub session: Option<String>,
    /// The ref at which it was stored.
    pub reference: Option<String>,
    /// The commit at which it was stored.
    pub commit: Option<ObjectId>,
    /// `merged`, `branch` or `worktree-dirty`: of which pull request a branch is, nobody says.
    pub kind: Option<String>,
}

/// The newest verification on the default branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastVerified {
    /// When.
    pub at: Timestamp,
    /// By whom: a principal, or `loci` in the background.
    pub by: String,
    /// At which commit.
    pub commit: ObjectId,
    /// What was found.
    pub verdict: Verdict,
}

/// Since when, and at which commits of the default branch, a quarantined fact is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoneSince {
    /// Since when.
    pub at: Timestamp,
    /// At which commits, each once.
    pub commits: Vec<ObjectId>,
}

/// What a fact has beside its record; stored as one document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactDetail {
    /// One or more.
    pub citations: Vec<Citation>,
    /// What must hold.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// Where it comes from.
    pub source: FactSource,
    /// Results of the checks at store time: `UNGROUNDED`, `generated_path`, `lfs`, …; sorted.
    #[serde(default)]
    pub flags: Vec<String>,
    /// The newest verification on the default branch.
    #[serde(default)]
    pub last_verified: Option<LastVerified>,
    /// The verdict of the code on the fact when it was stored, or at the newest verification on the
    /// default branch since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<SupportReport>,
    /// Set while quarantined because it is gone.
    #[serde(default)]
    pub gone: Option<GoneSince>,
    /// Who invalidated it, and when.
    #[serde(default)]
    pub invalidated: Option<(String, Timestamp)>,
}

/// A record that cites code, without the record itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The memory.
    pub memory: MemoryId,
    /// The record.
    pub record: RecordId,
    /// The repository.
    pub repository: RepositoryId,
    /// SHA-256 of normalised subject and text, 64 hex digits: unique among the active, not proposed facts of a repository. A
    /// record whose text gives another digest was changed since, and its citations prove nothing.
    pub content_hash: String,
    /// The record's state.
    pub status: RecordState,
    /// Its citations were proposed from its text: nobody vouches for them yet.
    pub proposed: bool,
    /// When it was last confirmed.
    pub refreshed_at: Timestamp,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When it expires unless it is confirmed, used or found valid before.
    pub expires_at: Timestamp,
    /// How often what happened.
    pub counters: FactCounters,
    /// Everything else.
    pub detail: FactDetail,
}

impl FactEventKind {
    /// What says how a fact came to stand where it stands, or is counted on it: of a fact that is there, such events are kept
    /// however old they are, so that its state and counters can be told from them.
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
    /// Every path it is found under: as cited, where the code is now, and in between; sorted, each once.
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

    /// About how many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        const HASHES: usize = 512;
        let lines =
            |citation: &Citation| citation.anchor.lines.iter().map(|line| line.len() + 24).sum::<usize>();
        self.detail.citations.iter().map(|citation| HASHES + lines(citation)).sum()
    }
}

closed_words! {
    /// What happens to facts (the list is closed).
    FactEventKind {
        /// Stored.
        Created = "created",
        /// Returned by a read.
        Retrieved = "retrieved",
        /// Verified: valid.
        VerifiedValid = "verified_valid",
        /// Verified: drifted, gone or contradicted.
        VerifiedInvalid = "verified_invalid",
        /// Stored in another's place.
        Corrected = "corrected",
        /// Confirmed.
        Refreshed = "refreshed",
        /// Gave its place to another.
        Superseded = "superseded",
        /// Used in a task.
        Applied = "applied",
        /// Declared wrong.
        Invalidated = "invalidated",
        /// Its code was found at another place.
        Reanchored = "reanchored",
        /// Its code is gone from the default branch.
        Quarantined = "quarantined",
        /// Its code is there again.
        Restored = "restored",
        /// Neither confirmed, used nor found valid for too long.
        Expired = "expired",
        /// Deleted.
        Deleted = "deleted",
        /// Could not be verified.
        VerificationSkipped = "verification_skipped",
        /// A claim is false.
        ContradictionDetected = "contradiction_detected",
        /// Another fact says otherwise.
        ConflictDetected = "conflict_detected",
        /// Was not stored.
        RejectedStore = "rejected_store",
    }
}

/// Something that happened to a fact, or to a set of citations. Holds no text of facts or code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactEvent {
    /// A UUID of version 7: sorts by time. That of a verification is its receipt.
    pub id: String,
    /// The memory.
    pub memory: MemoryId,
    /// The repository.
    pub repository: RepositoryId,
    /// The record; `None` for citations of no record, and for refused facts.
    pub record: Option<RecordId>,
    /// What happened.
    pub kind: FactEventKind,
    /// When.
    pub at: Timestamp,
    /// Who: a principal, or `loci` in the background.
    pub principal: String,
    /// Label of the agent.
    pub agent: Option<String>,
    /// Label of its session.
    pub session: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u32>,
    /// The ref.
    pub reference: Option<String>,
    /// The commit.
    pub commit: Option<ObjectId>,
    /// What was found.
    pub verdict: Option<Verdict>,
    /// How.
    pub method: Option<Method>,
    /// A short word: why verification was skipped, which code refused a fact, what a refresh followed from.
    pub cause: Option<String>,
    /// Anything else, a JSON object.
    pub details: Option<Document>,
}

/// How many events of a repository are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactTally {
    /// What happened.
    pub kind: FactEventKind,
    /// What was found.
    pub verdict: Option<Verdict>,
    /// The short word.
    pub cause: Option<String>,
    /// How many.
    pub count: u64,
}

/// A verification that is kept: of exactly this content at exactly this commit, so it never grows wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptVerdict {
    /// The record it is of: erased with it, for it may quote code.
    pub record: RecordId,
    /// Digest of citations, claims and text, 64 hex digits.
    pub digest: String,
    /// The commit.
    pub commit: ObjectId,
    /// When it was made.
    pub at: Timestamp,
    /// What was found.
    pub verification: Verification,
}
