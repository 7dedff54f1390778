//! Preferences of users of operations agents: list, decide, and declare by a file.
//! `coding::preferences` has those of people for whom coding agents work.

use loci_api::operations::knowledge::SreKept;
use loci_api::operations::preference as shape;
use loci_api::operations::table as api;
use loci_model::{Error, RecordId, Result};
use loci_operations::{SreApply, SreApplyKind, declared_users, users_of};
use serde_json::json;

use super::save::kept;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

/// The only state that can be requested.
const WAITS: &str = "pending_confirmation";

pub(super) fn operations(table: Table) -> Table {
    table
        .query(api::SRE_PREFERENCES_LIST, list)
        .plain(api::SRE_PREFERENCES, show)
        .query(api::SRE_PREFERENCE_HISTORY, history)
        .json(api::SRE_PREFERENCES_APPLY, self::apply)
        .json(api::SRE_PREFERENCE_CONFIRM, confirm)
        .json(api::SRE_PREFERENCE_REJECT, reject)
}

async fn list(call: Call, asked: shape::SrePreferencesListing) -> Result<shape::SrePreferenceList> {
    let waiting_only = match asked.state.as_deref() {
        None => false,
        Some(WAITS | "pending") => true,
        Some(_) => {
            let rule = format!("state must be {WAITS}: leave it out for all of them");
            return Err(Error::invalid("state", rule));
        }
    };
    let engine = &call.doors.engine;
    engine.operations.sre_preferences_list(&call.caller, &call.memory().await?, waiting_only).await
}

async fn show(call: Call) -> Result<shape::SreUserPreferences> {
    let (engine, user) = (&call.doors.engine, call.path("user")?);
    engine.operations.sre_user(&call.caller, &call.memory().await?, user).await
}

async fn history(call: Call, asked: shape::SrePreferenceHistoryQuery) -> Result<shape::SrePreferenceHistory> {
    let user = call.path("user")?;
    let which = (asked.preference_type.as_deref(), asked.key.as_deref());
    let engine = &call.doors.engine;
    let preferences =
        engine.operations.sre_preference_history(&call.caller, &call.memory().await?, user, which).await?;
    Ok(shape::SrePreferenceHistory { preferences })
}

async fn confirm(call: Call, asked: shape::SrePreferenceDecision) -> Result<SreKept> {
    decide(call, asked, true).await
}

async fn reject(call: Call, asked: shape::SrePreferenceDecision) -> Result<SreKept> {
    decide(call, asked, false).await
}

async fn decide(call: Call, asked: shape::SrePreferenceDecision, confirmed: bool) -> Result<SreKept> {
    let id = RecordId::parse(call.path("preference")?).map_err(|error| error.on("preference_id"))?;
    let engine = &call.doors.engine;
    let memory = engine.memory_id(&call.caller, &asked.memory).await?;
    Ok(kept(engine.operations.sre_preference_decide(&call.caller, &memory, &id, confirmed).await?))
}

async fn apply(call: Call, asked: shape::SrePreferencesApply) -> Result<shape::SrePreferencesApplied> {
    let users = match (asked.users, asked.text) {
        (Some(users), None) => users_of(json!({ "users": users }))?,
        (None, Some(text)) => declared_users(&text)?,
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("users", "give either users, or the file as text"));
        }
    };
    let apply = SreApply {
        memory: call.memory().await?,
        users,
        dry_run: asked.dry_run,
        prune: asked.prune,
        if_erased: call.if_erased()?,
    };
    let changes = call.doors.engine.operations.sre_preferences_apply(&call.caller, apply).await?;
    let count = |of: &dyn Fn(SreApplyKind) -> bool| {
        u64::try_from(changes.iter().filter(|one| of(one.what)).count()).unwrap_or(u64::MAX)
    };
    let (changed, unchanged) =
        (count(&SreApplyKind::is_write), count(&|what| what == SreApplyKind::Unchanged));
    let change = |one: loci_operations::SreApplyChange| shape::SrePreferenceChange {
        user_id: one.user,
        preference_type: one.kind,
        key: one.key,
        change: one.what.as_str().to_owned(),
        from: one.from,
        to: one.to,
    };
    Ok(shape::SrePreferencesApplied {
        changes: changes.into_iter().map(change).collect(),
        changed,
        unchanged,
        dry_run: asked.dry_run,
    })
}
