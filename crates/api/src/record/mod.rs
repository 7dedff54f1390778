//! Records: what is remembered, their versions, batches and filters.

pub mod derivation;
pub mod feedback;
pub mod sources;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Notices;
use crate::event::Role;
use crate::record::derivation::{Findings, Making};
use crate::record::feedback::FeedbackCounts;
use crate::twin_words::twin_words;

/// A value of metadata.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, try_from = "serde_json::Value")]
pub enum MetadataValue {
    /// Text.
    String(String),
    /// A list of texts, read as a set.
    StringList(Vec<String>),
    /// A number.
    Number(f64),
}

// Not by `untagged`: numbers that keep their text (serde_json's `arbitrary_precision`) do not survive its buffering.
impl TryFrom<serde_json::Value> for MetadataValue {
    type Error = &'static str;

    fn try_from(value: serde_json::Value) -> Result<Self, Self::Error> {
        const RULE: &str = "a metadata value must be a text, a list of texts or a number";
        match value {
            serde_json::Value::String(text) => Ok(Self::String(text)),
            serde_json::Value::Number(number) => number.as_f64().map(Self::Number).ok_or(RULE),
            serde_json::Value::Array(items) => items
                .into_iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or(RULE))
                .collect::<Result<_, _>>()
                .map(Self::StringList),
            serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Object(_) => Err(RULE),
        }
    }
}

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// The event.
    pub event: String,
    /// Index of the message in it.
    pub message: u32,
    /// Which part of the message.
    pub part: u32,
}

/// Enough to show the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Provenance {
    /// Who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Which conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The messages it was made from.
    pub sources: Vec<Source>,
    /// It holds one message word for word.
    pub verbatim: bool,
    /// Who spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// A record in one version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Record {
    /// Its id, the same through all versions.
    pub id: String,
    /// The memory.
    pub memory: String,
    /// From 1; an edit makes the next.
    pub version: u32,
    /// `fact`, `preference`, `summary`, `episode`, `reflection`, `rule`, `investigation`, `document`.
    pub kind: String,
    /// A finer word within the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// A title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// To what it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Its place.
    pub namespace: String,
    /// Whose strategy made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// What is remembered.
    pub text: String,
    /// Free values.
    #[serde(default)]
    pub metadata: BTreeMap<String, MetadataValue>,
    /// Where it comes from.
    pub provenance: Provenance,
    /// `extracted` or `batch_created`.
    pub origin: String,
    /// 0 to 1.
    pub trust: f64,
    /// How far its source is trusted: `confirmed`, `external`, `flagged`; absent: `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// How the pipeline made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Making>,
    /// The records it draws on: a reflection's episodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<String>,
    /// What safety found in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// `active`, `candidate`, `superseded`, `invalid`, `quarantined`, `stale`, `expired`, `archived`, `rolled_back`,
    /// `erased`.
    pub state: String,
    /// Why it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// The record that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// The records whose place it took.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// True in the world from here on.
    pub valid_from: String,
    /// True until just before here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Time of the source.
    pub timestamp: String,
    /// When the first version was written.
    pub created_at: String,
    /// When this version was written.
    pub updated_at: String,
    /// When it vanishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

twin_words! {
    /// What a filter does with the value of its key.
    FilterOperator = loci_model::record::metadata_filter::FilterOperator {
        /// Equal text, equal number, or the same set of texts.
        EqualsTo,
        /// The key is present.
        Exists,
        /// The key is absent.
        NotExists,
        /// Strictly earlier (system times only).
        Before,
        /// Strictly later (system times only).
        After,
        /// The list holds the text.
        Contains,
        /// Greater number.
        GreaterThan,
        /// Greater or equal number.
        GreaterThanOrEquals,
        /// Lesser number.
        LessThan,
        /// Lesser or equal number.
        LessThanOrEquals,
    }
}

