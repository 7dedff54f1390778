//! Facts as their rows say, read in one transaction beside the server: what doors do not show.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::ports::store::{FactChoice, FactPage, ReadTx, Store, StoreExt};
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::{MemoryId, RecordId, RepositoryId};

/// More rows than any fact has.
const ROWS_MAX: usize = 1_000_000;

/// Everything about one fact.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) fact: Fact,
    pub(super) record: Record,
    /// Oldest first.
    pub(super) events: Vec<FactEvent>,
    /// Oldest first.
    pub(super) changes: Vec<StateChange>,
}

/// Facts by their ids, without what happened to them but for some.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) facts: BTreeMap<RecordId, (Fact, Record)>,
    pub(super) whole: Vec<Rows>,
}

/// All facts of the repository at one moment, and everything about those that `choose` says.
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

/// The one memory with a repository, and that one.
fn place(tx: &dyn ReadTx) -> loci_model::Result<Option<(MemoryId, RepositoryId)>> {
    for memory in tx.memories().list(None, 10)? {
        if let Some(repository) = tx.repositories().list(&memory.id, None, 1)?.pop() {
            return Ok(Some((memory.id, repository.id)));
        }
    }
    Ok(None)
}
