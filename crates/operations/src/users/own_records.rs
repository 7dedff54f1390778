//! `sre_own`, `sre_own_delete`, `sre_own_delete_all`: a user lists and deletes their own records.
//! These are their preferences, their investigations, and knowledge about services that was learned
//! in these or is private to them. The name of the connection identifies the user, and its grants
//! limit the records, as everywhere. [`super::correction`] corrects records.

use std::collections::HashMap;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::BatchOutcome;
use loci_engine::records::delete::Deletion;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Error, MemoryId, RecordId, Result, SessionId, Timestamp, limits};

use crate::Operations;
use crate::records::drafts::incident_subtype;
use crate::records::namespace_rules;
use crate::records::precedence::{word, words};
use crate::records::save::{OWNER, SCOPE, SCOPE_PRIVATE};
use crate::retrieval::scores::CONFIRMED_BY;
use crate::transfer::export::{SreExportCursor, SreExported};
use crate::transfer::record_lines::{SreLine, place_of};

/// The number of records per page.
const PAGE: usize = 100;
/// The maximum number of investigations read per session.
const OF_SESSION_MAX: usize = 50;
/// The order of deletion. Knowledge is deleted first, because the investigations identify its
/// owner.
const DELETED_IN_ORDER: [SreType; 3] =
    [SreType::Infrastructure, SreType::Preferences, SreType::Investigations];

/// A position in all records of a user.
pub type SreOwnPlace = (SreType, Option<SreExportCursor>);

/// The result of deleting all records of a user, or as many as one request examines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SreOwnDeleted {
    /// The number of deleted records.
    pub deleted: u64,
    /// Records that could not be deleted, with the reason.
    pub failed: Vec<(RecordId, String)>,
    /// The number of kept knowledge records that investigations of other users confirmed.
    pub shared: u64,
    /// The position of the next request. `None` at the end.
    pub next: Option<SreOwnPlace>,
}

/// The relation of a record to a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordRelation {
    Theirs,
    /// Learned in a session of the user, and confirmed by another user.
    NotTheirsAlone,
    Others,
}

/// The user whose records are requested.
struct User {
    name: String,
    /// The actor, in the spelling of namespaces.
    actor: ActorId,
    now: Timestamp,
}

impl Operations {
    fn user_of(&self, caller: &Principal, memory: &MemoryId) -> Result<User> {
        let name = caller.name.clone();
        let actor = namespace_rules::actor(SreType::Preferences, &name, self.settings.of(memory))?;
        Ok(User { name, actor, now: self.engine.now() })
    }

