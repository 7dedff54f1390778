//! Whether the rows of what happened say what the facts say: looked at, never mended. One file
//! for what a fact's rows add up to, one for the rules.

mod replay;
mod rules;

use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{MemoryId, RecordId, Result};

pub use rules::TelemetryRule;

use self::rules::{Trail, of_no_record, of_record};
use crate::Verified;
use loci_engine::access;

/// Records, or rows of no record, that one read looks at.
const PAGE: usize = 100;
/// Rows of one record that are looked at, the newest: their numbers are counted however many there are.
const EVENTS_MAX: usize = 10_000;

/// Something that is not as the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryViolation {
    /// Which rule.
    pub rule: TelemetryRule,
    /// The record it is about.
    pub record: Option<RecordId>,
    /// The row it is about.
    pub event: Option<String>,
    /// What is wrong.
    pub what: String,
}

/// What was looked at, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TelemetryReport {
    /// Records that were looked at.
    pub records: u64,
    /// Records with more rows than are looked at one by one.
    pub cut: u64,
    /// What is wrong, by record.
    pub violations: Vec<TelemetryViolation>,
}

impl Verified {
    /// Looks at all facts of a memory and all that happened to them, a page at a time: what changes meanwhile is seen as it is
    /// when its page is read.
    ///
    /// # Errors
    /// `Denied` without administration of the memory; when the store fails.
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
struct Looked {
    records: u64,
    cut: u64,
    violations: Vec<TelemetryViolation>,
    /// Behind which there may be more.
    last: Option<RecordId>,
}

fn page(tx: &dyn ReadTx, memory: &MemoryId, after: Option<&RecordId>) -> Result<Looked> {
    let records = tx.fact_events().records(memory, after, PAGE)?;
    let mut looked = Looked { records: 0, cut: 0, violations: Vec::new(), last: None };
    for record in &records {
        let trail = Trail::read(tx, memory, record, EVENTS_MAX)?;
        looked.records += 1;
        looked.cut += u64::from(trail.is_cut);
        looked.violations.extend(of_record(tx, memory, &trail)?);
    }
    looked.last = records.last().filter(|_| records.len() == PAGE).cloned();
    Ok(looked)
}
