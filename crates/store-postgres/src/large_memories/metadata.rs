//! Conditions on metadata and past times as conditions on passages. Keys and texts are marks among
//! the words of a passage; numbers and times have columns. The result equals that of
//! `MetadataFilter::admits` for every value.

use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::{MetadataValue, SYSTEM_CREATED_AT, SYSTEM_RECORD_TYPE, SYSTEM_UPDATED_AT};
use loci_model::record::metadata_filter::{FilterOperator as Op, MetadataFilter};
use loci_model::record::scope::RecordScope;

use super::row::{MetadataWord, number_key, ordered, time_key};
use crate::bound_values::PgBoundParameters;

/// A condition of a metadata filter, as a condition on a passage.
#[derive(Debug, Clone, PartialEq)]
enum MetadataCondition {
    /// The words of the passage include this mark.
    Mark(i64),
    /// The words of the passage do not include this mark.
    NoMark(i64),
    /// The number or time under a key compares as stated with a value.
    Number(i64, &'static str, i64),
    /// A time of the record compares as stated with a value.
    Time(&'static str, &'static str, i64),
    Anything,
    Nothing,
}

/// Returns the conditions for the metadata and the past time of a scope. Starts with ` AND ` unless
/// empty.
pub(super) fn conditions(memory: i64, scope: &RecordScope, bound: &mut PgBoundParameters) -> String {
    let mut sql = String::new();
    let mut marks = Vec::new();
    for filter in &scope.metadata {
        match asked(memory, filter) {
            MetadataCondition::Mark(mark) => marks.push(mark),
            MetadataCondition::NoMark(mark) => {
                sql.push_str(&format!(" AND NOT p.words @> {}", bound.put(vec![mark])))
            }
            MetadataCondition::Number(key, comparison, value) => sql.push_str(&format!(
                " AND p.numbers[array_position(p.number_keys, {})] {comparison} {}",
                bound.put(key),
                bound.put(value)
            )),
            MetadataCondition::Time(column, comparison, value) => {
                sql.push_str(&format!(" AND p.{column} {comparison} {}", bound.put(value)));
            }
            MetadataCondition::Anything => {}
            MetadataCondition::Nothing => sql.push_str(" AND FALSE"),
        }
    }
    if !marks.is_empty() {
        sql.push_str(&format!(" AND p.words @> {}", bound.put(marks)));
    }
    if let Some(then) = scope.as_of {
        let then = bound.put(then.millis());
        sql.push_str(&format!(
            " AND p.held_from <= {then} AND (p.held_until IS NULL OR p.held_until > {then})"
        ));
    }
    sql
}

/// Returns the conditions for the restrictions of a grant.
pub(super) fn bounds(memory: i64, of: &Bounds, bound: &mut PgBoundParameters) -> Vec<String> {
    let mut parts = Vec::new();
    for (key, allowed) in &of.metadata {
        let marks: Vec<i64> = allowed.iter().map(|text| MetadataWord::Text(text).of(memory, key)).collect();
        parts.push(format!("p.words && {}", bound.put(marks)));
    }
    if let Some(since) = of.since {
        parts.push(format!("p.place >= {}", bound.put(since.millis())));
    }
    parts
}

fn asked(memory: i64, filter: &MetadataFilter) -> MetadataCondition {
    match filter.key.as_str() {
        SYSTEM_CREATED_AT => own_time("created", filter),
        SYSTEM_UPDATED_AT => own_time("updated", filter),
        SYSTEM_RECORD_TYPE => match (filter.operator, &filter.right) {
            (Op::Exists, _) => MetadataCondition::Anything,
            (Op::EqualsTo, Some(MetadataValue::String(text))) => {
                MetadataCondition::Mark(MetadataWord::Text(text).of(memory, SYSTEM_RECORD_TYPE))
            }
            _ => MetadataCondition::Nothing,
        },
        key => free(memory, key, filter),
    }
}

/// Returns the condition on a time of every record.
fn own_time(column: &'static str, filter: &MetadataFilter) -> MetadataCondition {
    match (filter.operator, &filter.right) {
        (Op::Exists, _) => MetadataCondition::Anything,
        (Op::Before, Some(MetadataValue::DateTime(time))) => {
            MetadataCondition::Time(column, "<", time.millis())
        }
        (Op::After, Some(MetadataValue::DateTime(time))) => {
            MetadataCondition::Time(column, ">", time.millis())
        }
        _ => MetadataCondition::Nothing,
    }
}

/// Returns the condition on client-defined metadata.
fn free(memory: i64, key: &str, filter: &MetadataFilter) -> MetadataCondition {
    use MetadataValue as V;
    let mark = |mark: MetadataWord<'_>| MetadataCondition::Mark(mark.of(memory, key));
    let comparison = match filter.operator {
        Op::EqualsTo => "=",
        Op::Before | Op::LessThan => "<",
        Op::After | Op::GreaterThan => ">",
        Op::GreaterThanOrEquals => ">=",
        Op::LessThanOrEquals => "<=",
        Op::Exists => return mark(MetadataWord::Key),
        Op::NotExists => return MetadataCondition::NoMark(MetadataWord::Key.of(memory, key)),
        Op::Contains => match &filter.right {
            Some(V::String(text)) => return mark(MetadataWord::Member(text)),
            _ => return MetadataCondition::Nothing,
        },
    };
    match (filter.operator, &filter.right) {
        (Op::EqualsTo, Some(V::String(text))) => mark(MetadataWord::Text(text)),
        (Op::EqualsTo, Some(V::StringList(texts))) => mark(MetadataWord::List(texts)),
        (Op::Before | Op::After, Some(V::DateTime(time))) => {
            MetadataCondition::Number(time_key(memory, key), comparison, time.millis())
        }
        (
            Op::EqualsTo | Op::GreaterThan | Op::GreaterThanOrEquals | Op::LessThan | Op::LessThanOrEquals,
            Some(V::Number(number)),
        ) => ordered(*number).map_or(MetadataCondition::Nothing, |number| {
            MetadataCondition::Number(number_key(memory, key), comparison, number)
        }),
        _ => MetadataCondition::Nothing,
    }
}
