//! Metadata schemas of strategies; requests and responses have one form.

use loci_model::record::metadata::{
    LlmExtraction, MetadataExtraction, MetadataSchemaEntry, MetadataType, MetadataValidation,
};
use serde::{Deserialize, Serialize};

/// `MemoryRecordSchema`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SchemaShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata_schema: Option<Vec<EntryShape>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryShape {
    key: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<TypeShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extraction_type: Option<MetadataExtraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extraction_config: Option<ConfigShape>,
}

/// The types by their API names.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum TypeShape {
    String,
    StringList,
    Number,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConfigShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_extraction_config: Option<LlmShape>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LlmShape {
    definition: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    llm_extraction_instruction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<ValidationShape>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ValidationShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    string_validation: Option<StringShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    string_list_validation: Option<StringListShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number_validation: Option<NumberShape>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StringShape {
    allowed_values: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StringListShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed_values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_items: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NumberShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    min_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_value: Option<f64>,
}

impl SchemaShape {
    /// Returns the schema in the engine's form.
    pub(crate) fn into_entries(self) -> Vec<MetadataSchemaEntry> {
        self.metadata_schema.unwrap_or_default().into_iter().map(EntryShape::into_entry).collect()
    }

    /// Returns the schema for a response.
    pub(crate) fn of(entries: &[MetadataSchemaEntry]) -> Self {
        let list: Vec<EntryShape> = entries.iter().map(EntryShape::of).collect();
        Self { metadata_schema: (!list.is_empty()).then_some(list) }
    }
}

impl From<TypeShape> for MetadataType {
    fn from(shape: TypeShape) -> Self {
        match shape {
            TypeShape::String => Self::String,
            TypeShape::StringList => Self::StringList,
            TypeShape::Number => Self::Number,
        }
    }
}

impl From<MetadataType> for TypeShape {
    fn from(kind: MetadataType) -> Self {
        match kind {
            MetadataType::String => Self::String,
            MetadataType::StringList => Self::StringList,
            MetadataType::Number => Self::Number,
        }
    }
}

impl EntryShape {
    fn into_entry(self) -> MetadataSchemaEntry {
        MetadataSchemaEntry {
            key: self.key,
            kind: self.kind.map(MetadataType::from),
            extraction: self.extraction_type,
            llm: self.extraction_config.and_then(|config| config.llm_extraction_config).map(|llm| {
                LlmExtraction {
                    definition: llm.definition,
                    instruction: llm.llm_extraction_instruction,
                    validation: llm.validation.and_then(ValidationShape::into_validation),
                }
            }),
        }
    }

    fn of(entry: &MetadataSchemaEntry) -> Self {
        Self {
            key: entry.key.clone(),
            kind: entry.kind.map(TypeShape::from),
            extraction_type: entry.extraction,
            extraction_config: entry.llm.as_ref().map(|llm| ConfigShape {
                llm_extraction_config: Some(LlmShape {
                    definition: llm.definition.clone(),
                    llm_extraction_instruction: llm.instruction.clone(),
                    validation: llm.validation.as_ref().map(ValidationShape::of),
                }),
            }),
        }
    }
}

impl ValidationShape {
    fn into_validation(self) -> Option<MetadataValidation> {
        if let Some(text) = self.string_validation {
            return Some(MetadataValidation::String { allowed: text.allowed_values });
        }
        if let Some(list) = self.string_list_validation {
            return Some(MetadataValidation::StringList {
                allowed: list.allowed_values.unwrap_or_default(),
                items_max: list.max_items,
            });
        }
        self.number_validation
            .map(|number| MetadataValidation::Number { min: number.min_value, max: number.max_value })
    }

    fn of(validation: &MetadataValidation) -> Self {
        match validation {
            MetadataValidation::String { allowed } => Self {
                string_validation: Some(StringShape { allowed_values: allowed.clone() }),
                ..Self::default()
            },
            MetadataValidation::StringList { allowed, items_max } => Self {
                string_list_validation: Some(StringListShape {
                    allowed_values: (!allowed.is_empty()).then(|| allowed.clone()),
                    max_items: *items_max,
                }),
                ..Self::default()
            },
            MetadataValidation::Number { min, max } => Self {
                number_validation: Some(NumberShape { min_value: *min, max_value: *max }),
                ..Self::default()
            },
        }
    }
}
