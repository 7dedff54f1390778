//! Conversion of metadata filters to the form of the AgentCore API.

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    MemoryMetadataFilterExpression, MemoryRecordLeftExpression, MemoryRecordMetadataValue,
    MemoryRecordOperatorType as Operator, MemoryRecordRightExpression,
};
use loci_api::record::{FilterOperator, MetadataFilter, MetadataValue};

use super::limits::AGENTCORE_FILTERS_MAX;
use crate::agent::time_text::instant_ms;

/// Returns the conditions of a search; `None` if there are none.
///
/// # Errors
/// The rule of AgentCore that a condition violates.
pub(super) fn expressions<'a>(
    filters: impl IntoIterator<Item = &'a MetadataFilter>,
) -> Result<Option<Vec<MemoryMetadataFilterExpression>>, String> {
    let expressions = filters.into_iter().map(expression).collect::<Result<Vec<_>, _>>()?;
    match expressions.len() {
        0 => Ok(None),
        found if found > AGENTCORE_FILTERS_MAX => Err(format!(
            "a search must have at most {AGENTCORE_FILTERS_MAX} filters, those of the store included; found {found}"
        )),
        _ => Ok(Some(expressions)),
    }
}

fn expression(filter: &MetadataFilter) -> Result<MemoryMetadataFilterExpression, String> {
    let right = match (filter.operator, &filter.value) {
        (FilterOperator::Exists | FilterOperator::NotExists, None) => None,
        (FilterOperator::Exists | FilterOperator::NotExists, Some(_)) => {
            return Err(format!(
                "the filter on '{}' must have no value: it asks whether there is one",
                filter.key
            ));
        }
        (_, None) => return Err(format!("the filter on '{}' must have a value", filter.key)),
        (FilterOperator::Before | FilterOperator::After, Some(value)) => Some(time(&filter.key, value)?),
        (_, Some(value)) => Some(value_of(value)),
    };
    MemoryMetadataFilterExpression::builder()
        .left(MemoryRecordLeftExpression::MetadataKey(filter.key.clone()))
        .operator(operator(filter.operator))
        .set_right(right.map(MemoryRecordRightExpression::MetadataValue))
        .build()
        .map_err(|error| error.to_string())
}

fn operator(operator: FilterOperator) -> Operator {
    match operator {
        FilterOperator::EqualsTo => Operator::EqualsTo,
        FilterOperator::Exists => Operator::Exists,
        FilterOperator::NotExists => Operator::NotExists,
        FilterOperator::Before => Operator::Before,
        FilterOperator::After => Operator::After,
        FilterOperator::Contains => Operator::Contains,
        FilterOperator::GreaterThan => Operator::GreaterThan,
        FilterOperator::GreaterThanOrEquals => Operator::GreaterThanOrEquals,
        FilterOperator::LessThan => Operator::LessThan,
        FilterOperator::LessThanOrEquals => Operator::LessThanOrEquals,
    }
}

fn value_of(value: &MetadataValue) -> MemoryRecordMetadataValue {
    match value {
        MetadataValue::String(text) => MemoryRecordMetadataValue::StringValue(text.clone()),
        MetadataValue::StringList(texts) => MemoryRecordMetadataValue::StringListValue(texts.clone()),
        MetadataValue::Number(number) => MemoryRecordMetadataValue::NumberValue(*number),
    }
}

fn time(key: &str, value: &MetadataValue) -> Result<MemoryRecordMetadataValue, String> {
    let at_ms = match value {
        MetadataValue::String(text) => instant_ms(text),
        MetadataValue::StringList(_) | MetadataValue::Number(_) => None,
    };
    at_ms.map(|at_ms| MemoryRecordMetadataValue::DateTimeValue(DateTime::from_millis(at_ms))).ok_or_else(
        || format!("the filter on '{key}' must have a time for its value, such as 2026-01-31T10:00:00Z"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn filter(value: Value) -> MetadataFilter {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn rules() {
        let check = |filters: &[Value], expect: Result<usize, &str>| {
            let filters: Vec<_> = filters.iter().cloned().map(filter).collect();
            let got = expressions(&filters).map(|found| found.map_or(0, |found| found.len()));
            assert_eq!(got, expect.map_err(str::to_owned));
        };
        let exists = json!({"key": "k", "operator": "exists"});
        check(&[], Ok(0));
        check(&vec![exists.clone(); 5], Ok(5));
        check(
            &vec![exists; 6],
            Err("a search must have at most 5 filters, those of the store included; found 6"),
        );
        check(
            &[json!({"key": "k", "operator": "exists", "value": "x"})],
            Err("the filter on 'k' must have no value: it asks whether there is one"),
        );
        check(&[json!({"key": "k", "operator": "equals_to"})], Err("the filter on 'k' must have a value"));
        check(
            &[json!({"key": "k", "operator": "before", "value": "yesterday"})],
            Err("the filter on 'k' must have a time for its value, such as 2026-01-31T10:00:00Z"),
        );
        check(&[json!({"key": "k", "operator": "after", "value": "2026-01-31T10:00:00Z"})], Ok(1));
    }
}
