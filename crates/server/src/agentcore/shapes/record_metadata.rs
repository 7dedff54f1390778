//! Metadata values of records, in requests and responses.

use std::collections::BTreeMap;

use loci_model::record::Record;
use loci_model::record::metadata::{
    Metadata, MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT,
};
use serde::{Deserialize, Serialize};

use crate::agentcore::time::WireTime;

/// `RecordMetadataValue`: exactly one member set.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValueShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    string_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    string_list_value: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_time_value: Option<WireTime>,
}

impl ValueShape {
    /// Returns the value that is set.
    pub(crate) fn into_value(self) -> Option<MetadataValue> {
        self.string_value
            .map(MetadataValue::String)
            .or(self.string_list_value.map(MetadataValue::StringList))
            .or(self.number_value.map(MetadataValue::Number))
            .or(self.date_time_value.map(|time| MetadataValue::DateTime(time.0)))
    }

    fn of(value: MetadataValue) -> Self {
        match value {
            MetadataValue::String(text) => Self { string_value: Some(text), ..Self::default() },
            MetadataValue::StringList(list) => Self { string_list_value: Some(list), ..Self::default() },
            MetadataValue::Number(number) => Self { number_value: Some(number), ..Self::default() },
            MetadataValue::DateTime(time) => {
                Self { date_time_value: Some(WireTime(time)), ..Self::default() }
            }
        }
    }
}

/// Returns metadata in the engine's form; `null` values are absent.
pub(crate) fn metadata(given: BTreeMap<String, Option<ValueShape>>) -> Metadata {
    given
        .into_iter()
        .filter_map(|(key, value)| value.and_then(ValueShape::into_value).map(|value| (key, value)))
        .collect()
}

/// Returns all metadata of a record, system keys included.
pub(crate) fn shown(record: &Record) -> BTreeMap<String, ValueShape> {
    let system = [SYSTEM_CREATED_AT, SYSTEM_UPDATED_AT, SYSTEM_RECORD_TYPE];
    record
        .metadata
        .keys()
        .map(String::as_str)
        .chain(system)
        .filter_map(|key| record.metadata_value(key).map(|value| (key.to_owned(), ValueShape::of(value))))
        .collect()
}
