//! Saving of an operations agent's findings by their type.

use loci_api::operations::knowledge as shape;
use loci_api::operations::table as api;
use loci_engine::access;
use loci_model::principal::Capability;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{Error, Result};
use loci_operations::{SreAction, SreKept, SreSave, SreSaved};

use super::investigation_start::{is_private, user};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

/// Both spellings of every type.
const TYPES: &str = "preferences (preference), infrastructure, investigations (investigation)";

pub(super) fn operations(table: Table) -> Table {
    table.json(api::SRE_SAVE, sre_save)
}

/// Parses a type, in singular or plural.
///
/// # Errors
/// `Invalid` on `field`, naming both spellings of every type.
pub(super) fn memory_type(word: &str, field: &str) -> Result<SreType> {
    SreType::parse_input(word).ok_or_else(|| Error::invalid(field, format!("{field} must be one of {TYPES}")))
}

async fn sre_save(call: Call, asked: shape::SreSave) -> Result<shape::SreSaved> {
    let memory = call.memory().await?;
    let kind = memory_type(&asked.memory_type, "memory_type")?;
    let source = match asked.by.unwrap_or_default() {
        shape::SreBy::Agent => SreSource::Agent,
        shape::SreBy::Human => {
            access::require_whole(&call.caller, &memory, Capability::Admin)?;
            SreSource::Human
        }
    };
    let actor = match (asked.actor_id, kind) {
        (Some(actor), _) => actor,
        (None, SreType::Infrastructure) => call.doors.engine.operations.sre_agent(&call.caller, &memory),
        (None, SreType::Preferences | SreType::Investigations) => user(&call, &memory, None).await?,
    };
    let save = SreSave { memory, kind, actor, session: asked.session_id, data: asked.data, source };
    let (private, token) = (is_private(asked.scope.as_deref())?, call.token()?);
    Ok(shown(call.doors.engine.operations.sre_save_in_person(&call.caller, save, private, token).await?))
}

fn shown(saved: SreSaved) -> shape::SreSaved {
    let gravest = saved.records.iter().max_by_key(|kept| kept.action);
    let (action, reason) =
        gravest.map_or((SreAction::Rejected, None), |kept| (kept.action, kept.reason.clone()));
    let record_id = saved.records.iter().find_map(|kept| kept.record.as_ref()).map(ToString::to_string);
    shape::SreSaved {
        saved: saved.event.is_some(),
        event_id: saved.event.map(|event| event.to_string()),
        record_id,
        action: action.as_str().to_owned(),
        reason,
        records: saved.records.into_iter().map(kept).collect(),
        masked: saved.masked,
    }
}

pub(super) fn kept(kept: SreKept) -> shape::SreKept {
    shape::SreKept {
        record_id: kept.record.map(|record| record.to_string()),
        key: kept.key,
        action: kept.action.as_str().to_owned(),
        reason: kept.reason,
    }
}
