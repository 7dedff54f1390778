//! What reviews support a rule with, and what people decided about it. The rule itself is a record;
//! this is kept beside it, in the ledger. Shapes only: what an item weighs, and which state
//! follows, is the engine's matter.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ledger::{Shelf, Shelved};
use crate::tasks::review::{Authority, ForgeUser, ReviewState};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, RepositoryId, Timestamp};

closed_words! {
    /// Which rules wait for a person, whatever supports them.
    #[derive(Default)]
    RuleApproval {
        /// None.
        None = "none",
        /// Those that change more than style.
        #[default]
        HighImpact = "high_impact",
        /// All.
        All = "all",
    }
}

closed_words! {
    /// What becomes of rules about what guards a repository: its checks, its secrets, its tests.
    #[derive(Default)]
    ProtectedTopics {
        /// They are refused.
        #[default]
        Reject = "reject",
        /// They wait for a person.
        Approve = "approve",
    }
}

closed_words! {
    /// What following a rule changes.
    RuleImpact {
        /// How code looks and is named, how commits are written.
        Style = "style",
        /// What code does.
        High = "high",
    }
}

closed_words! {
    /// Why a rule waits for a person, whatever supports it.
    ApprovalReason {
        /// It names a tool to be run.
        Command = "command",
        /// It is about what guards the repository.
        ProtectedTopic = "protected_topic",
        /// Something where it was said looks like instructions to its reader.
        InjectionScore = "injection_score",
    }
}

/// What one review says for a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportItem {
    /// The pull request.
    pub pr: u64,
    /// The review.
    pub review: u64,
    /// The comments that say it; none where the review itself does.
    #[serde(default)]
    pub comments: Vec<u64>,
    /// Who says it.
    pub reviewer: ForgeUser,
    /// What they could do here then.
    pub authority: Authority,
    /// What they decided.
    pub state: ReviewState,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
    /// When it was said.
    pub at: Timestamp,
    /// Their words, cut, without what hides, secrets masked.
    pub excerpt: String,
    /// The job in which it was read, where it was one.
    #[serde(default)]
    pub job: Option<String>,
    /// The prompt, or the rules, by which it was read.
    pub read_by: String,
    /// It came from the past, by a backfill.
    #[serde(default)]
    pub is_past: bool,
    /// The pull request is of a known task.
    #[serde(default)]
    pub is_mapped: bool,
    /// The thread was resolved, and the lines were changed.
    #[serde(default)]
    pub is_accepted: bool,
    /// Why what was said here waits for a person.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks_approval: BTreeSet<ApprovalReason>,
}

/// What one answer says against a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DissentItem {
    /// The pull request.
    pub pr: u64,
    /// The review in which it was read.
    pub review: u64,
    /// The answer.
    pub comment: u64,
    /// Who says it.
    pub author: ForgeUser,
    /// What they could do here then.
    pub authority: Authority,
    /// When it was said.
    pub at: Timestamp,
    /// Their words, cut, without what hides, secrets masked.
    pub excerpt: String,
}

/// What a person decided about a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleDecided {
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why, where they said so.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What supports a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSupport {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// The repository.
    pub repository: RepositoryId,
    /// The rule's record.
    pub rule: RecordId,
    /// Digest of repository, canonical form and scope: rules that share it are the same rule.
    pub digest: String,
    /// What following it changes.
    pub impact: RuleImpact,
    /// Why it waits for a person by its own text, beside its impact and what its items ask.
    #[serde(default)]
    pub asks_approval: BTreeSet<ApprovalReason>,
    /// What is said for it, by pull request and review.
    #[serde(default)]
    pub items: Vec<SupportItem>,
    /// What is said against it.
    #[serde(default)]
    pub dissent: Vec<DissentItem>,
    /// A person put it in force, or wrote it.
    #[serde(default)]
    pub approved: Option<RuleDecided>,
    /// A person keeps it in force.
    #[serde(default)]
    pub pinned: Option<RuleDecided>,
    /// A person took it out of force: nothing that reviews say brings it back.
    #[serde(default)]
    pub closed: Option<RuleDecided>,
    /// Rules that say otherwise, of which a person must choose.
    #[serde(default)]
    pub conflicts: BTreeSet<RecordId>,
    /// Tasks that it helped.
    #[serde(default)]
    pub helpful: u32,
    /// Tasks that it misled.
    #[serde(default)]
    pub harmful: u32,
    /// When it was first said.
    pub created_at: Timestamp,
}

impl RuleSupport {
    /// Why it waits for a person, beside its impact: by its text, and by what was said where it was taught.
    pub fn asks(&self) -> BTreeSet<ApprovalReason> {
        self.items.iter().flat_map(|item| &item.asks_approval).chain(&self.asks_approval).copied().collect()
    }
}

impl Shelved for RuleSupport {
    const SHELF: Shelf = Shelf::named("rule_support");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.rule.to_string()
    }

    fn subject(&self) -> Option<String> {
        Some(self.digest.clone())
    }

    fn at(&self) -> Timestamp {
        self.created_at
    }
}

/// Which records a review left: read again, they are what may be left of it no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewYield {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// The review's name on its shelf.
    pub review: String,
    /// Rules that it speaks for or against.
    #[serde(default)]
    pub rules: BTreeSet<RecordId>,
    /// Examples that it gave.
    #[serde(default)]
    pub examples: BTreeSet<RecordId>,
    /// When the review was handed in.
    pub at: Timestamp,
}

impl Shelved for ReviewYield {
    const SHELF: Shelf = Shelf::named("review_yield");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.review.clone()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}

/// When a rule mattered last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relevant {
    /// So many tasks of the repository had ended.
    pub task: u64,
    /// When.
    pub at: Timestamp,
    /// To what the rule applies.
    #[serde(default)]
    pub scope: Option<String>,
}

/// In which tasks the rules of a repository mattered last: one row for all of them, for the end of a task must not read them all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRelevance {
    /// The memory.
    pub memory: MemoryId,
    /// The repository's actor.
    pub actor: ActorId,
    /// Tasks that have ended.
    pub tasks: u64,
    /// Rules that are in force, or stale.
    #[serde(default)]
    pub rules: BTreeMap<RecordId, Relevant>,
    /// When the first rule came.
    pub at: Timestamp,
}

impl Shelved for RuleRelevance {
    const SHELF: Shelf = Shelf::named("rule_relevance");

    fn memory(&self) -> &MemoryId {
        &self.memory
    }

    fn actor(&self) -> &ActorId {
        &self.actor
    }

    fn key(&self) -> String {
        self.actor.to_string()
    }

    fn at(&self) -> Timestamp {
        self.at
    }
}
