//! `sre_export`: exports operations memory as lines, page by page: active and pending records that
//! the caller may read. Superseded records are not exported.

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::memories::existing;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{MemoryId, RecordId, Result, Timestamp};

use super::record_lines::SreLine;
use crate::Operations;
use crate::investigations::is_hidden;
use crate::records::namespace_rules;

/// The number of records per page.
const PAGE: usize = 100;

/// A position in the records of a type.
pub type SreExportCursor = (Timestamp, RecordId);

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreExported {
    /// The lines, newest first.
    pub lines: Vec<SreLine>,
    /// Records without a line, with the reason.
    pub skipped: Vec<(RecordId, String)>,
    /// The cursor of the next page. `None` at the end.
    pub next: Option<SreExportCursor>,
}

impl Operations {
    /// Returns a page of lines of a type, or of one actor.
    ///
    /// # Errors
    /// `Invalid` if the actor is malformed; `Denied` if the caller may not read the memory;
    /// `Conflict` if the memory has no strategy of the type.
    pub async fn sre_export(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        (kind, actor): (SreType, Option<&str>),
        after: Option<SreExportCursor>,
    ) -> Result<SreExported> {
        let now = self.engine.now();
        let settings = self.settings.of(memory);
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let actor = actor.map(|id| namespace_rules::actor(kind, id, settings)).transpose()?;
        let id = memory.clone();
        let (memory, records) = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &id)?;
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    states: vec![RecordState::Active, RecordState::Candidate],
                    ..namespace_rules::scope(&memory, kind, actor.as_ref(), now)?
                };
                let records = tx.records().list(&RecordPage { scope, after: after.clone(), limit: PAGE })?;
                Ok((memory, records))
            })
            .await?;
        let is_last = records.len() < PAGE;
        let next = records.last().filter(|_| !is_last).map(|record| (record.created_at, record.id.clone()));
        let is_admin = access::require_whole(caller, &memory.id, Capability::Admin).is_ok();
        let mut page = SreExported { next, ..SreExported::default() };
        for record in &records {
            if !is_admin && (is_hidden(record, &caller.name) || !is_own(caller, &memory.id, kind, record)) {
                continue;
            }
            match SreLine::of((&memory, kind), record, settings, now) {
                Ok(line) => page.lines.push(line),
                Err(why) => page.skipped.push((record.id.clone(), why)),
            }
        }
        Ok(page)
    }
}

/// True if the caller may export the record. A key for the memory does not give access to the
/// preferences of every user.
fn is_own(caller: &Principal, memory: &MemoryId, kind: SreType, record: &Record) -> bool {
    if kind != SreType::Preferences {
        return true;
    }
    let Some(actor) = &record.provenance.actor else { return false };
    let user = segment::decode(actor.as_str());
    access::require_user(caller, memory, (actor, &user), Capability::Read).is_ok()
}
