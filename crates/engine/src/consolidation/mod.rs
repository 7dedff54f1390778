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

/// A record that extraction proposes.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The record, ready to write.
    pub record: &'a Record,
    /// The consolidation settings of its strategy.
    pub joining: &'a JoinMode,
    /// Its embedding, if it has one.
    pub vector: Option<&'a [f32]>,
}

/// Similarity of two texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// Jaccard similarity of their terms.
    pub jaccard: f32,
    /// Cosine similarity of their embeddings, if both have one of the same model.
    pub cosine: Option<f32>,
}

/// An existing record near a proposal, of the same strategy and namespace.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    /// Index of the proposal.
    pub of: usize,
    /// The record.
    pub record: Record,
    /// Its similarity to the proposal.
    pub alike: Alike,
}

/// The reason for a decision, and its author. It contains no content except the ids of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// Readable reason, at most 500 characters.
    pub reason: String,
    /// The rules ([`decisions::decision_write::RULES`]), or the prompt of the model.
    pub by: String,
}

impl Why {
    /// Returns a reason given by the rules.
    pub fn rules(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), by: decisions::decision_write::RULES.to_owned() }
    }
}

/// A decision on a proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The proposal is added.
    Add {
        /// The reason.
        why: Why,
    },
    /// The proposal has no new content: the existing record gains a source.
    Skip {
        /// The existing record.
        of: RecordId,
        /// The reason.
        why: Why,
    },
    /// The proposal supersedes other records.
    Supersede {
        /// The superseded records.
        old: Vec<RecordId>,
        /// The reason.
        why: Why,
    },
    /// A record with new words, which include the proposal, supersedes an old one.
    Update {
        /// The old record.
        old: RecordId,
        /// The new words.
        text: String,
        /// The reason.
        why: Why,
        /// The author of the words.
        by: AnswerAuthor,
    },
    /// The proposal may contradict others, and no rule is certain: all stay active, and the
    /// conflict is recorded.
    Doubt {
        /// The other records.
        with: Vec<RecordId>,
        /// The reason.
        why: Why,
    },
    /// The proposal contradicts a record of higher trust: it is kept as a candidate.
    Hold {
        /// The other record.
        with: RecordId,
        /// The reason.
        why: Why,
    },
    /// The proposal concerns a time before an existing record: it is stored as superseded by that
    /// record.
    History {
        /// The newer record.
        under: RecordId,
        /// The reason.
        why: Why,
    },
}

/// Decisions on the proposals of a round.
#[derive(Debug, Clone, PartialEq)]
pub enum RoundDecisions {
    /// One decision per proposal, in their order.
    Plan(Vec<Decision>),
    /// A question waits for the client's own model.
    Waits,
    /// A question got no answer.
    Unanswered(Unanswered),
}

/// The context of a decision: the job, its memory and strategy, and the model.
#[derive(Clone, Copy)]
pub struct DecisionContext<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The extraction job.
    pub job: &'a Job,
    /// Its memory.
    pub memory: &'a Memory,
    /// Its strategy.
    pub strategy: &'a Strategy,
    /// The mode of the model.
    pub mode: ModelMode,
}
