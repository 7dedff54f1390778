//! Records as rows to be moved.

use serde::{Serialize, Serializer};

use crate::Timestamp;
use crate::record::Record;
use crate::record::telemetry::StateChange;

/// One strategy and one namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedGroup {
    /// The namespace in normal form.
    pub normal: String,
    /// The strategy; empty for none.
    pub strategy: String,
    /// Sequence of the last change of a record in the group.
    pub sequence: u64,
}

/// The vector of one passage, with one byte for each dimension. The scale normalises it to unit
/// length.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct MovedVector {
    /// The index of the passage.
    pub part: u32,
    /// The model that computed the vector.
    pub model: String,
    /// The values, −127 to 127.
    #[serde(serialize_with = "hexadecimal")]
    pub values: Box<[i8]>,
}

impl std::fmt::Debug for MovedVector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MovedVector({}, {}, {} values)", self.part, self.model, self.values.len())
    }
}

/// Writes two hex digits for each value.
fn hexadecimal<S: Serializer>(values: &[i8], serializer: S) -> Result<S::Ok, S::Error> {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    let text: String = values
        .iter()
        .map(|value| value.cast_unsigned())
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect();
    serializer.serialize_str(&text)
}

/// The current version of a record, in any state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedRecord {
    /// The record with its sequence.
    pub record: Record,
    /// The time of the last change of the record's state.
    pub stated: Timestamp,
    /// The time at which the record ceased to be active; `None`: it is active, or never was.
    pub left_at: Option<Timestamp>,
    /// True if the record's content is erased.
    pub gone: bool,
    /// Vectors of the record's passages, by part.
    pub vectors: Vec<MovedVector>,
}

impl MovedRecord {
    /// Returns the model of which all of its `parts` passages have a vector.
    pub fn complete_model(&self, parts: usize) -> Option<&str> {
        let model = self.vectors.first()?.model.as_str();
        let all = self.vectors.len() == parts && self.vectors.iter().all(|vector| vector.model == model);
        all.then_some(model)
    }

    /// Returns its approximate size in bytes.
    pub(super) fn bytes(&self) -> usize {
        let vectors: usize = self.vectors.iter().map(|vector| vector.values.len() + 64).sum();
        self.record.text.len() + vectors
    }
}

/// An earlier version of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedVersion {
    /// The earlier version.
    pub record: Record,
    /// The time at which the next version was written.
    pub until: Timestamp,
}

/// A change of state of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MovedChange {
    /// The number of the change among those of the record.
    pub number: u64,
    /// The change.
    pub change: StateChange,
}
