//! `sre_export`: what operations agents remember as lines, a page at a time: what is in force, and
//! what waits for a person, as far as the caller may read. What gave way stays where it is: history
//! is no part of it.

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

/// Records of a page.
const PAGE: usize = 100;

/// A place in the records of a type.
pub type SreExportCursor = (Timestamp, RecordId);

/// A page of lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreExported {
    /// The newest first.
    pub lines: Vec<SreLine>,
    /// Records that have no line, and why.
    pub skipped: Vec<(RecordId, String)>,
    /// Where to go on; none at the end.
    pub next: Option<SreExportCursor>,
}

impl Operations {
    /// The lines of a type, or of one actor of it, from a place on.
    ///
    /// # Errors
    /// `Invalid` for what is no actor; `Denied` for whoever may read nothing of the memory; `Conflict` where the memory has no strategy of the type.
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

/// A key for the memory is not every user's: their preferences are theirs.
fn is_own(caller: &Principal, memory: &MemoryId, kind: SreType, record: &Record) -> bool {
    if kind != SreType::Preferences {
        return true;
    }
    let Some(actor) = &record.provenance.actor else { return false };
    let user = segment::decode(actor.as_str());
    access::require_user(caller, memory, (actor, &user), Capability::Read).is_ok()
}
