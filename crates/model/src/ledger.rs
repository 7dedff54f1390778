//! The ledger: what an area keeps beside records that is found by few questions: by its key, or as a list of one shelf, of one
//! actor, of one subject, the newest first. A noun that needs other questions has a table of its own.
//!
//! An entry is a noun in its stored form ([`Shelved`]); what it means is its own matter, and the engine's. To add a noun: a
//! [`Shelf`], and the noun's `impl Shelved`; no store changes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::words::closed_words;
use crate::{ActorId, Document, Error, MemoryId, Result, Timestamp};

closed_words! {
    /// What kind of noun an entry is.
    Shelf {
        /// Reviews of pull requests, with their comments.
        Review = "review",
        /// What supports the rules that reviews left.
        RuleSupport = "rule_support",
        /// Which rules and examples a review left.
        ReviewYield = "review_yield",
        /// In which tasks rules mattered last.
        RuleRelevance = "rule_relevance",
        /// How pull requests of tasks ended.
        Outcome = "outcome",
        /// What forges told of commits and pull requests of which nothing is known yet.
        Unmatched = "unmatched",
        /// What people may do in repositories, as forges said.
        RepositoryRole = "repository_role",
        /// People, as forges know them.
        Person = "person",
        /// Whose preferences are kept, and what they want of that.
        PreferenceUser = "preference_user",
        /// Files that were changed together.
        FileChange = "file_change",
        /// How far something has been read: cursors, counters, the last run of something.
        Progress = "progress",
        /// Records that contradict each other.
        Conflict = "conflict",
        /// Who else said what a record says.
        Agreement = "agreement",
        /// Records that hold on a branch alone.
        BranchFact = "branch_fact",
        /// What evaluations found.
        Evaluation = "evaluation",
        /// Figures of extraction prompts against a labelled set.
        PromptEvaluation = "prompt_evaluation",
        /// States of a repository's knowledge that one can go back to.
        Snapshot = "snapshot",
        /// What was erased on purpose, by id.
        Purge = "purge",
        /// Paths of records seen as files.
        TreeEntry = "tree_entry",
        /// Where in their trees records lie.
        TreePlace = "tree_place",
        /// What happened in trees, in order.
        TreeChange = "tree_change",
        /// Named states of trees.
        TreeSnapshot = "tree_snapshot",
        /// Trees that are kept as files elsewhere.
        Mirror = "mirror",
        /// What mirrors and their trees agreed on.
        MirrorFiles = "mirror_files",
        /// What syncs of mirrors leave for the next.
        MirrorState = "mirror_state",
        /// Contents that were taken out, by a keyed digest.
        RedactedContent = "redacted_content",
        /// Sources whose data was erased, by keyed digests.
        ErasedSource = "erased_source",
        /// Runs of consolidation over trees.
        ConsolidationRun = "consolidation_run",
        /// How often records were read.
        DocumentReads = "document_reads",
    }
}

/// A noun that is kept in the ledger. Its stored form is its `serde` form.
pub trait Shelved: Serialize + DeserializeOwned {
    /// Where it is kept.
    const SHELF: Shelf;
    /// Its memory.
    fn memory(&self) -> &MemoryId;
    /// Whose it is: with it, it is forgotten.
    fn actor(&self) -> &ActorId;
    /// Names it among all of its shelf in its memory.
    fn key(&self) -> String;
    /// What lists of a part of the shelf go by: the number of a pull request, a digest.
    fn subject(&self) -> Option<String> {
        None
    }
    /// What lists are ordered by.
    fn at(&self) -> Timestamp;
}

/// A noun as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The memory.
    pub memory: MemoryId,
    /// What kind of noun it is.
    pub shelf: Shelf,
    /// Its name on the shelf.
    pub key: String,
    /// Whose it is.
    pub actor: ActorId,
    /// What lists of a part of the shelf go by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What lists are ordered by.
    pub at: Timestamp,
    /// The noun.
    pub body: Document,
}

impl LedgerEntry {
    /// Of a noun.
    ///
    /// # Errors
    /// A bug, where it cannot be written.
    pub fn of<T: Shelved>(noun: &T) -> Result<Self> {
        let unwritten = |error| Error::bug("an entry of the ledger cannot be written").caused_by(error);
        let body = serde_json::to_string(noun).map_err(unwritten)?;
        Ok(Self {
            memory: noun.memory().clone(),
            shelf: T::SHELF,
            key: noun.key(),
            actor: noun.actor().clone(),
            subject: noun.subject(),
            at: noun.at(),
            body: Document::parse(&body)?,
        })
    }

    /// True where it speaks of places in this memory's order of record changes: derived from records, and none of a memory in which they
    /// come in another order; or of this instance's disks and keys. It is neither exported nor imported.
    pub fn is_of_sequences(&self) -> bool {
        match self.shelf {
            Shelf::Mirror | Shelf::MirrorFiles | Shelf::MirrorState => true,
            Shelf::RedactedContent | Shelf::ErasedSource => true,
            Shelf::TreeEntry
            | Shelf::TreePlace
            | Shelf::TreeChange
            | Shelf::TreeSnapshot
            | Shelf::ConsolidationRun => true,
            Shelf::Progress => {
                crate::trees::tree_entry::TreeProgress::is_key(&self.key)
                    || crate::trees::consolidation_run::TreeUpkeep::is_key(&self.key)
            }
            _ => false,
        }
    }

    /// As the noun it is.
    ///
    /// # Errors
    /// A bug, where it is damaged.
    pub fn read<T: Shelved>(&self) -> Result<T> {
        let damaged = |error| Error::bug("an entry of the ledger is damaged").caused_by(error);
        serde_json::from_str(self.body.as_str()).map_err(damaged)
    }
}
