//! The input from the store: a record with its analysed passages and vectors. Data types only.

use std::sync::Arc;

use loci_model::event::Role;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{ActorId, BranchName, RecordId, SessionId, StrategyId, Timestamp};
use loci_text::TurnAnalysis;

/// Everything that the index stores of a record, in its newest version.
#[derive(Debug, Clone)]
pub struct IndexRecord {
    /// The record.
    pub record: RecordId,
    /// Its version.
    pub version: u32,
    /// Its position in the memory's sequence of changes. Of two states of a record, the later one
    /// has precedence.
    pub sequence: u64,
    /// A digest of everything else here and of the passages' texts, except vectors and sequence. If
    /// two states of a record have equal digests, only their vectors can differ, and
    /// [`crate::MemoryIndex::attach`] is enough.
    pub content: u64,
    /// The kind.
    pub kind: RecordKind,
    /// The state.
    pub state: RecordState,
    /// The namespace, in normal form.
    pub namespace: String,
    /// The strategy that made it.
    pub strategy: Option<StrategyId>,
    /// The actor of its source events.
    pub actor: Option<ActorId>,
    /// The session.
    pub session: Option<SessionId>,
    /// The branch of the session.
    pub branch: Option<BranchName>,
    /// True if it contains one message verbatim, and is thus a turn of that conversation.
    pub verbatim: bool,
    /// The role of that message.
    pub role: Option<Role>,
    /// Its position in the session, with the time of its event.
    pub position: Position,
    /// False if the time of the position is not that of an event.
    pub has_time: bool,
    /// The creation time of its first version.
    pub created_at: Timestamp,
    /// The creation time of this version.
    pub updated_at: Timestamp,
    /// The origin.
    pub origin: RecordOrigin,
    /// The inclusive start of its validity, in world time.
    pub valid_from: Timestamp,
    /// The exclusive end of its validity, in world time.
    pub valid_to: Option<Timestamp>,
    /// The end of the time in which the system considered it active. `None` if it still does or,
    /// for other states, never did.
    pub known_to: Option<Timestamp>,
    /// The expiry time, after which reads omit it.
    pub expires_at: Option<Timestamp>,
    /// Client-defined metadata.
    pub metadata: Metadata,
    /// The path of the file it belongs to. The index adds its terms before those of every passage;
    /// the caller must not add them.
    pub path: Option<String>,
    /// Its passages: one for conversation and facts, one per chunk of a document.
    pub passages: Vec<IndexPassage>,
}

/// A passage: the unit of ranking.
#[derive(Debug, Clone)]
pub struct IndexPassage {
    /// The number of the passage in its record, from 0.
    pub part: u32,
    /// The terms, flags and prefix of its text, as received.
    pub analysis: TurnAnalysis,
    /// Its vector, if it is embedded.
    pub vector: Option<StoredVector>,
}

/// A unit vector in one byte per dimension: `scale · values`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// The model and the quantisation. Only vectors of the same model are compared.
    pub model: Arc<str>,
    /// The factor of the values.
    pub scale: f32,
    /// The values, −127 to 127.
    pub values: Box<[i8]>,
}

impl StoredVector {
    /// Quantises a vector to 127 steps on each side of its greatest absolute value. The scale gives
    /// the result unit length for any length of `vector`. A zero vector stays zero.
    pub fn quantise(vector: &[f32], model: impl Into<Arc<str>>) -> Self {
        let greatest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let step = if greatest.is_finite() && greatest > 0.0 { 127.0 / greatest } else { 0.0 };
        let values: Box<[i8]> =
            vector.iter().map(|value| (value * step).round().clamp(-127.0, 127.0) as i8).collect();
        Self::of_values(values, model)
    }

    /// Returns a vector with these values, scaled to unit length.
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
