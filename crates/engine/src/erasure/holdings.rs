//! The walk over a memory that finds what it holds about a person: every version of every record is looked
//! at, and what is derived from the person's records counts as theirs. `forget` and `export --actor` use the
//! same walk.

use std::collections::BTreeSet;

use loci_model::memory::Memory;
use loci_model::ports::store::StoreExt;
use loci_model::{RecordId, Result};

use super::person::Person;
use crate::Engine;
use crate::coding::PersonMentions;

/// Versions of one read: other reads and writes get their turn between.
const PAGE_ROWS: usize = 500;

/// What a memory holds about a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holdings {
    pub(crate) person: Person,
    /// The person's records, in any state.
    pub(crate) records: BTreeSet<RecordId>,
    /// How tasks, reviews and rules of others name the person; `None` where the memory knows no such people.
    pub(crate) mentions: Option<PersonMentions>,
}

impl Engine {
    /// Walks over a memory.
    ///
    /// # Errors
    /// What the store says.
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
        let mut derived: Vec<(RecordId, Vec<RecordId>)> = Vec::new();
        let mut after: Option<(RecordId, u32)> = None;
        loop {
            let (id, from) = (memory.id.clone(), after.clone());
            let page = self.store.read(move |tx| tx.records().export(&id, from.as_ref(), PAGE_ROWS)).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.id.clone(), last.version));
            for record in page {
                if person.owns_record(&record) {
                    records.insert(record.id);
                } else if !record.derived_from.is_empty() {
                    derived.push((record.id, record.derived_from));
                }
            }
        }
        while with_derived(&mut records, &derived) {}
        Ok(Holdings { person: person.clone(), records, mentions })
    }
}

/// Adds what is derived from the records; false where nothing was added.
fn with_derived(records: &mut BTreeSet<RecordId>, derived: &[(RecordId, Vec<RecordId>)]) -> bool {
    let before = records.len();
    for (id, from) in derived {
        if from.iter().any(|one| records.contains(one)) {
            records.insert(id.clone());
        }
    }
    records.len() > before
}