    /// Returns a page of the caller's active and pending records of a type. A page before the end
    /// may be short or empty.
    ///
    /// # Errors
    /// `Denied` if the caller may not read the memory; `Conflict` if it has no strategy of the
    /// type.
    pub async fn sre_own(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        kind: SreType,
        after: Option<SreExportCursor>,
    ) -> Result<SreExported> {
        let user = self.user_of(caller, memory)?;
        let now = user.now;
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Read, now)?;
        let id = memory.clone();
        let (memory, records, next) = self
            .engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &id)?;
                let actor = (kind != SreType::Infrastructure).then_some(&user.actor);
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    states: vec![RecordState::Active, RecordState::Candidate],
                    ..namespace_rules::scope(&memory, kind, actor, now)?
                };
                let records = tx.records().list(&RecordPage { scope, after: after.clone(), limit: PAGE })?;
                let next = records.last().filter(|_| records.len() == PAGE);
                let next = next.map(|record| (record.created_at, record.id.clone()));
                let mut sessions = Sessions::default();
                let mut own = Vec::new();
                for record in records {
                    match whose(tx, &memory, &user, &record, &mut sessions)? {
                        Some((kind, RecordRelation::Theirs | RecordRelation::NotTheirsAlone)) => {
                            own.push((kind, record))
                        }
                        Some((_, RecordRelation::Others)) | None => {}
                    }
                }
                Ok((memory, own, next))
            })
            .await?;
        let settings = self.settings.of(&memory.id);
        let mut page = SreExported { next, ..SreExported::default() };
        for (kind, record) in &records {
            match SreLine::of((&memory, *kind), record, settings, now) {
                Ok(line) => page.lines.push(line),
                Err(why) => page.skipped.push((record.id.clone(), why)),
            }
        }
        Ok(page)
    }

    /// Deletes the caller's own records in any state. Each record that is not the caller's, is
    /// shared or does not exist fails separately.
    ///
    /// # Errors
    /// `Denied` if the caller may not write the memory; `Invalid` for more ids than one request may
    /// have, or for a duplicate id.
    pub async fn sre_own_delete(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        ids: Vec<RecordId>,
    ) -> Result<BatchOutcome> {
        if ids.len() > limits::BATCH_RECORDS_MAX {
            let rule = format!("ids must have at most {} items", limits::BATCH_RECORDS_MAX);
            return Err(Error::invalid("ids", rule));
        }
        let user = self.user_of(caller, memory)?;
        let find = move |tx: &dyn ReadTx, deletion: &Deletion<'_>, id: &RecordId| {
            let stored = tx.records().get(&deletion.memory.id, id)?;
            let stored = stored.filter(|record| {
                record.state != RecordState::Erased
                    && !record.is_expired(deletion.now)
                    && deletion.view.admits(record)
            });
            let unknown = || Error::not_found(format!("no record of yours has the id {id}"));
            let record = stored.ok_or_else(unknown)?;
            match whose(tx, deletion.memory, &user, &record, &mut Sessions::default())? {
                Some((_, RecordRelation::Theirs)) => Ok(record),
                Some((_, RecordRelation::NotTheirsAlone)) => Err(Error::conflict(
                    "an investigation of somebody else confirmed it: it is not yours alone, and an administrator deletes it",
                )),
                Some((_, RecordRelation::Others)) | None => Err(unknown()),
            }
        };
        self.engine.records_delete_found(caller, memory, ids, find).await
    }

    /// Deletes all of the caller's records in any state, from a position on. One request examines
    /// at most [`limits::SRE_OWN_LOOKED_AT_MAX`] records and one page.
    ///
    /// # Errors
    /// `Denied` if the caller may not write the memory; `Conflict` if it has no strategy of a type.
    pub async fn sre_own_delete_all(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        from: Option<SreOwnPlace>,
    ) -> Result<SreOwnDeleted> {
        let mut done = SreOwnDeleted::default();
        let mut looked_at = 0;
        let (first, mut after) = from.unwrap_or((DELETED_IN_ORDER[0], None));
        for kind in DELETED_IN_ORDER.into_iter().skip_while(|kind| *kind != first) {
            loop {
                if looked_at >= limits::SRE_OWN_LOOKED_AT_MAX {
                    done.next = Some((kind, after));
                    return Ok(done);
                }
                let page = self.sre_own_page(caller, memory, kind, after).await?;
                looked_at += page.looked_at;
                done.shared += page.shared;
                if !page.theirs.is_empty() {
                    for item in self.sre_own_delete(caller, memory, page.theirs).await?.items {
                        match item.result {
                            Ok(()) => done.deleted += 1,
                            Err((_, why)) => done.failed.push((item.id, why)),
                        }
                    }
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        Ok(done)
    }

    /// Returns the records of a page to delete.
    async fn sre_own_page(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        kind: SreType,
        after: Option<SreExportCursor>,
    ) -> Result<OwnPage> {
        let user = self.user_of(caller, memory)?;
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, user.now)?;
        let id = memory.clone();
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &id)?;
                let actor = (kind != SreType::Infrastructure).then_some(&user.actor);
                let scope = RecordScope {
                    view: view.clauses().to_vec(),
                    states: RecordState::ALL
                        .iter()
                        .copied()
                        .filter(|state| *state != RecordState::Erased)
                        .collect(),
                    ..namespace_rules::scope(&memory, kind, actor, user.now)?
                };
                let records = tx.records().list(&RecordPage { scope, after: after.clone(), limit: PAGE })?;
                let next = records.last().filter(|_| records.len() == PAGE);
                let mut page = OwnPage {
                    next: next.map(|record| (record.created_at, record.id.clone())),
                    looked_at: records.len(),
                    ..OwnPage::default()
                };
                let mut sessions = Sessions::default();
                for record in records {
                    match whose(tx, &memory, &user, &record, &mut sessions)? {
                        Some((_, RecordRelation::Theirs)) => page.theirs.push(record.id),
                        Some((_, RecordRelation::NotTheirsAlone)) => page.shared += 1,
                        Some((_, RecordRelation::Others)) | None => {}
                    }
                }
                Ok(page)
            })
            .await
    }

    /// Returns an active or pending record, if it is the caller's and the caller may write it.
    pub(super) async fn sre_own_record(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        id: &RecordId,
    ) -> Result<Option<(Memory, SreType, Record)>> {
        let user = self.user_of(caller, memory)?;
        let view = access::bound_view(self.engine.products(), caller, memory, Capability::Write, user.now)?;
        let (memory, id) = (memory.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                let memory = existing(tx, &memory)?;
                let counts = |record: &Record| {
                    matches!(record.state, RecordState::Active | RecordState::Candidate)
                        && !record.is_expired(user.now)
                        && view.admits(record)
                };
                let Some(record) = tx.records().get(&memory.id, &id)?.filter(counts) else { return Ok(None) };
                let whose = whose(tx, &memory, &user, &record, &mut Sessions::default())?;
                let kind = whose.filter(|(_, whose)| *whose != RecordRelation::Others).map(|(kind, _)| kind);
                Ok(kind.map(|kind| (memory, kind, record)))
            })
            .await
    }
}

