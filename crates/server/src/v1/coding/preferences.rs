//! Preferences of people for the agents that work for them: show, set, delete; and the inventory
//! and erasure of a person's data.

use loci_api::coding::preference as shape;
use loci_api::coding::table as api;
use loci_coding::{PreferenceSet, preference_shown};
use loci_model::tasks::preference::PreferenceDimension;
use loci_model::{Error, RecordId, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .plain(api::PREFERENCES_LIST, list)
        .json(api::PREFERENCE_PUT, self::put)
        .plain(api::PREFERENCE_REMOVE, self::remove)
        .json(api::USER_SETTINGS_PUT, self::settings)
        .plain(api::USER_EXPORT, export)
        .plain(api::USER_FORGET, self::forget)
}

async fn list(call: Call) -> Result<shape::PreferenceList> {
    let engine = &call.doors.engine;
    let found = engine.coding.preferences_list(&call.caller, &standing(&call)?, call.path("user")?).await?;
    Ok(shape::PreferenceList {
        user: found.user,
        preferences: found.preferences.into_iter().map(preference_shown).collect(),
    })
}

async fn put(call: Call, asked: shape::PreferencePut) -> Result<shape::PreferenceSet> {
    let all = || PreferenceDimension::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = || Error::invalid("dimension", format!("dimension must be one of {}", all()));
    let dimension = PreferenceDimension::parse(call.path("preference")?).ok_or_else(unknown)?;
    let set = PreferenceSet { dimension, text: asked.text, repo: asked.repo };
    let engine = &call.doors.engine;
    let put = engine.coding.preference_put(&call.caller, &standing(&call)?, call.path("user")?, set).await?;
    Ok(shape::PreferenceSet { preference: preference_shown(put.preference), created: put.created })
}

async fn remove(call: Call) -> Result<shape::PreferenceRemoved> {
    let id = RecordId::parse(call.path("preference")?).map_err(|error| error.on("preference_id"))?;
    let engine = &call.doors.engine;
    engine.coding.preference_remove(&call.caller, &standing(&call)?, call.path("user")?, &id).await?;
    Ok(shape::PreferenceRemoved { preference_id: id.to_string() })
}

async fn settings(call: Call, asked: shape::UserSettings) -> Result<shape::UserSettingsPut> {
    let rule = "send implicit_inference: true or false";
    let wanted = asked.implicit_inference.ok_or_else(|| Error::invalid("implicit_inference", rule))?;
    let engine = &call.doors.engine;
    engine.coding.user_settings_put(&call.caller, &standing(&call)?, call.path("user")?, wanted).await
}

async fn export(call: Call) -> Result<shape::UserExport> {
    let engine = &call.doors.engine;
    engine.coding.user_export(&call.caller, &standing(&call)?, call.path("user")?).await
}

async fn forget(call: Call) -> Result<shape::UserForgotten> {
    let engine = &call.doors.engine;
    engine.coding.user_forget(&call.caller, &standing(&call)?, call.path("user")?).await
}
