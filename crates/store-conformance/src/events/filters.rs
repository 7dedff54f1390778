//! Filters on event metadata, before paging.

use std::collections::BTreeMap;

use loci_model::event::Event;
use loci_model::event::filter::EventFilter as F;
use loci_model::ports::store::EventQuery;
use loci_model::principal::bounds::Bounds;
use loci_model::{MemoryId, Result};

use super::{insert, query, seconds};
use crate::{Bench, same};
use loci_testkit_ports::samples;

pub(crate) fn filters(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for number in 1..=6 {
        let mut metadata = BTreeMap::from([("even".to_owned(), (number % 2 == 0).to_string())]);
        if number > 4 {
            metadata.insert("late".to_owned(), "Yes".to_owned());
        }
        insert(bench, &Event { metadata, ..samples::event(&memory, "ann", "s1", number)? })?;
    }
    let equals = |key: &str, value: &str| F::Equals(key.to_owned(), value.to_owned());
    let late = || "late".to_owned();
    let check = |filters: &[F], limit: usize, expect: Vec<i64>| -> Result<()> {
        let query = EventQuery { metadata: filters.to_vec(), limit, ..query(&memory)? };
        same(&format!("{filters:?}"), seconds(bench, &query)?, expect);
        Ok(())
    };
    check(&[equals("even", "true")], 9, vec![6, 4, 2])?;
    check(&[equals("even", "true")], 2, vec![6, 4])?;
    check(&[equals("late", "yes")], 9, vec![])?;
    check(&[F::Exists(late())], 9, vec![6, 5])?;
    check(&[F::NotExists(late())], 2, vec![4, 3])?;
    check(&[equals("even", "true"), F::NotExists(late())], 9, vec![4, 2])?;
    check(&[equals("even", "true"), equals("late", "Yes")], 9, vec![6])?;
    check(&[equals("nothing", "at all")], 9, vec![])?;
    of_grants(bench, &memory)
}

/// Restrictions of grants, in addition to the requested filters.
fn of_grants(bench: &Bench, memory: &MemoryId) -> Result<()> {
    let bounds = |pairs: &[(&str, &str)], since: Option<i64>| Bounds {
        metadata: pairs.iter().map(|(key, text)| ((*key).to_owned(), [(*text).to_owned()].into())).collect(),
        since: since.map(samples::time),
    };
    let check = |only: Vec<Bounds>, filters: &[F], limit: usize, expect: Vec<i64>| -> Result<()> {
        let metadata = filters.to_vec();
        let query = EventQuery { only: Some(only.clone()), metadata, limit, ..query(memory)? };
        same(&format!("{only:?} {filters:?}"), seconds(bench, &query)?, expect);
        Ok(())
    };
    let even = bounds(&[("even", "true")], None);
    check(vec![even.clone()], &[], 2, vec![6, 4])?;
    check(vec![even.clone()], &[F::Exists("late".into())], 9, vec![6])?;
    check(vec![even.clone()], &[F::Equals("even".into(), "false".into())], 9, vec![])?;
    check(vec![bounds(&[], Some(5))], &[], 9, vec![6, 5])?;
    check(vec![bounds(&[("even", "true")], Some(3))], &[], 9, vec![6, 4])?;
    check(vec![bounds(&[("even", "false"), ("late", "Yes")], None), even], &[], 9, vec![6, 5, 4, 2])?;
    check(vec![bounds(&[("even", "true")], None), bounds(&[], Some(5))], &[], 3, vec![6, 5, 4])?;
    check(vec![bounds(&[("even", "true"), ("late", "Yes")], None)], &[], 1, vec![6])?;
    let either = Bounds {
        metadata: [("even".to_owned(), ["false".into(), "true".into()].into())].into(),
        since: Some(samples::time(6)),
    };
    check(vec![either.clone()], &[], 9, vec![6])?;
    check(vec![Bounds { since: None, ..either }], &[], 4, vec![6, 5, 4, 3])?;
    check(vec![], &[], 9, vec![])
}
