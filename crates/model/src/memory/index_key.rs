//! Keys that a memory declares: filterable metadata keys, and variables of namespace templates.

use serde::{Deserialize, Serialize};

use crate::record::metadata::MetadataType;

/// A filterable metadata key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedKey {
    /// The name of the metadata key.
    pub key: String,
    /// The type of the key's values.
    pub kind: MetadataType,
}

/// A variable of namespace templates, in addition to the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceKey {
    /// The variable's name.
    pub key: String,
    /// The constraints on the variable's values.
    pub validation: Option<NamespaceKeyValidation>,
}

/// The constraints on the value of a namespace variable; if both are specified, both apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceKeyValidation {
    /// The allowed values.
    pub allowed: Option<Vec<String>>,
    /// The pattern that the whole value must match (linear-time engine).
    pub pattern: Option<String>,
}
