//! Filters on event metadata, before paging.

use std::collections::BTreeMap;

use loci_model::Result;
use loci_model::event::Event;
use loci_model::event_filter::EventFilter as F;
use loci_model::ports::store::EventQuery;

use super::events::{insert, query, seconds};
use super::{Bench, same};
use crate::samples;

pub(super) fn filters(bench: &Bench) -> Result<()> {
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
    Ok(())
}
