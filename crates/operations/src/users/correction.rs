//! `sre_own_correct`: a user corrects a record of their own. It is an ordinary save with the rules
//! of preferences. A key with the user's name may belong to an agent, so its source is `agent`:
//! contacts wait for the person who confirms them, and preferences of the class risk are rejected.
//! Only an administrator counts as a person. The corrected record is superseded and kept as
//! history.

use loci_engine::access;
use loci_engine::records::state_transition::StateTransition;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{Error, MemoryId, RecordId, Result};
use serde_json::{Value, json};

use crate::Operations;
use crate::records::drafts::{Speaker, drafts};
use crate::records::precedence::rank;
use crate::records::save::{SaveAs, SreKept, SreSave};
use crate::times::users_zone::UsersZone;
use crate::transfer::record_lines::{SreLine, SreRecordContent, parted};

/// The reason recorded for the superseded record.
const CORRECTED: &str = "its user corrected it";

impl Operations {
    /// Corrects a record of the caller by the rules of its type. The response names the record with
    /// the corrected content.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `NotFound` if the record does not exist or is not the
    /// caller's; `Denied` for values that only an administrator may set; `Conflict` if a person
    /// stated it, or another program wrote it.
    pub async fn sre_own_correct(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        (id, data): (RecordId, Value),
    ) -> Result<SreKept> {
        let unknown = || Error::not_found(format!("no record of yours has the id {id}"));
        let (memory, kind, old) = self.sre_own_record(caller, memory, &id).await?.ok_or_else(unknown)?;
        let now = self.engine.now();
        let settings = self.settings.of(&memory.id);
        let foreign =
            || Error::conflict("another program wrote this record: delete it, and save the correct one");
        let line = SreLine::of((&memory, kind), &old, settings, now).map_err(|_| foreign())?;
        let SreRecordContent::Data(before) = line.said else { return Err(foreign()) };
        let (data, noticed) = said_anew(kind, &before, data)?;
        let is_admin = access::require_whole(caller, &memory.id, Capability::Admin).is_ok();
        let source = if is_admin { SreSource::Human } else { SreSource::Agent };
        let (actor, session) = (line.actor, line.session);
        let asked = SreSave { memory: memory.id.clone(), kind, actor, session, data, source };
        let zone = &UsersZone::default(&settings.default_timezone).zone;
        let speaker = Speaker { settings, name: &caller.name, zone, noticed, in_person: true };
        let mut all = drafts(&asked, &speaker, "", now)?;
        let draft = all.pop().filter(|_| all.is_empty()).ok_or_else(|| {
            Error::invalid(
                "data",
                "one record is corrected: preference_value must have one member, and infrastructure be one object",
            )
        })?;
        if let Some(why) = draft.refused {
            return Err(Error::denied(why));
        }
        if !draft.waits && draft.source.rank() < rank(&old) {
            return Err(Error::conflict(
                "what counts more than this key's word said it: an administrator corrects it; or delete it, and save what is right",
            ));
        }
        let how = SaveAs {
            private_to: line.private_to,
            noticed,
            in_person: true,
            as_read: Some((old.id.clone(), old.version)),
            corrects: Some(old.id),
            ..SaveAs::default()
        };
        let saved = self.sre_save_as(caller, asked, how).await?;
        saved.records.into_iter().next().ok_or_else(|| Error::bug("a correction that became no record"))
    }
}

/// Returns the corrected content. The incident is kept, and later additions are not part of the
/// content. A status source of `webhook` is accepted only if a notice set the status before.
fn said_anew(kind: SreType, before: &Value, data: Value) -> Result<(Value, Option<ResolutionStatus>)> {
    let (data, told) = parted(kind, data)?;
    let noticed = told.noticed;
    if noticed.is_some() && noticed != parted(kind, before.clone())?.1.noticed {
        let rule = "status_source is webhook only where a notice told that status: leave it out";
        return Err(Error::invalid("data.status_source", rule));
    }
    let Value::Object(mut members) = data else {
        return Err(Error::invalid("data", "data must be an object, as the list of your records shows it"));
    };
    members.remove("timestamp");
    if kind == SreType::Investigations {
        let incident = before.get("incident_id").cloned().unwrap_or_else(|| json!(null));
        if members.get("incident_id").is_some_and(|said| *said != incident) {
            let rule = "incident_id stays: leave it out, or save another investigation";
            return Err(Error::invalid("data.incident_id", rule));
        }
        members.insert("incident_id".to_owned(), incident);
    }
    Ok((Value::Object(members), noticed))
}

/// Supersedes the corrected record with the saved one, if the save did not do so because their keys
/// differ.
pub(crate) fn gives_way(
    tx: &mut dyn Tx,
    changing: &StateTransition<'_>,
    old: &RecordId,
    saved: &[SreKept],
) -> Result<()> {
    let memory = &changing.memory.id;
    let new = saved.first().and_then(|kept| kept.record.as_ref()).filter(|new| *new != old);
    let Some(new) = new else { return Ok(()) };
    let (Some(old), Some(new)) = (tx.records().get(memory, old)?, tx.records().get(memory, new)?) else {
        return Ok(());
    };
    match (old.state, new.state) {
        (RecordState::Candidate, RecordState::Active | RecordState::Candidate) => {
            changing.set_state(tx, &old, RecordState::Invalid, CORRECTED).map(drop)
        }
        (RecordState::Active, RecordState::Active) if rank(&new) >= rank(&old) => {
            changing.supersede(tx, &old, &new, CORRECTED).map(drop)
        }
        (..) => Ok(()),
    }
}
