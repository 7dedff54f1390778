//! Filters on record metadata: the operator table of AgentCore as one pure function.

use serde::{Deserialize, Serialize};

use crate::record::metadata::{MetadataType, MetadataValue};
use crate::{Error, FieldName, Result, Timestamp};

/// The comparison that a filter applies to the value of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FilterOperator {
    /// Equal text, equal number, or the same set of texts.
    EqualsTo,
    /// The record has the key, with any value.
    Exists,
    /// The record does not have the key.
    NotExists,
    /// The time of the record is strictly before the given time.
    Before,
    /// The time of the record is strictly after the given time.
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

/// The type of a filterable key: a declared one, or the system keys' time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterType {
    /// A declared key.
    Declared(MetadataType),
    /// `createdAt`, `updatedAt`.
    DateTime,
}

/// One condition on a record's metadata, including system keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetadataFilter {
    /// The key of the condition.
    pub key: String,
    /// The operator by which the value of the key is compared.
    pub operator: FilterOperator,
    /// The right side of the comparison; absent for `Exists` and `NotExists`.
    pub right: Option<MetadataValue>,
}

impl MetadataFilter {
    /// Checks operator and right side against the type of the key, by the operator table.
    pub fn check(&self, kind: FilterType) -> Result<()> {
        use FilterOperator as Op;
        use MetadataValue as V;
        let wrong = |rule: &str| {
            Err(Error::invalid(
                FieldName::MetadataFilters,
                format!("filter on '{}': {rule}", printable(&self.key)),
            ))
        };
        let strings = FilterType::Declared(MetadataType::String);
        let lists = FilterType::Declared(MetadataType::StringList);
        let numbers = FilterType::Declared(MetadataType::Number);
        match (self.operator, &self.right) {
            (Op::Exists | Op::NotExists, None) => Ok(()),
            (Op::Exists | Op::NotExists, Some(_)) => wrong("EXISTS and NOT_EXISTS take no right side"),
            (_, None) => wrong("this operator needs a right side"),
            (Op::EqualsTo, Some(V::String(_))) if kind == strings => Ok(()),
            (Op::EqualsTo, Some(V::StringList(_))) if kind == lists => Ok(()),
            (Op::EqualsTo, Some(V::Number(_))) if kind == numbers => Ok(()),
            (Op::Contains, Some(V::String(_))) if kind == lists => Ok(()),
            (
                Op::GreaterThan | Op::GreaterThanOrEquals | Op::LessThan | Op::LessThanOrEquals,
                Some(V::Number(_)),
            ) if kind == numbers => Ok(()),
            (Op::Before | Op::After, Some(V::DateTime(_))) if kind == FilterType::DateTime => Ok(()),
            (_, Some(_)) => wrong("operator and right side do not fit the type of the key"),
        }
    }

    /// True if the value of the key (`None`: absent) meets the condition.
    pub fn admits(&self, value: Option<&MetadataValue>) -> bool {
        use FilterOperator as Op;
        use MetadataValue as V;
        match (self.operator, value, &self.right) {
            (Op::Exists, value, _) => value.is_some(),
            (Op::NotExists, value, _) => value.is_none(),
            (Op::EqualsTo, Some(V::String(left)), Some(V::String(right))) => left == right,
            (Op::EqualsTo, Some(V::Number(left)), Some(V::Number(right))) => left == right,
            (Op::EqualsTo, Some(V::StringList(left)), Some(V::StringList(right))) => same_set(left, right),
            (Op::Contains, Some(V::StringList(left)), Some(V::String(right))) => left.contains(right),
            (Op::GreaterThan, Some(V::Number(left)), Some(V::Number(right))) => left > right,
            (Op::GreaterThanOrEquals, Some(V::Number(left)), Some(V::Number(right))) => left >= right,
            (Op::LessThan, Some(V::Number(left)), Some(V::Number(right))) => left < right,
            (Op::LessThanOrEquals, Some(V::Number(left)), Some(V::Number(right))) => left <= right,
            (Op::Before, Some(V::DateTime(left)), Some(V::DateTime(right))) => before(*left, *right),
            (Op::After, Some(V::DateTime(left)), Some(V::DateTime(right))) => before(*right, *left),
            _ => false,
        }
    }
}

fn before(left: Timestamp, right: Timestamp) -> bool {
    left < right
}

fn same_set(left: &[String], right: &[String]) -> bool {
    left.iter().all(|item| right.contains(item)) && right.iter().all(|item| left.contains(item))
}

fn printable(key: &str) -> String {
    key.chars().take(128).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use FilterOperator as Op;
    use MetadataValue as V;

    fn filter(operator: Op, right: Option<V>) -> MetadataFilter {
        MetadataFilter { key: "k".into(), operator, right }
    }

    #[test]
    fn the_operator_table() {
        let text = || Some(V::String("a".into()));
        let list = || Some(V::StringList(vec!["a".into()]));
        let number = || Some(V::Number(1.0));
        let date = || Some(V::DateTime(Timestamp::EPOCH));
        let string_type = FilterType::Declared(MetadataType::String);
        let list_type = FilterType::Declared(MetadataType::StringList);
        let number_type = FilterType::Declared(MetadataType::Number);
        let check = |operator, right, kind, expect| {
            assert_eq!(filter(operator, right).check(kind).is_ok(), expect, "{operator:?} {kind:?}");
        };
        check(Op::EqualsTo, text(), string_type, true);
        check(Op::EqualsTo, text(), list_type, false);
        check(Op::EqualsTo, list(), list_type, true);
        check(Op::Contains, text(), list_type, true);
        check(Op::Contains, text(), string_type, false);
        check(Op::GreaterThan, number(), number_type, true);
        check(Op::GreaterThan, number(), string_type, false);
        check(Op::Before, date(), FilterType::DateTime, true);
        check(Op::EqualsTo, date(), FilterType::DateTime, false);
        check(Op::Exists, None, number_type, true);
        check(Op::Exists, text(), string_type, false);
        check(Op::EqualsTo, None, string_type, false);
    }

    #[test]
    fn admits() {
        let check = |operator, right, value: Option<V>, expect| {
            assert_eq!(filter(operator, right).admits(value.as_ref()), expect, "{operator:?}");
        };
        check(Op::EqualsTo, Some(V::String("a".into())), Some(V::String("a".into())), true);
        check(Op::EqualsTo, Some(V::String("a".into())), Some(V::String("A".into())), false);
        check(Op::EqualsTo, Some(V::String("a".into())), None, false);
        let list = |items: &[&str]| V::StringList(items.iter().map(|item| (*item).to_owned()).collect());
        check(Op::EqualsTo, Some(list(&["a", "b"])), Some(list(&["b", "a", "a"])), true);
        check(Op::Contains, Some(V::String("a".into())), Some(list(&["b", "a"])), true);
        check(Op::LessThan, Some(V::Number(1.0)), Some(V::Number(1.0)), false);
        check(Op::LessThanOrEquals, Some(V::Number(1.0)), Some(V::Number(1.0)), true);
        let at = |millis| V::DateTime(Timestamp::clamped(millis));
        check(Op::Before, Some(at(5)), Some(at(5)), false);
        check(Op::After, Some(at(5)), Some(at(6)), true);
        check(Op::NotExists, None, None, true);
    }
}
