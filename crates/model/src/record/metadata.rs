//! Metadata of records: values, types, and the schema by which a strategy fills them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::Timestamp;

/// Prefix of the keys that the engine fills and callers may not set.
pub const SYSTEM_PREFIX: &str = "x-amz-agentcore-memory-";
/// System key: when the record was created.
pub const SYSTEM_CREATED_AT: &str = "x-amz-agentcore-memory-createdAt";
/// System key: when the record last changed.
pub const SYSTEM_UPDATED_AT: &str = "x-amz-agentcore-memory-updatedAt";
/// System key: `EXTRACTED` or `BATCH_CREATED`.
pub const SYSTEM_RECORD_TYPE: &str = "x-amz-agentcore-memory-recordType";
/// System key: `true` on what a search shows of events that are not extracted yet; no stored record has it.
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
    /// The wire's spelling.
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

/// How a value of the schema comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MetadataExtraction {
    /// A model infers it.
    LlmInferred,
    /// Copied unchanged from the event's metadata.
    StrictlyConsistent,
}

/// What a model must respect when it infers a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetadataValidation {
    /// One of these texts.
    String {
        /// The texts.
        allowed: Vec<String>,
    },
    /// Texts of these, at most so many.
    StringList {
        /// The texts; empty means any.
        allowed: Vec<String>,
        /// At most so many items.
        items_max: Option<u32>,
    },
    /// A number in this range.
    Number {
        /// Not below.
        min: Option<f64>,
        /// Not above.
        max: Option<f64>,
    },
}

/// How a model infers a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmExtraction {
    /// What the key means.
    pub definition: String,
    /// How to decide between values.
    pub instruction: Option<String>,
    /// What the value must respect.
    pub validation: Option<MetadataValidation>,
}

/// One key that a strategy fills on its records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataSchemaEntry {
    /// The key.
    pub key: String,
    /// Its type as given; absent means text.
    pub kind: Option<MetadataType>,
    /// How its value comes about as given; absent means inferred where `llm` is there, else copied.
    pub extraction: Option<MetadataExtraction>,
    /// How a model infers it.
    pub llm: Option<LlmExtraction>,
}

impl MetadataSchemaEntry {
    /// The type in force.
    pub fn effective_type(&self) -> MetadataType {
        self.kind.unwrap_or(MetadataType::String)
    }

    /// The way in force: as given, else inferred.
    pub fn effective_extraction(&self) -> MetadataExtraction {
        self.extraction.unwrap_or(MetadataExtraction::LlmInferred)
    }
}
