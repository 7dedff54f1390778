//! Records, with their versions, batches and metadata filters.

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
use crate::word_lists::twin_words;

/// A value of a metadata key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, try_from = "serde_json::Value")]
pub enum MetadataValue {
    /// A text.
    String(String),
    /// A list of texts, treated as a set.
    StringList(Vec<String>),
    /// A number.
    Number(f64),
}

// Not derived by `untagged`: numbers that keep their text (`arbitrary_precision` of serde_json) do
// not survive its buffering.
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

/// A message that a record comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Source {
    /// Id of the event.
    pub event: String,
    /// Index of the message in the event's payload.
    pub message: u32,
    /// Index of the part of the message, if the message was split; otherwise 0.
    pub part: u32,
}

/// The provenance of a record: the messages that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct Provenance {
    /// Id of the actor whose events the record was derived from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Id of the session whose events the record was derived from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Messages that the record was derived from.
    pub sources: Vec<Source>,
    /// True if the record contains one message word for word.
    pub verbatim: bool,
    /// Role of the speaker of the message; absent if the messages have several speakers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// One version of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Record {
    /// Id of the record, the same in all versions.
    pub id: String,
    /// Id of the memory.
    pub memory: String,
    /// Version, starting at 1. Each edit creates the next version.
    pub version: u32,
    /// Kind: `fact`, `preference`, `summary`, `episode`, `reflection`, `rule`, `investigation` or
    /// `document`.
    pub kind: String,
    /// Finer kind of the record within `kind`, such as a category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Title of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Path of the record as a document; absent if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Short description of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Part of a project that the record applies to, such as a path or a glob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Namespace of the record.
    pub namespace: String,
    /// Id of the strategy that created the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Text of the record.
    pub text: String,
    /// Metadata of the record: keys with values, for filters and grants.
    #[serde(default)]
    pub metadata: BTreeMap<String, MetadataValue>,
    /// Provenance: the messages that the record comes from.
    pub provenance: Provenance,
    /// Origin of the record: `extracted` by a strategy, or `batch_created` by a client.
    pub origin: String,
    /// Trust in the record, 0 to 1.
    pub trust: f64,
    /// Trust tier of the source: `confirmed`, `external` or `flagged`. If absent, the tier is
    /// `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Way in which the server derived the record; absent if a client created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub making: Option<Making>,
    /// Ids of the records that this one is derived from, such as the episodes of a reflection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<String>,
    /// Safety findings of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// State: `active`, `candidate`, `superseded`, `invalid`, `quarantined`, `stale`, `expired`,
    /// `archived`, `rolled_back` or `erased`.
    pub state: String,
    /// Reason for the state of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// Id of the record that replaced this one; absent if it was not replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Ids of the records that this one replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Time from which the content of the record is true in the world.
    pub valid_from: String,
    /// Time until which the content of the record is true in the world, exclusive; absent if it is
    /// still true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Time at which the content became known, such as the time of its source event.
    pub timestamp: String,
    /// Time at which the first version of the record was written.
    pub created_at: String,
    /// Time at which this version of the record was written.
    pub updated_at: String,
    /// Time at which the record expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

twin_words! {
    /// The operator by which a metadata filter compares the value of a record with a given one.
    FilterOperator = loci_model::record::metadata_filter::FilterOperator {
        /// The texts or numbers are equal, or the lists contain the same texts.
        EqualsTo,
        /// The record has the metadata key, with any value.
        Exists,
        /// The record does not have the metadata key.
        NotExists,
        /// The time of the record is strictly before the given time. Only for keys of system times.
        Before,
        /// The time of the record is strictly after the given time. Only for keys of system times.
        After,
        /// The list of the record contains the given text.
        Contains,
        /// The number of the record is greater than the given one.
        GreaterThan,
        /// The number of the record is greater than the given one, or equal.
        GreaterThanOrEquals,
        /// The number of the record is less than the given one.
        LessThan,
        /// The number of the record is less than the given one, or equal.
        LessThanOrEquals,
    }
}

/// A condition on a metadata key of a record. `value` is absent for `exists` and `not_exists`, and
/// a time for `before` and `after`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetadataFilter {
    /// Name of the metadata key.
    pub key: String,
    /// Operator by which the value of the record is compared.
    pub operator: FilterOperator,
    /// Value with which the value of the record is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<MetadataValue>,
}

