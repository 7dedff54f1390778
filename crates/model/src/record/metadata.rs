//! Metadata of records: values, types, and the schema by which a strategy fills them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::Timestamp;

/// Prefix of the keys that the engine fills and callers may not set.
pub const SYSTEM_PREFIX: &str = "x-amz-agentcore-memory-";
/// System key: the time of the record's creation.
pub const SYSTEM_CREATED_AT: &str = "x-amz-agentcore-memory-createdAt";
/// System key: the time of the record's last change.
pub const SYSTEM_UPDATED_AT: &str = "x-amz-agentcore-memory-updatedAt";
/// System key: `EXTRACTED` or `BATCH_CREATED`.
pub const SYSTEM_RECORD_TYPE: &str = "x-amz-agentcore-memory-recordType";
/// System key: `true` on search results from events that are not extracted yet. No stored record
/// has it.
pub const SYSTEM_PROVISIONAL: &str = "x-amz-agentcore-memory-provisional";

/// Metadata of a record, without the system keys.
pub type Metadata = BTreeMap<String, MetadataValue>;

/// The type of a metadata key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MetadataType {
    /// Text.
    String,
    /// A list of texts, read as a set.
    StringList,
    /// A 64-bit float.
    Number,
}

impl MetadataType {
    /// Returns the wire's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::StringList => "STRINGLIST",
            Self::Number => "NUMBER",
        }
    }
}

/// A metadata value of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataValue {
    /// Text.
    String(String),
    /// A list of texts.
    StringList(Vec<String>),
    /// A finite number.
    Number(f64),
    /// A point in time; only system keys have it.
    DateTime(Timestamp),
}

/// The extraction of a value of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MetadataExtraction {
    /// A model infers the value from the event.
    LlmInferred,
    /// The value is copied unchanged from the event's metadata.
    StrictlyConsistent,
}

/// The constraints on a value that a model infers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataValidation {
    /// One of these texts.
    String {
        /// The allowed texts.
        allowed: Vec<String>,
    },
    /// A list of allowed texts with a maximum length.
    StringList {
        /// The allowed texts; empty means any.
        allowed: Vec<String>,
        /// Maximum number of items.
        items_max: Option<u32>,
    },
    /// A number in this range.
    Number {
        /// The smallest allowed number.
        min: Option<f64>,
        /// The greatest allowed number.
        max: Option<f64>,
    },
}

/// The instructions by which a model infers a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmExtraction {
    /// The meaning of the key.
    pub definition: String,
    /// The rule for choosing between values.
    pub instruction: Option<String>,
    /// The constraints on the value.
    pub validation: Option<MetadataValidation>,
}

/// One key that a strategy fills on its records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataSchemaEntry {
    /// The name of the metadata key.
    pub key: String,
    /// The type of the key's values, as specified; `None` means text.
    pub kind: Option<MetadataType>,
    /// The way in which the value is determined, as specified; `None` means that a model infers it.
    pub extraction: Option<MetadataExtraction>,
    /// The instructions for the model.
    pub llm: Option<LlmExtraction>,
}

impl MetadataSchemaEntry {
    /// Returns the effective type.
    pub fn effective_type(&self) -> MetadataType {
        self.kind.unwrap_or(MetadataType::String)
    }

    /// Returns the effective extraction: as specified, or else inferred.
    pub fn effective_extraction(&self) -> MetadataExtraction {
        self.extraction.unwrap_or(MetadataExtraction::LlmInferred)
    }
}
