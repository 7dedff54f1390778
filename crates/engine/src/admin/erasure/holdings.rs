//! The scan of a memory that finds the data of a person. It reads every version of every record,
//! and records derived from the person's records count as theirs. `forget` and `export --actor` use
//! the same scan.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_model::memory::Memory;
use loci_model::ports::store::StoreExt;
use loci_model::record::Record;
use loci_model::{RecordId, Result};

use super::person::Person;
use crate::Engine;
use crate::hooks::PersonMentions;

/// The number of record versions in one read, so few that other reads and writes can run in
/// between.
const PAGE_ROWS: usize = 500;

/// The data about a person that a scan found in a memory.
#[derive(Debug, Clone)]
pub struct Holdings {
    pub(crate) person: Person,
    /// The records that belong to the person, in any state.
    pub(crate) records: BTreeSet<RecordId>,
    /// The number of records that name the person but stay, because they name others too or are
    /// in another person's namespace.
    pub(crate) left_shared: usize,
    /// The names by which tasks, reviews and rules of others mention the person; `None` if the
    /// memory knows no such people.
    pub(crate) mentions: Option<Arc<dyn PersonMentions>>,
}

impl Engine {
    /// Scans a memory for the data of a person.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn holdings(
        &self,
        memory: &Memory,
        person: &Person,
        mentions: Option<Arc<dyn PersonMentions>>,
    ) -> Result<Holdings> {
        let (id, actors) = (memory.id.clone(), person.actors().to_vec());
        let records: BTreeSet<RecordId> = self
            .store
            .read(move |tx| {
                let mut found = BTreeSet::new();
                for actor in &actors {
                    found.extend(tx.records().of_actor(&id, actor)?);
                }
                Ok(found)
            })
            .await?;
        let mut seen = HoldingsScan { records, ..HoldingsScan::default() };
        let mut after: Option<(RecordId, u32)> = None;
        loop {
            let (id, from) = (memory.id.clone(), after.clone());
            let page = self.store.read(move |tx| tx.records().export(&id, from.as_ref(), PAGE_ROWS)).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.id.clone(), last.version));
            for record in page {
                seen.add(person, record);
            }
        }
        let (records, left_shared) = seen.whose();
        Ok(Holdings { person: person.clone(), records, left_shared, mentions })
    }
}

/// State of a scan: records, by any of their versions.
#[derive(Debug, Default)]
struct HoldingsScan {
    /// Records that belong to the person by their source.
    records: BTreeSet<RecordId>,
    /// Records that name the person.
    named: BTreeSet<RecordId>,
    /// Records that stay, because they name others or lie in their namespaces.
    of_others: BTreeSet<RecordId>,
    /// The records that are derived from a record.
    derived: BTreeMap<RecordId, BTreeSet<RecordId>>,
}

impl HoldingsScan {
    fn add(&mut self, person: &Person, record: Record) {
        if person.owns_source(&record) {
            self.records.insert(record.id);
            return;
        }
        if person.leaves_shared() && person.is_shared(&record) {
            self.of_others.insert(record.id.clone());
        }
        if person.is_named_in(&record) {
            self.named.insert(record.id);
            return;
        }
        for from in record.derived_from {
            self.derived.entry(from).or_default().insert(record.id.clone());
        }
    }

    /// Returns the person's records and those derived from them, and the number of records that
    /// stay although they name the person.
    fn whose(self) -> (BTreeSet<RecordId>, usize) {
        let Self { mut records, named, of_others, derived } = self;
        let (shared, own): (Vec<RecordId>, Vec<RecordId>) =
            named.into_iter().partition(|id| of_others.contains(id));
        records.extend(own);
        add_derived(&mut records, &derived, &of_others);
        let left = shared.iter().filter(|id| !records.contains(*id)).count();
        (records, left)
    }
}

/// Adds the records derived from these records, except those that stay. It visits each record once,
/// at any length of the chain.
fn add_derived(
    records: &mut BTreeSet<RecordId>,
    derived: &BTreeMap<RecordId, BTreeSet<RecordId>>,
    staying: &BTreeSet<RecordId>,
) {
    let mut open: Vec<RecordId> = records.iter().cloned().collect();
    while let Some(from) = open.pop() {
        for id in derived.get(&from).into_iter().flatten().filter(|id| !staying.contains(*id)) {
            if records.insert(id.clone()) {
                open.push(id.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of records in a chain; the scan finds the first one last.
    const CHAIN: usize = 20_000;

    #[test]
    fn a_long_chain_is_walked_once() {
        let id = |number: usize| {
            RecordId::compose(&format!("00000000-0000-7000-8000-{:012}", CHAIN - number)).unwrap()
        };
        let derived = (1..CHAIN).map(|number| (id(number - 1), BTreeSet::from([id(number)]))).collect();
        let mut records = BTreeSet::from([id(0)]);
        add_derived(&mut records, &derived, &BTreeSet::new());
        assert_eq!(records.len(), CHAIN);
        let mut others = BTreeSet::from([id(CHAIN - 1)]);
        add_derived(&mut others, &derived, &BTreeSet::new());
        assert_eq!(others.len(), 1);
        let mut round = derived;
        round.insert(id(CHAIN - 1), BTreeSet::from([id(0)]));
        add_derived(&mut others, &round, &BTreeSet::new());
        assert_eq!(others.len(), CHAIN);
        let mut cut = BTreeSet::from([id(0)]);
        add_derived(&mut cut, &round, &BTreeSet::from([id(2)]));
        assert_eq!(cut, BTreeSet::from([id(0), id(1)]));
    }
}
