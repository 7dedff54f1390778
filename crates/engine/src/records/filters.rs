//! Checks metadata filters against a memory's declarations, for listing and retrieval.
//!
//! `loci_model::metadata_filter` defines the operators; the scope selects the records.

use loci_model::memory::Memory;
use loci_model::record::metadata::{MetadataType, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT};
use loci_model::record::metadata_filter::{FilterType, MetadataFilter};
use loci_model::{Error, ErrorText, FieldName, Result, limits};

/// The maximum number of characters of a metadata key that an error message quotes.
const KEY_CHARS_SHOWN: usize = 128;

/// Checks the metadata filters of a request: their number, keys, operators and values.
pub(crate) fn check(memory: &Memory, filters: &[MetadataFilter]) -> Result<()> {
    if filters.len() > limits::METADATA_FILTERS_MAX {
        return Err(Error::invalid(
            FieldName::MetadataFilters,
            FieldName::MetadataFilters + " must have at most 5 items",
        ));
    }
    for filter in filters {
        let kind = filter_type(memory, &filter.key).ok_or_else(|| unknown(&filter.key))?;
        filter.check(kind)?;
    }
    Ok(())
}

fn filter_type(memory: &Memory, key: &str) -> Option<FilterType> {
    match key {
        SYSTEM_CREATED_AT | SYSTEM_UPDATED_AT => Some(FilterType::DateTime),
        SYSTEM_RECORD_TYPE => Some(FilterType::Declared(MetadataType::String)),
        _ => {
            let declared = memory.indexed_keys.iter().find(|declared| declared.key == key)?;
            Some(FilterType::Declared(declared.kind))
        }
    }
}

fn unknown(key: &str) -> Error {
    let shown: String = key.chars().filter(|c| !c.is_control()).take(KEY_CHARS_SHOWN).collect();
    let message = format!("'{shown}' is not a valid filter key: declare it in the memory's ");
    Error::invalid(FieldName::MetadataFilters, ErrorText::from(message) + FieldName::IndexedKeys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::memory::index_key::IndexedKey;
    use loci_model::record::metadata::MetadataValue;
    use loci_model::record::metadata_filter::FilterOperator;
    use loci_model::{MemoryId, Timestamp};

    fn memory() -> Memory {
        let indexed = |key: &str, kind| IndexedKey { key: key.into(), kind };
        Memory {
            id: MemoryId::parse("notes-0123456789").unwrap(),
            name: "notes".into(),
            description: None,
            encryption_key_arn: None,
            execution_role_arn: None,
            event_expiry_days: 30,
            strategies: Vec::new(),
            indexed_keys: vec![indexed("topic", MetadataType::String), indexed("size", MetadataType::Number)],
            namespace_keys: Vec::new(),
            stream: None,
            tags: Default::default(),
            settings: Default::default(),
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
            import: None,
        }
    }

    #[test]
    fn keys_and_operators() {
        let text = || Some(MetadataValue::String("a".into()));
        let date = || Some(MetadataValue::DateTime(Timestamp::EPOCH));
        let check_one = |key: &str, operator, right, expect: Option<&str>| {
            let filters = [MetadataFilter { key: key.into(), operator, right }];
            let got = check(&memory(), &filters).err().map(|error| error.message);
            match expect {
                None => assert_eq!(got, None, "{key}"),
                Some(part) => assert!(got.as_deref().is_some_and(|m| m.contains(part)), "{key}: {got:?}"),
            }
        };
        check_one("topic", FilterOperator::EqualsTo, text(), None);
        check_one("Topic", FilterOperator::EqualsTo, text(), Some("'Topic' is not a valid filter key"));
        check_one("size", FilterOperator::EqualsTo, text(), Some("do not fit"));
        check_one("size", FilterOperator::Exists, None, None);
        check_one(SYSTEM_CREATED_AT, FilterOperator::Before, date(), None);
        check_one(SYSTEM_UPDATED_AT, FilterOperator::EqualsTo, date(), Some("do not fit"));
        check_one(SYSTEM_RECORD_TYPE, FilterOperator::EqualsTo, text(), None);
        check_one("", FilterOperator::Exists, None, Some("not a valid filter key"));
    }

    #[test]
    fn at_most_five() {
        let filter = MetadataFilter { key: "topic".into(), operator: FilterOperator::Exists, right: None };
        assert!(check(&memory(), &vec![filter.clone(); 5]).is_ok());
        assert!(check(&memory(), &vec![filter; 6]).is_err());
        assert!(check(&memory(), &[]).is_ok());
    }
}
