//! Reads the rows of facts in one transaction, next to the running server. They include data that
//! no API shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::ports::store::{FactChoice, FactPage, ReadTx, Store, StoreExt};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{MemoryId, RecordId, RepositoryId};

/// A limit above the number of rows of any fact.
const ROWS_MAX: usize = 1_000_000;

/// All rows of one fact.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) fact: Fact,
    pub(super) record: Record,
    /// Events of the fact, oldest first.
    pub(super) events: Vec<FactEvent>,
    /// State changes of the record, oldest first.
    pub(super) changes: Vec<StateChange>,
}

/// Facts by id. The events and changes are included only for some of them.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) facts: BTreeMap<RecordId, (Fact, Record)>,
    pub(super) whole: Vec<Rows>,
}

/// Reads all facts of the repository at one moment, with all rows of those for which `choose`
/// returns true.
pub(super) async fn snapshot(
    store: &(dyn Store + 'static),
    choose: impl Fn(&RecordId) -> bool + Send + 'static,
) -> Result<Snapshot> {
    store
        .read(move |tx| {
            let Some((memory, repository)) = place(tx)? else { return Ok(Snapshot::default()) };
            let listed = tx.facts().list(&FactPage {
                memory: memory.clone(),
                repository,
                statuses: RecordState::ALL.to_vec(),
                choice: FactChoice::Both,
                after: None,
                limit: ROWS_MAX,
            })?;
            let ids: Vec<RecordId> = listed.iter().map(|fact| fact.record.clone()).collect();
            let records: BTreeMap<RecordId, Record> = tx
                .records()
                .get_many(&memory, &ids)?
                .into_iter()
                .map(|record| (record.id.clone(), record))
                .collect();
            let mut snapshot = Snapshot::default();
            for fact in listed {
                let Some(record) = records.get(&fact.record).cloned() else {
                    return Err(loci_model::Error::bug(format!(
                        "{} is a fact without a record",
                        fact.record
                    )));
                };
                if choose(&fact.record) {
                    let mut events = tx.fact_events().of_record(&memory, &fact.record, ROWS_MAX)?;
                    events.reverse();
                    let changes = tx.telemetry().of_record(&memory, &fact.record)?;
                    let (fact, record) = (fact.clone(), record.clone());
                    snapshot.whole.push(Rows { fact, record, events, changes });
                }
                snapshot.facts.insert(fact.record.clone(), (fact, record));
            }
            Ok(snapshot)
        })
        .await
        .context("reading the rows")
}

/// Returns the only memory that has a repository, and the repository.
fn place(tx: &dyn ReadTx) -> loci_model::Result<Option<(MemoryId, RepositoryId)>> {
    for memory in tx.memories().list(None, 10)? {
        if let Some(repository) = tx.repositories().list(&memory.id, None, 1)?.pop() {
            return Ok(Some((memory.id, repository.id)));
        }
    }
    Ok(None)
}
