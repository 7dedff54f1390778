//! Keys a memory declares: metadata keys that can be filtered, and variables of namespace templates.

use serde::{Deserialize, Serialize};

use crate::record::metadata::MetadataType;

/// A metadata key that can be filtered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedKey {
    /// The key.
    pub key: String,
    /// Its type.
    pub kind: MetadataType,
}

/// A variable of namespace templates, beside the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceKey {
    /// The variable's name.
    pub key: String,
    /// What its values must respect.
    pub validation: Option<NamespaceKeyValidation>,
}

/// What the value of a namespace variable must respect: both, where both are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamespaceKeyValidation {
    /// One of these.
    pub allowed: Option<Vec<String>>,
    /// The whole value matches this (linear-time engine).
    pub pattern: Option<String>,
}
