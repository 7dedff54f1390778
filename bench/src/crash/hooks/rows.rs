//! Reads the data that deliveries left in one transaction, next to a running server. The rows
//! include data that no API shows.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, Store, StoreExt};
use loci_model::record::scope::RecordScope;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::review::Review;
use loci_model::tasks::rule::{RuleRelevance, RuleSupport};
use loci_model::{MemoryId, Timestamp};

/// A limit above the number of rows of any run.
const ROWS_MAX: usize = 1_000_000;
/// The subtype of a record that keeps a correction of one place.
const EXAMPLE: &str = "example";

/// A record with its history.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    pub(super) record: Record,
    /// All versions, oldest first, the current one last.
    pub(super) versions: Vec<Record>,
    /// State changes, oldest first.
    pub(super) changes: Vec<StateChange>,
    /// The support of a record that is a rule.
    pub(super) support: Option<RuleSupport>,
}

/// All data that deliveries left.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    pub(super) reviews: Vec<Review>,
    pub(super) rules: Vec<Rows>,
    pub(super) examples: Vec<Rows>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) relevance: Vec<RuleRelevance>,
}

/// Reads all of it at one moment.
pub(super) async fn snapshot(store: &(dyn Store + 'static), now: Timestamp) -> Result<Snapshot> {
    store
        .read(move |tx| {
            let mut snapshot = Snapshot::default();
            for memory in tx.memories().list(None, 10)? {
                let memory = memory.id;
                snapshot.reviews.extend(nouns(tx, &memory)?);
                snapshot.outcomes.extend(nouns(tx, &memory)?);
                snapshot.relevance.extend(nouns(tx, &memory)?);
                let supports: Vec<RuleSupport> = nouns(tx, &memory)?;
                let supports: BTreeMap<_, _> =
                    supports.into_iter().map(|support| (support.rule.clone(), support)).collect();
                let scope = RecordScope {
                    states: RecordState::ALL.to_vec(),
                    ..RecordScope::whole(memory.clone(), now)
                };
                for record in tx.records().list(&RecordPage { scope, after: None, limit: ROWS_MAX })? {
                    let support = supports.get(&record.id).cloned();
                    match (record.kind, record.subtype.as_deref()) {
                        (RecordKind::Rule, _) => snapshot.rules.push(rows(tx, record, support)?),
                        (_, Some(EXAMPLE)) => snapshot.examples.push(rows(tx, record, None)?),
                        _ => {}
                    }
                }
            }
            Ok(snapshot)
        })
        .await
        .context("reading the rows")
}

fn rows(tx: &dyn ReadTx, record: Record, support: Option<RuleSupport>) -> loci_model::Result<Rows> {
    let mut versions = tx.records().history(&record.memory, &record.id)?;
    versions.push(record.clone());
    let changes = tx.telemetry().of_record(&record.memory, &record.id)?;
    Ok(Rows { record, versions, changes, support })
}

fn nouns<T: LedgerNoun>(tx: &dyn ReadTx, memory: &MemoryId) -> loci_model::Result<Vec<T>> {
    tx.ledger().nouns(&LedgerPage {
        memory: memory.clone(),
        shelf: T::SHELF,
        actor: None,
        subject: None,
        after: None,
        limit: ROWS_MAX,
    })
}