/// A request to list records.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordListing {
    /// Namespaces, each interpreted by the memory's setting `namespace_match`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
    /// Namespaces with everything beneath them. If both `namespaces` and `namespace_paths` are
    /// absent, the list covers the whole memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namespace_paths: Vec<String>,
    /// Id of the only strategy whose records to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Conditions on metadata, at most 5. A record must meet all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub metadata: Vec<MetadataFilter>,
    /// Kinds of records. Default: all kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// States of records. Default: `active`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<String>,
    /// Maximum number of records per page, 1 to 100. Default: 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Value of `next_cursor` of the previous page. Default: the first page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of records, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordList {
    /// The records on this page.
    pub records: Vec<Record>,
    /// Value of `cursor` in the request for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Degradations and warnings.
    #[serde(flatten)]
    pub notices: Notices,
}

/// A record to be created.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordCreate {
    /// Namespace of the record.
    pub namespace: String,
    /// Text of the record.
    pub text: String,
    /// Time at which the content became known, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Id of the strategy that the record belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// Metadata: keys with values, at most 20 keys.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, MetadataValue>,
    /// Kind of the record; `knowledge` is read as `fact`. Default: `fact`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Finer kind of the record within `kind`, such as a category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Title of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Path of the record as a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Short description of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Part of a project that the record applies to, such as a path or a glob.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// A request to create records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsCreate {
    /// Records to create, at most 100.
    pub records: Vec<RecordCreate>,
    /// Days until the records expire, counted from now. Default: they do not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
}

/// A change of a record. It creates the next version with the same id. Members that are absent stay
/// unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordUpdate {
    /// Id of the record.
    pub id: String,
    /// Time at which the content became known, RFC 3339. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// New text of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// New namespace of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Id of the strategy that the record belongs to from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<String>,
    /// New metadata of the record, which replaces all its keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, MetadataValue>>,
    /// Current version that the stored record must have. If it differs, the change fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u32>,
}

/// A request to change records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsUpdate {
    /// Changes, at most 100.
    pub records: Vec<RecordUpdate>,
    /// Days until the records expire, counted from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry_days: Option<u32>,
}

/// A request to delete records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordsDelete {
    /// Ids of the records, at most 100.
    pub ids: Vec<String>,
}

/// The result for one record of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemOutcome {
    /// Id of the record. If its creation failed, the id refers to no stored record.
    pub id: String,
    /// Error for this record; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ItemProblem>,
}

/// The error for one record of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ItemProblem {
    /// Code of the error, for programs.
    pub code: String,
    /// Explanation of the error, for people.
    pub message: String,
}

/// The results of a batch of records, in the order of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BatchOutcome {
    /// Results, one for each record of the request.
    pub items: Vec<ItemOutcome>,
    /// Number of records whose creation, change or deletion failed.
    pub failed: usize,
}

/// A request to revert a record.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordRevert {
    /// Version whose content becomes the next version. If absent, the request undoes the decision
    /// that led to the current state of the record, and the records that it replaced become active
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_version: Option<u32>,
    /// Current version that the stored record must have. If it differs, the revert fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_version: Option<u32>,
}

/// A record that a revert changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevertedRecord {
    /// Id of the record.
    pub id: String,
    /// Version of the record after the revert.
    pub version: u32,
    /// State of the record after the revert.
    pub state: String,
}

/// The records that a revert changed. A second revert undoes the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecordsReverted {
    /// The changed records.
    pub records: Vec<RevertedRecord>,
}

/// A change of a record's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateChange {
    /// Time at which the state changed.
    pub at: String,
    /// Version of the record at the change.
    pub version: u32,
    /// State before the change; absent for the creation of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// State after the change.
    pub to: String,
    /// Reason for the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Name of the principal, or of the component of the server, that made the change.
    pub by: String,
}

/// All versions of a record, and all changes of its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordHistory {
    /// Versions, oldest first. The last one is the current version.
    pub versions: Vec<Record>,
    /// Changes of state, oldest first.
    pub changes: Vec<StateChange>,
    /// Feedback on the current version; absent if there is none.
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
