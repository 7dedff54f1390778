//! Consolidation: what becomes of new records beside those that are there. Added, left out, in the place of others, held.
//!
//! * `reading`: one statement for comparison;
//! * `comparison`: two of them side by side;
//! * `relate`: what a new statement is to an old one; `thresholds`: from which likeness on;
//! * `decisions`: what becomes of each proposal of a round, by rules and by a model, and the write of it;
//! * `plan`, `snapshot`, `validator`: the schema that consolidation of any kind plans in, and its rules.
//!
//! Which proposals are decided here, and beside whom, is extraction's matter (`jobs/extract/consolidating.rs`).

pub mod comparison;
pub mod decisions;
pub mod plan;
#[cfg(test)]
mod properties;
mod reading;
pub mod relate;
mod scanners;
pub mod snapshot;
pub mod thresholds;
pub mod validator;

use loci_model::RecordId;
use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::memory::strategy::Strategy;
use loci_model::record::Record;

use crate::Engine;
use crate::language_models::{MadeBy, Unanswered};
use crate::strategies::Joining;

pub use comparison::word_pairs::WordPairs;
pub use comparison::wording::{Wording, differ_in_wording_only};
pub use decisions::carry_out::Carrying;
pub use decisions::carry_out::carry_out;
pub use decisions::decide::decide;
pub use decisions::decide::decide_alone;
pub use relate::{ReadStatement, relate_both};
pub use relate::{Reason, Relation, Statement, relate};
pub(crate) use scanners::SCANNERS;
pub use thresholds::Thresholds;

/// A record that extraction proposes.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The record, ready to be written.
    pub record: &'a Record,
    /// How its strategy wants it to meet what is there.
    pub joining: &'a Joining,
    /// Its vector, where it has one.
    pub vector: Option<&'a [f32]>,
}

/// How alike two texts are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike {
    /// Of their terms.
    pub jaccard: f32,
    /// Of their vectors, where both have one of the same model.
    pub cosine: Option<f32>,
}

/// A record beside a proposal, of the same strategy and namespace.
#[derive(Debug, Clone)]
pub struct Neighbourhood {
    /// Index of the proposal.
    pub of: usize,
    /// The record.
    pub record: Record,
    /// How alike they are.
    pub alike: Alike,
}

/// Why something was decided, and by what. No content, except the ids of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// For people, at most 500 characters.
    pub reason: String,
    /// The rules ([`decisions::carry_out::RULES`]), or the prompt that was asked.
    pub by: String,
}

impl Why {
    /// By the rules.
    pub fn rules(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), by: decisions::carry_out::RULES.to_owned() }
    }
}

/// What becomes of a proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is added.
    Add {
        /// Why.
        why: Why,
    },
    /// It says nothing new: the record there gains a source.
    Skip {
        /// The record that says it.
        of: RecordId,
        /// Why.
        why: Why,
    },
    /// It takes the place of others.
    Supersede {
        /// The others.
        old: Vec<RecordId>,
        /// Why.
        why: Why,
    },
    /// A record in new words takes the place of an old one; the proposal is part of it.
    Update {
        /// The old one.
        old: RecordId,
        /// The new words.
        text: String,
        /// Why.
        why: Why,
        /// Whose words they are.
        by: MadeBy,
    },
    /// It may contradict others, and no rule is certain: both are in force, and the
    /// conflict is noted.
    Doubt {
        /// The others.
        with: Vec<RecordId>,
        /// Why.
        why: Why,
    },
    /// It contradicts a record that is trusted more: kept as a candidate.
    Hold {
        /// The other.
        with: RecordId,
        /// Why.
        why: Why,
    },
    /// It tells of a time before a record that is there: kept as superseded by that one.
    History {
        /// The newer one.
        under: RecordId,
        /// Why.
        why: Why,
    },
}

/// What was decided on a round's proposals.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// One decision per proposal, in their order.
    Plan(Vec<Decision>),
    /// A question waits for the caller's own model.
    Waits,
    /// A question has no answer.
    Unanswered(Unanswered),
}

/// What a decision is made in: the job, its memory and strategy, and who reads.
#[derive(Clone, Copy)]
pub struct Deciding<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The job that extracts.
    pub job: &'a Job,
    /// Its memory.
    pub memory: &'a Memory,
    /// Its strategy.
    pub strategy: &'a Strategy,
    /// Who reads.
    pub mode: ModelMode,
}
