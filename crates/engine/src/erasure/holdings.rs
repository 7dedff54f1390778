//! The walk over a memory that finds what it holds about a person: every version of every record is looked
//! at, and what is derived from the person's records counts as theirs. `forget` and `export --actor` use the
//! same walk.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::memory::Memory;
use loci_model::ports::store::StoreExt;
use loci_model::{RecordId, Result};

use super::person::Person;
use crate::Engine;
use crate::coding::PersonMentions;

/// Versions of one read: other reads and writes get their turn between.
const PAGE_ROWS: usize = 500;

/// The data of a memory about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holdings {
    pub(crate) person: Person,
    /// The person's records, in any state.
    pub(crate) records: BTreeSet<RecordId>,
    /// The names that tasks, reviews and rules of others give the person; `None` where the memory knows
    /// no such people.
    pub(crate) mentions: Option<PersonMentions>,
}

impl Engine {
    /// Walks over a memory.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn holdings(
        &self,
        memory: &Memory,
        person: &Person,
        mentions: Option<PersonMentions>,
    ) -> Result<Holdings> {
        let (id, actors) = (memory.id.clone(), person.actors().to_vec());
        let mut records: BTreeSet<RecordId> = self
            .store
            .read(move |tx| {
                let mut found = BTreeSet::new();
                for actor in &actors {
                    found.extend(tx.records().of_actor(&id, actor)?);
                }
                Ok(found)
            })
            .await?;
        let mut derived: BTreeMap<RecordId, BTreeSet<RecordId>> = BTreeMap::new();
        let mut after: Option<(RecordId, u32)> = None;
        loop {
            let (id, from) = (memory.id.clone(), after.clone());
            let page = self.store.read(move |tx| tx.records().export(&id, from.as_ref(), PAGE_ROWS)).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.id.clone(), last.version));
            for record in page {
                if person.owns_record(&record) {
                    records.insert(record.id);
                } else {
                    for from in record.derived_from {
                        derived.entry(from).or_default().insert(record.id.clone());
                    }
                }
            }
        }
        add_derived(&mut records, &derived);
        Ok(Holdings { person: person.clone(), records, mentions })
    }
}

/// Adds what is derived from the records, step by step: each record is looked at once, however long a chain
/// is.
fn add_derived(records: &mut BTreeSet<RecordId>, derived: &BTreeMap<RecordId, BTreeSet<RecordId>>) {
    let mut open: Vec<RecordId> = records.iter().cloned().collect();
    while let Some(from) = open.pop() {
        for id in derived.get(&from).into_iter().flatten() {
            if records.insert(id.clone()) {
                open.push(id.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records in a chain: the one that is found last is the first of it.
    const CHAIN: usize = 20_000;

    #[test]
    fn a_long_chain_is_walked_once() {
        let id = |number: usize| {
            RecordId::compose(&format!("00000000-0000-7000-8000-{:012}", CHAIN - number)).unwrap()
        };
        let derived = (1..CHAIN).map(|number| (id(number - 1), BTreeSet::from([id(number)]))).collect();
        let mut records = BTreeSet::from([id(0)]);
        add_derived(&mut records, &derived);
        assert_eq!(records.len(), CHAIN);
        let mut others = BTreeSet::from([id(CHAIN - 1)]);
        add_derived(&mut others, &derived);
        assert_eq!(others.len(), 1);
        let mut round = derived;
        round.insert(id(CHAIN - 1), BTreeSet::from([id(0)]));
        add_derived(&mut others, &round);
        assert_eq!(others.len(), CHAIN);
    }
}
