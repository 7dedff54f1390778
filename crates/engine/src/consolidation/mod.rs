//! Consolidation: what becomes of new records beside those that are there. Added, left out, in the place of others, held.
//!
//! The types are those that extraction and consolidation share. Decisions are still made by joining alone
//! (`jobs/extract/join.rs`): [`decide`] and [`carry_out`] are asked by nobody and say so.

use loci_model::job::Job;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::settings::ModelMode;
use loci_model::strategy::Strategy;
use loci_model::{Error, RecordId, Result, Timestamp};

use crate::Engine;
use crate::asking::{MadeBy, Unanswered};
use crate::strategies::Joining;

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

/// What becomes of a proposal. Every decision has a reason, of at most 500 characters and without content.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is added.
    Add {
        /// Why.
        reason: String,
    },
    /// It says nothing new: the record there gains a source.
    Skip {
        /// The record that says it.
        of: RecordId,
        /// Why.
        reason: String,
    },
    /// It takes the place of others.
    Supersede {
        /// The others.
        old: Vec<RecordId>,
        /// Why.
        reason: String,
    },
    /// A record in new words takes the place of an old one; the proposal is part of it.
    Update {
        /// The old one.
        old: RecordId,
        /// The new words.
        text: String,
        /// Why.
        reason: String,
        /// Whose words they are.
        by: MadeBy,
    },
    /// It contradicts a record that is trusted more: kept as a candidate.
    Hold {
        /// The other.
        with: RecordId,
        /// Why.
        reason: String,
    },
    /// It tells of a time before a record that is there: kept as superseded by that one.
    History {
        /// The newer one.
        under: RecordId,
        /// Why.
        reason: String,
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

/// Decides on proposals beside their neighbours: by rules first, by the model only for the rest.
///
/// # Errors
/// Those of the store. At present always: nothing is decided here yet.
pub async fn decide(
    deciding: &Deciding<'_>,
    _proposals: &[Proposal<'_>],
    _around: &[Neighbourhood],
) -> Result<Decided> {
    Err(unfinished(deciding.job.id.as_str()))
}

/// Carries a decision out, in the write of the round: what was inserted.
///
/// # Errors
/// Those of the store. At present always: nothing is carried out here yet.
pub fn carry_out(
    _tx: &mut dyn Tx,
    _memory: &Memory,
    proposal: &Record,
    _decision: &Decision,
    _at: Timestamp,
) -> Result<Option<Record>> {
    Err(unfinished(proposal.id.as_str()))
}

fn unfinished(what: &str) -> Error {
    Error::bug(format!("consolidation was asked about {what}, but decides nothing in this version"))
}
