//! The input of the index from the store: a record with its analysed passages and vectors. Data
//! types only.

use std::sync::Arc;

use loci_model::event::Role;
use loci_model::record::metadata::Metadata;
use loci_model::record::provenance::Position;
use loci_model::record::{RecordKind, RecordOrigin, RecordState};
use loci_model::{ActorId, BranchName, RecordId, SessionId, StrategyId, Timestamp};
use loci_text::TurnAnalysis;

/// A record as the store gives it to the index: everything that the index keeps, in the newest
/// version.
#[derive(Debug, Clone)]
pub struct IndexRecord {
    /// The id of the record.
    pub record: RecordId,
    /// The version of the record.
    pub version: u32,
    /// The position of this state of the record in the memory's sequence of changes. If two states
    /// of a record arrive, the one with the higher sequence stays.
    pub sequence: u64,
    /// A digest of all other members and of the passages' texts, except vectors and `sequence`. If
    /// two states of a record have equal digests, only their vectors can differ, and
    /// [`crate::MemoryIndex::attach`] is enough.
    pub content: u64,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The state of the record.
    pub state: RecordState,
    /// The namespace of the record, in normal form.
    pub namespace: String,
    /// The strategy that made the record. `None` if no strategy made it.
    pub strategy: Option<StrategyId>,
    /// The actor of the events that the record was made from.
    pub actor: Option<ActorId>,
    /// The session of the events that the record was made from.
    pub session: Option<SessionId>,
    /// The branch of that session.
    pub branch: Option<BranchName>,
    /// True if the record contains one message verbatim, so that it is a turn of a conversation.
    pub verbatim: bool,
    /// The role of the message that the record contains verbatim.
    pub role: Option<Role>,
    /// The position of the record in its session, with the time of its event.
    pub position: Position,
    /// True if the time in `position` is that of an event, and not that of the record's creation.
    pub has_time: bool,
    /// The time at which the first version of the record was created.
    pub created_at: Timestamp,
    /// The time at which this version of the record was created.
    pub updated_at: Timestamp,
    /// The origin of the record.
    pub origin: RecordOrigin,
    /// The start of the time in which the record's statement is valid, inclusive. It is a time of
    /// the world, not of the store.
    pub valid_from: Timestamp,
    /// The end of the time in which the record's statement is valid, exclusive. `None` if it has no
    /// end.
    pub valid_to: Option<Timestamp>,
    /// The time at which the record stopped being active. `None` if it is still active, or was
    /// never active.
    pub known_to: Option<Timestamp>,
    /// The expiry time, after which reads leave the record out. `None` if the record does not
    /// expire.
    pub expires_at: Option<Timestamp>,
    /// The metadata of the record, which the client defines.
    pub metadata: Metadata,
    /// The path of the file that the record belongs to. The index adds the path's terms in front of
    /// those of every passage; the caller must not add them.
    pub path: Option<String>,
    /// The passages of the record: one for a message or a fact, one per chunk of a document.
    pub passages: Vec<IndexPassage>,
}

/// A passage: the part of a record that is ranked on its own.
#[derive(Debug, Clone)]
pub struct IndexPassage {
    /// The number of the passage in its record, starting at 0.
    pub part: u32,
    /// The terms, flags and prefix that the analysis found in the passage's text.
    pub analysis: TurnAnalysis,
    /// The vector of the passage. `None` until the passage is embedded.
    pub vector: Option<StoredVector>,
}

/// A unit vector in one byte per dimension: `scale · values`.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// The name of the embedding model and of the quantisation. Only vectors with equal names are
    /// compared.
    pub model: Arc<str>,
    /// The factor by which `values` are multiplied.
    pub scale: f32,
    /// The values of the dimensions, −127 to 127.
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

    /// Returns a vector with these values and the scale that makes its length 1.
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
