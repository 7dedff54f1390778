//! Consolidation: compares new records with existing ones, and adds, skips, supersedes or holds
//! them.
//!
//! * `statement_parser`: one statement, parsed for comparison;
//! * `comparison`: the comparison of two statements;
//! * `relate`: the relation of a new statement to an old one; `thresholds`: the similarities it
//!   requires;
//! * `decisions`: decisions on each proposal of a round, by rules and by a model, and their write;
//! * `plan`, `snapshot`, `validator`: the plan schema for consolidation of any kind, and its rules.
//!
//! Extraction selects the proposals and their neighbours (`jobs/extract/round_consolidation.rs`).

pub mod comparison;
pub mod decisions;
pub mod plan;
#[cfg(test)]
mod properties;
pub mod relate;
mod scanners;
pub mod snapshot;
mod statement_parser;
pub mod thresholds;
pub mod validator;

use loci_model::RecordId;
use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::Strategy;
use loci_model::record::Record;

use crate::Engine;
use crate::language_models::{AnswerAuthor, Unanswered};
use crate::strategies::JoinMode;

pub use comparison::word_pairs::WordPairs;
pub use comparison::wording_difference::{Wording, differ_in_wording_only};
pub use decisions::decide::decide;
pub use decisions::decide::decide_alone;
pub use decisions::decision_write::DecisionWrite;
pub use decisions::decision_write::carry_out;
pub use relate::{ReadStatement, relate_both};
pub use relate::{Reason, Relation, Statement, relate};
pub(crate) use scanners::SCANNERS;
pub use thresholds::Thresholds;

/// A record that extraction proposes to store.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The proposed record, complete and ready to be written.
    pub record: &'a Record,
    /// The rule of its strategy for combining the record with existing ones.
    pub joining: &'a JoinMode,
    /// The embedding vector of the record's text, if there is one.
    pub vector: Option<&'a [f32]>,
}

/// The similarity of two texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// The Jaccard similarity of their sets of terms, 0 to 1.
    pub jaccard: f32,
    /// The cosine of their embedding vectors; `None` unless both have a vector of the same model.
    pub cosine: Option<f32>,
}

/// An existing record that is similar to a proposed one, in the same strategy and namespace.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    /// The index of the proposed record.
    pub of: usize,
    /// The existing record.
    pub record: Record,
    /// The similarity of the existing record to the proposed one.
    pub alike: Alike,
}

/// The reason for a decision on a proposed record, and who decided. It contains no content of
/// records except their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The reason as a sentence, at most 500 characters.
    pub reason: String,
    /// The name of the rules ([`decisions::decision_write::RULES`]), or the id of the prompt with
    /// which a model decided.
    pub by: String,
}

impl Why {
    /// Returns a reason given by the rules.
    pub fn rules(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), by: decisions::decision_write::RULES.to_owned() }
    }
}

/// The decision on a proposed record.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The proposed record is stored as a new record.
    Add {
        /// The reason for the decision, and who decided.
        why: Why,
    },
    /// The proposed record repeats an existing one: nothing is stored, but the existing record
    /// gains a source.
    Skip {
        /// The existing record that is repeated.
        of: RecordId,
        /// The reason for the decision, and who decided.
        why: Why,
    },
    /// The proposed record is stored and supersedes existing records.
    Supersede {
        /// The existing records that are superseded.
        old: Vec<RecordId>,
        /// The reason for the decision, and who decided.
        why: Why,
    },
    /// A record with a new text, which combines the proposed record and an existing one, is
    /// stored and supersedes the existing one.
    Update {
        /// The existing record that is superseded.
        old: RecordId,
        /// The combined text.
        text: String,
        /// The reason for the decision, and who decided.
        why: Why,
        /// The model that wrote the combined text.
        by: AnswerAuthor,
    },
    /// The proposed record may contradict existing ones, but no rule is certain: all stay active,
    /// and a conflict is stored for a person to decide.
    Doubt {
        /// The existing records that may be contradicted.
        with: Vec<RecordId>,
        /// The reason for the decision, and who decided.
        why: Why,
    },
    /// The proposed record contradicts an existing record with more trust: it is stored as a
    /// candidate, which is not active.
    Hold {
        /// The existing record that is contradicted.
        with: RecordId,
        /// The reason for the decision, and who decided.
        why: Why,
    },
    /// The proposed record is about an earlier time than an existing record: it is stored as
    /// superseded by that record.
    History {
        /// The existing record, which is newer.
        under: RecordId,
        /// The reason for the decision, and who decided.
        why: Why,
    },
}

/// The decisions on all proposed records of one extraction round.
#[derive(Debug, Clone, PartialEq)]
pub enum RoundDecisions {
    /// One decision for each proposed record, in the same order.
    Plan(Vec<Decision>),
    /// No decisions yet: a question waits for the client's own model.
    Waits,
    /// No decisions: a question to the model got no answer, for this reason.
    Unanswered(Unanswered),
}

/// The job, memory, strategy and model for which decisions are made.
#[derive(Clone, Copy)]
pub struct DecisionContext<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The extraction job.
    pub job: &'a Job,
    /// The memory of the job.
    pub memory: &'a Memory,
    /// The strategy of the job.
    pub strategy: &'a Strategy,
    /// The mode that decides if a model is asked, and by whom.
    pub mode: ModelMode,
}
