//! Measures the quality of relevances in small memories. Conversations are cut into pieces of a few
//! turns, each with the questions that it can answer. It uses the weights that did not see the
//! conversation and the calibration of the complete ones. Nothing is fitted on the pieces.

use anyhow::Result;
use loci_engine::retrieval::weights::Calibration;
use serde_json::Value;

use super::Arguments;
use super::calibration;
use super::examples;
use super::folds::Folds;
use crate::dev_set;
use crate::vectors::Vectors;

/// The table of one size and set.
pub(super) struct SmallMemoryTable {
    /// The maximum number of turns of a piece.
    pub(super) turns: usize,
    /// The number of the set.
    pub(super) set: usize,
    /// The table, in the format of the complete conversations.
    pub(super) table: Value,
}

/// Returns a table for each requested size and each set for the choice of weights.
pub(super) fn tables(
    arguments: &Arguments,
    folds: &Folds,
    calibration: &Calibration,
    lexical_scale: f32,
) -> Result<Vec<SmallMemoryTable>> {
    let mut vectors = Vectors::open(&arguments.vectors)?;
    let sets = arguments.set.iter().map(|path| dev_set::read(path)).collect::<Result<Vec<_>>>()?;
    let mut tables = Vec::new();
    for turns in arguments.small.iter().copied() {
        let mut conversations = 0..;
        for (set, read) in sets.iter().enumerate() {
            let mut pieces = Vec::new();
            for (conversation, number) in read.iter().zip(conversations.by_ref()) {
                for piece in conversation.cuts(turns) {
                    let (numbers, length) = ((set, number), arguments.candidates);
                    let asked =
                        examples::of_conversation(numbers, &piece, &mut vectors, lexical_scale, length)?;
                    pieces.extend(asked);
                }
            }
            let table = calibration::worth(pieces.iter(), folds, set, calibration);
            tables.push(SmallMemoryTable { turns, set, table });
        }
    }
    Ok(tables)
}