/// One condition on metadata; `value` is absent for `exists` and `not_exists`, a time for `before` and `after`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataFilter {
    /// The key.
    pub key: String,
    /// What to do with its value.
    pub operator: FilterOperator,
    /// What to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<MetadataValue>,
}

/// Which records to list.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordListing {
    /// Nodes, each read as the memory's setting `namespace_match` says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Nodes with everything beneath them. Where both are absent: the whole memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespace_paths: Vec<String>,
    /// Only of this strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Conditions, all of which must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataFilter>,
    /// Kinds; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// States; none means active.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// 1 to 100; 100 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Where an earlier page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of records, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordList {
    /// The records.
    pub records: Vec<Record>,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What to know about it.
    #[serde(flatten)]
    pub notices: Notices,
}

/// A record to be made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordCreate {
    /// Its place.
    pub namespace: String,
    /// What is remembered.
    pub text: String,
    /// When it became known; now where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Whose strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Free values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, MetadataValue>,
    /// What it is; a fact where it is absent. `knowledge` is read as `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// A finer word within the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// A title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// To what it applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Records to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsCreate {
    /// At most 100.
    pub records: Vec<RecordCreate>,
    /// Days until they vanish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
}

/// A change of a record: the next version of the same id. Absent members stay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordUpdate {
    /// Which one.
    pub id: String,
    /// When it became known; now where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// A new text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A new place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Another strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// The whole new set of values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, MetadataValue>>,
    /// Only if the stored version is this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u32>,
}

/// Records to be changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsUpdate {
    /// At most 100.
    pub records: Vec<RecordUpdate>,
    /// Days until they vanish, counted from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
}

/// Records to be deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsDelete {
    /// Their ids; at most 100.
    pub ids: Vec<String>,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemOutcome {
    /// The record; for a failed creation an id that names nothing.
    pub id: String,
    /// Why not; absent where it succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ItemProblem>,
}

/// Why an item of a batch failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemProblem {
    /// A word for programs.
    pub code: String,
    /// A text for people.
    pub message: String,
}

/// What became of a batch, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchOutcome {
    /// One per item.
    pub items: Vec<ItemOutcome>,
    /// How many failed.
    pub failed: usize,
}

/// What is to be reverted of a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordRevert {
    /// The version whose content comes back as the next one. Absent: the decision the record stands in is undone; what
    /// it took the place of is in force again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_version: Option<u32>,
    /// Only if the stored version is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u32>,
}

/// A record that a revert changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevertedRecord {
    /// The record.
    pub id: String,
    /// Its version now.
    pub version: u32,
    /// Its state now.
    pub state: String,
}

/// Every record that a revert changed; the same revert again undoes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordsReverted {
    /// The records.
    pub records: Vec<RevertedRecord>,
}

/// A change of state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateChange {
    /// When.
    pub at: String,
    /// The version.
    pub version: u32,
    /// From; absent where it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// To.
    pub to: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who or what did it.
    pub by: String,
}

/// All versions of a record, and its changes of state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordHistory {
    /// Oldest first, the current one last.
    pub versions: Vec<Record>,
    /// Oldest first.
    pub changes: Vec<StateChange>,
    /// What principals say of the current version; absent where nobody says anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<FeedbackCounts>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_values() {
        let check = |text: &str, expect: Option<MetadataValue>| {
            assert_eq!(serde_json::from_str::<MetadataValue>(text).ok(), expect, "{text}");
        };
        check(r#""a""#, Some(MetadataValue::String("a".into())));
        check(r#"["a","b"]"#, Some(MetadataValue::StringList(vec!["a".into(), "b".into()])));
        check("1.5", Some(MetadataValue::Number(1.5)));
        check("7", Some(MetadataValue::Number(7.0)));
        check("true", None);
        check(r#"[1]"#, None);
        assert_eq!(serde_json::to_string(&MetadataValue::Number(1.5)).unwrap(), "1.5");
    }
}