/// A page of a user's records.
#[derive(Default)]
struct OwnPage {
    theirs: Vec<RecordId>,
    shared: u64,
    looked_at: usize,
    next: Option<SreExportCursor>,
}

/// The sessions examined, with true for those that belong to the user alone.
#[derive(Default)]
struct Sessions(HashMap<SessionId, bool>);

impl Sessions {
    fn is_of(&mut self, tx: &dyn ReadTx, memory: &Memory, user: &User, session: &SessionId) -> Result<bool> {
        if let Some(known) = self.0.get(session) {
            return Ok(*known);
        }
        let is_theirs = is_session_of(tx, memory, user, session)?;
        self.0.insert(session.clone(), is_theirs);
        Ok(is_theirs)
    }
}

/// Returns the type of a record, and its relation to the user. `None` if it has no type. Private
/// records, preferences and investigations are the user's in every state. Knowledge is the user's
/// only while active or pending, because a superseded record documents how later knowledge arose.
fn whose(
    tx: &dyn ReadTx,
    memory: &Memory,
    user: &User,
    record: &Record,
    sessions: &mut Sessions,
) -> Result<Option<(SreType, RecordRelation)>> {
    let of = |kind: &SreType| {
        namespace_rules::strategy(memory, *kind).ok().filter(|one| record.strategy.as_ref() == Some(&one.id))
    };
    let Some((kind, strategy)) = SreType::ALL.iter().find_map(|kind| Some((*kind, of(kind)?))) else {
        return Ok(None);
    };
    let Some((actor, _)) = place_of(strategy, record) else { return Ok(None) };
    let theirs = |is_theirs: bool| if is_theirs { RecordRelation::Theirs } else { RecordRelation::Others };
    let whose = match kind {
        SreType::Preferences | SreType::Investigations => theirs(actor == user.actor.as_str()),
        SreType::Infrastructure if word(record, SCOPE) == Some(SCOPE_PRIVATE) => {
            theirs(word(record, OWNER) == Some(user.name.as_str()))
        }
        SreType::Infrastructure => of_session(tx, memory, user, record, sessions)?,
    };
    Ok(Some((kind, whose)))
}

/// Returns the relation of knowledge to the user: it belongs to the user of the session in which it
/// was learned, unless other users confirmed it.
fn of_session(
    tx: &dyn ReadTx,
    memory: &Memory,
    user: &User,
    record: &Record,
    sessions: &mut Sessions,
) -> Result<RecordRelation> {
    let counts = matches!(record.state, RecordState::Active | RecordState::Candidate);
    let Some(session) = record.provenance.session.as_ref().filter(|_| counts) else {
        return Ok(RecordRelation::Others);
    };
    if !sessions.is_of(tx, memory, user, session)? {
        return Ok(RecordRelation::Others);
    }
    // An entry names a session or an incident.
    for name in words(record, CONFIRMED_BY) {
        let is_own = match SessionId::parse(name.as_str()) {
            Ok(confirming) => confirming == *session || sessions.is_of(tx, memory, user, &confirming)?,
            Err(_) => false,
        };
        if !is_own && !is_incident_of(tx, memory, user, name)? {
            return Ok(RecordRelation::NotTheirsAlone);
        }
    }
    Ok(RecordRelation::Theirs)
}

/// True if an incident has investigations, and all are the user's.
fn is_incident_of(tx: &dyn ReadTx, memory: &Memory, user: &User, incident: &str) -> Result<bool> {
    let scope = namespace_rules::scope(memory, SreType::Investigations, None, user.now)?;
    let page = RecordPage { scope, after: None, limit: OF_SESSION_MAX };
    let all = tx.records().of_subtype(&page, &incident_subtype(incident))?;
    Ok(are_all_of(&all, user))
}

/// True if a session has investigations, and all are the user's.
fn is_session_of(tx: &dyn ReadTx, memory: &Memory, user: &User, session: &SessionId) -> Result<bool> {
    let clause = AccessClause { session: Some(session.clone()), ..AccessClause::default() };
    let scope = RecordScope {
        view: vec![clause],
        ..namespace_rules::scope(memory, SreType::Investigations, None, user.now)?
    };
    let all = tx.records().list(&RecordPage { scope, after: None, limit: OF_SESSION_MAX })?;
    Ok(are_all_of(&all, user))
}

/// True if there is at least one record, the list is complete, and each record is the user's.
fn are_all_of(all: &[Record], user: &User) -> bool {
    let is_theirs = |record: &Record| record.provenance.actor.as_ref() == Some(&user.actor);
    !all.is_empty() && all.len() < OF_SESSION_MAX && all.iter().all(is_theirs)
}
