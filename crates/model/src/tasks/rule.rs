//! The support of a rule by reviews, and the decisions of people about it. The rule itself is a
//! record, and this data accompanies it in the ledger. This module holds the data types. The engine
//! computes the weight of an item and the resulting state.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::ledger::{LedgerNoun, Shelf};
use crate::tasks::review::{Authority, ForgeUser, ReviewState};
use crate::words::closed_words;
use crate::{ActorId, MemoryId, RecordId, RepositoryId, Timestamp};

closed_words! {
    /// The rules that need a person's approval, regardless of their support.
    #[derive(Default)]
    RuleApproval {
        /// No rule needs the approval of a person.
        None = "none",
        /// Rules that affect more than style.
        #[default]
        HighImpact = "high_impact",
        /// All rules need the approval of a person.
        All = "all",
    }
}

closed_words! {
    /// The treatment of rules about topics that protect a repository: its checks, its secrets, its
    /// tests.
    #[derive(Default)]
    ProtectedTopics {
        /// Such rules are not stored.
        #[default]
        Reject = "reject",
        /// Such rules become active only after a person approves them.
        Approve = "approve",
    }
}

closed_words! {
    /// The impact of following a rule.
    RuleImpact {
        /// The rule affects only style, names, or the form of commits.
        Style = "style",
        /// The rule affects the behaviour of code.
        High = "high",
    }
}

closed_words! {
    /// The reason why a rule needs a person's approval, regardless of its support.
    ApprovalReason {
        /// The rule names a command to run.
        Command = "command",
        /// The rule concerns the protection of the repository, such as checks, secrets or tests.
        ProtectedTopic = "protected_topic",
        /// A source of the rule looks like instructions to its reader.
        InjectionScore = "injection_score",
    }
}

/// The support of a rule by one review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SupportItem {
    /// The number of the pull request that the statement belongs to.
    pub pr: u64,
    /// The forge's id of the review that contains the statement.
    pub review: u64,
    /// The comments that support the statement; empty if the review itself does.
    #[serde(default)]
    pub comments: Vec<u64>,
    /// The reviewer who wrote the statement.
    pub reviewer: ForgeUser,
    /// The authority of the reviewer at that time.
    pub authority: Authority,
    /// The decision of the review.
    pub state: ReviewState,
    /// The URL of the source.
    #[serde(default)]
    pub url: Option<String>,
    /// The time of the statement.
    pub at: Timestamp,
    /// The reviewer's words, truncated, without hidden characters, with secrets masked.
    pub excerpt: String,
    /// The job that extracted the statement, if any.
    #[serde(default)]
    pub job: Option<String>,
    /// The prompt, or the rules, that extracted the statement.
    pub read_by: String,
    /// True if a backfill imported the statement.
    #[serde(default)]
    pub is_past: bool,
    /// True if the pull request belongs to a known task.
    #[serde(default)]
    pub is_mapped: bool,
    /// True if the thread was resolved and the lines were changed.
    #[serde(default)]
    pub is_accepted: bool,
    /// The reasons why this item needs a person's approval.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub asks_approval: BTreeSet<ApprovalReason>,
}

/// The dissent of one reply to a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DissentItem {
    /// The number of the pull request that the reply belongs to.
    pub pr: u64,
    /// The review that contains the reply.
    pub review: u64,
    /// The id of the reply.
    pub comment: u64,
    /// The author of the reply.
    pub author: ForgeUser,
    /// The authority of the author at that time.
    pub authority: Authority,
    /// The time of the reply.
    pub at: Timestamp,
    /// The author's words, truncated, without hidden characters, with secrets masked.
    pub excerpt: String,
}

/// A person's decision about a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleDecided {
    /// The name of the person who decided.
    pub by: String,
    /// The time of the decision.
    pub at: Timestamp,
    /// The reason, if the person gave one.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The support of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleSupport {
    /// The memory that the rule belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the rule belongs to.
    pub actor: ActorId,
    /// The repository that the rule belongs to.
    pub repository: RepositoryId,
    /// The rule's record.
    pub rule: RecordId,
    /// Digest of repository, canonical form and scope: rules with one digest are the same rule.
    pub digest: String,
    /// The impact of following the rule.
    pub impact: RuleImpact,
    /// The reasons in its own text for a person's approval, in addition to its impact and the
    /// reasons of its items.
    #[serde(default)]
    pub asks_approval: BTreeSet<ApprovalReason>,
    /// The statements that support the rule, sorted by pull request and review.
    #[serde(default)]
    pub items: Vec<SupportItem>,
    /// The replies that contradict the rule.
    #[serde(default)]
    pub dissent: Vec<DissentItem>,
    /// The decision of a person who approved or wrote the rule.
    #[serde(default)]
    pub approved: Option<RuleDecided>,
    /// The decision of a person who keeps the rule in force.
    #[serde(default)]
    pub pinned: Option<RuleDecided>,
    /// The decision of a person who closed it. No review can bring the rule back.
    #[serde(default)]
    pub closed: Option<RuleDecided>,
    /// Contradicting rules, of which a person must choose.
    #[serde(default)]
    pub conflicts: BTreeSet<RecordId>,
    /// Number of tasks that reported the rule as helpful.
    #[serde(default)]
    pub helpful: u32,
    /// Number of tasks that reported the rule as misleading.
    #[serde(default)]
    pub harmful: u32,
    /// The time at which the rule was first stated.
    pub created_at: Timestamp,
}

impl RuleSupport {
    /// Returns the reasons why it needs a person's approval, apart from its impact: those of its
    /// text and those of its items.
    pub fn asks(&self) -> BTreeSet<ApprovalReason> {
        self.items.iter().flat_map(|item| &item.asks_approval).chain(&self.asks_approval).copied().collect()
    }
}

impl LedgerNoun for RuleSupport {
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

/// The records that a review yielded. After another reading, the records that no longer follow from
/// the review can be found here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewYield {
    /// The memory that the review belongs to.
    pub memory: MemoryId,
    /// The actor of the repository that the review belongs to.
    pub actor: ActorId,
    /// The review's key on its shelf.
    pub review: String,
    /// Rules that the review supports or opposes.
    #[serde(default)]
    pub rules: BTreeSet<RecordId>,
    /// Examples that the review yielded.
    #[serde(default)]
    pub examples: BTreeSet<RecordId>,
    /// The time at which the review was submitted.
    pub at: Timestamp,
}

impl LedgerNoun for ReviewYield {
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

/// The last time at which a rule was relevant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relevant {
    /// Number of ended tasks of the repository at that time.
    pub task: u64,
    /// The time at which the rule was last relevant.
    pub at: Timestamp,
    /// The scope of the rule.
    #[serde(default)]
    pub scope: Option<String>,
}

/// The tasks in which the rules of a repository were last relevant. One row holds all rules,
/// because the end of a task must not read every rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRelevance {
    /// The memory that the rules belong to.
    pub memory: MemoryId,
    /// The actor of the repository that the rules belong to.
    pub actor: ActorId,
    /// Number of tasks of the repository that have ended.
    pub tasks: u64,
    /// Rules that are in force or stale.
    #[serde(default)]
    pub rules: BTreeMap<RecordId, Relevant>,
    /// The time at which the first rule of the repository was stored.
    pub at: Timestamp,
}

impl LedgerNoun for RuleRelevance {
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
