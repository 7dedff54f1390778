//! What the store hands in: one record with its analysed passages and vectors. Shapes only.

use std::sync::Arc;

use loci_model::event::Role;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{ActorId, BranchName, RecordId, SessionId, StrategyId, Timestamp};
use loci_text::TurnAnalysis;

/// Everything the index keeps of one record, in its newest version.
#[derive(Debug, Clone)]
pub struct IndexRecord {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// Its place in the memory's order of changes; of two states of one record the later wins.
    pub sequence: u64,
    /// Stands for everything else said here and in the passages' texts, vectors and sequence left out. Two states of one
    /// record with equal numbers differ in their vectors at most, and [`crate::MemoryIndex::attach`] does.
    pub content: u64,
    /// What it is.
    pub kind: RecordKind,
    /// Where it stands.
    pub state: RecordState,
    /// Its place, in normal form.
    pub namespace: String,
    /// Whose strategy made it.
    pub strategy: Option<StrategyId>,
    /// Whose events it rests on.
    pub actor: Option<ActorId>,
    /// Which session.
    pub session: Option<SessionId>,
    /// Which branch of it.
    pub branch: Option<BranchName>,
    /// It holds one message word for word, and so is a turn of that conversation.
    pub verbatim: bool,
    /// The role of that message.
    pub role: Option<Role>,
    /// Its place in the session, and the time it happened.
    pub position: Position,
    /// False where the position's time says nothing about when it happened.
    pub has_time: bool,
    /// When the first version was written.
    pub created_at: Timestamp,
    /// When this version was written.
    pub updated_at: Timestamp,
    /// How it came to be.
    pub origin: RecordOrigin,
    /// True from here on (world time).
    pub valid_from: Timestamp,
    /// True until just before here.
    pub valid_to: Option<Timestamp>,
    /// Until when the system held it for active; `None`: it still does, or, where the state is another, it never did.
    pub known_to: Option<Timestamp>,
    /// When it vanishes from reads.
    pub expires_at: Option<Timestamp>,
    /// Free values.
    pub metadata: Metadata,
    /// The path of the file it belongs to. Its terms are put before those of every passage here; do not put them there.
    pub path: Option<String>,
    /// Its passages: one for talk and facts, one per chunk of a document.
    pub passages: Vec<IndexPassage>,
}

/// One passage: what is ranked.
#[derive(Debug, Clone)]
pub struct IndexPassage {
    /// Which passage of its record, from 0.
    pub part: u32,
    /// Terms, flags and prefix of its text, as sent.
    pub analysis: TurnAnalysis,
    /// Its vector, where it is embedded.
    pub vector: Option<StoredVector>,
}

/// A unit vector in one byte per dimension: `scale · values`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// Model and quantisation; only vectors of one model are compared.
    pub model: Arc<str>,
    /// What a value of 1 stands for.
    pub scale: f32,
    /// The values, −127 to 127.
    pub values: Box<[i8]>,
}

impl StoredVector {
    /// Rounds a vector to 127 steps on each side of its greatest value. The scale is such that the result is of unit
    /// length again, whatever the length of `vector`; a vector of zeros stays one.
    pub fn quantise(vector: &[f32], model: impl Into<Arc<str>>) -> Self {
        let greatest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let step = if greatest.is_finite() && greatest > 0.0 { 127.0 / greatest } else { 0.0 };
        let values: Box<[i8]> =
            vector.iter().map(|value| (value * step).round().clamp(-127.0, 127.0) as i8).collect();
        Self::of_values(values, model)
    }

    /// A vector of these values, with the scale that makes it of unit length.
    pub fn of_values(values: Box<[i8]>, model: impl Into<Arc<str>>) -> Self {
        let square: i64 = values.iter().map(|value| i64::from(*value) * i64::from(*value)).sum();
        let scale = if square > 0 { (1.0 / (square as f64).sqrt()) as f32 } else { 0.0 };
        Self { model: model.into(), scale, values }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantised_vectors_have_unit_length_and_the_same_direction() {
        let vector: Vec<f32> = (0..384).map(|at| ((at * 37 % 101) as f32 - 50.0) / 600.0).collect();
        let stored = StoredVector::quantise(&vector, "m");
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>().sqrt();
        let back: Vec<f32> = stored.values.iter().map(|value| f32::from(*value) * stored.scale).collect();
        assert!((length(&back) - 1.0).abs() < 1e-5);
        let dot: f32 = back.iter().zip(&vector).map(|(a, b)| a * b).sum::<f32>() / length(&vector);
        assert!(dot > 0.9999, "{dot}");
    }

    #[test]
    fn odd_vectors() {
        let check = |vector: &[f32], values: &[i8], scale: f32| {
            let stored = StoredVector::quantise(vector, "m");
            assert_eq!((&*stored.values, stored.scale), (values, scale), "{vector:?}");
        };
        check(&[], &[], 0.0);
        check(&[0.0, 0.0], &[0, 0], 0.0);
        check(&[-2.0], &[-127], 1.0 / 127.0);
        check(&[f32::NAN, 1.0], &[0, 127], 1.0 / 127.0);
        check(&[f32::INFINITY, 1.0], &[0, 0], 0.0);
    }
}
