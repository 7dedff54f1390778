//! Checks that the events of facts agree with the facts. The check reports violations and repairs
//! nothing. `replay` computes a fact's state from its events; `rules` has the rules.

mod replay;
mod rules;

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, RecordId, Result};

pub use rules::TelemetryRule;

use self::rules::{Trail, of_no_record, of_record};
use crate::Verified;
use loci_engine::access;

/// The number of records, or of events without a record, in one read.
const PAGE: usize = 100;
/// The maximum number of a record's newest events that are checked one by one. The counts always
/// include all events.
const EVENTS_MAX: usize = 10_000;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryViolation {
    /// The telemetry rule that was violated.
    pub rule: TelemetryRule,
    /// The record that the violation concerns.
    pub record: Option<RecordId>,
    /// The event that the violation concerns.
    pub event: Option<String>,
    /// A description of the violation.
    pub what: String,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TelemetryReport {
    /// The number of records checked.
    pub records: u64,
    /// The number of records with more events than are checked one by one.
    pub cut: u64,
    /// The violations, by record.
    pub violations: Vec<TelemetryViolation>,
}

impl Verified {
    /// Checks all facts of a memory and all their events, a page at a time. A change during the
    /// check is seen in the state at the time its page is read.
    ///
    /// # Errors
    /// `Denied` without the administration right on the memory; errors of the store.
    pub async fn telemetry_check(&self, caller: &Principal, memory: &MemoryId) -> Result<TelemetryReport> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let mut report = TelemetryReport::default();
        let mut after: Option<RecordId> = None;
        loop {
            let (place, behind) = (memory.clone(), after.clone());
            let page = self.engine.store().read(move |tx| page(tx, &place, behind.as_ref())).await?;
            report.records += page.records;
            report.cut += page.cut;
            report.violations.extend(page.violations);
            match page.last {
                Some(last) => after = Some(last),
                None => break,
            }
        }
        let mut after: Option<String> = None;
        loop {
            let (place, behind) = (memory.clone(), after.clone());
            let events = self
                .engine
                .store()
                .read(move |tx| tx.fact_events().of_no_record(&place, behind.as_deref(), PAGE))
                .await?;
            report.violations.extend(events.iter().filter_map(of_no_record));
            match events.last().filter(|_| events.len() == PAGE) {
                Some(last) => after = Some(last.id.clone()),
                None => return Ok(report),
            }
        }
    }
}

/// A page of records.
struct TelemetryPage {
    records: u64,
    cut: u64,
    violations: Vec<TelemetryViolation>,
    /// The last record of a full page, after which there may be more.
    last: Option<RecordId>,
}

fn page(tx: &dyn ReadTx, memory: &MemoryId, after: Option<&RecordId>) -> Result<TelemetryPage> {
    let records = tx.fact_events().records(memory, after, PAGE)?;
    let mut looked = TelemetryPage { records: 0, cut: 0, violations: Vec::new(), last: None };
    for record in &records {
        let trail = Trail::read(tx, memory, record, EVENTS_MAX)?;
        looked.records += 1;
        looked.cut += u64::from(trail.is_cut);
        looked.violations.extend(of_record(tx, memory, &trail)?);
    }
    looked.last = records.last().filter(|_| records.len() == PAGE).cloned();
    Ok(looked)
}
