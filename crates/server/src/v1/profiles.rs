//! Profiles: list, show, apply to a memory.

use loci_api::profile as shape;
use loci_api::table as api;
use loci_engine::memories::profiles;
use loci_model::{Error, Result};

use super::protocol::call::Call;
use super::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.plain(api::PROFILE_LIST, list).plain(api::PROFILE_GET, one).json(api::PROFILE_APPLY, apply)
}

async fn list(call: Call) -> Result<shape::ProfileList> {
    let summary = |profile: &profiles::Profile| shape::ProfileSummary {
        profile: profile.name.clone(),
        version: profile.version,
        description: profile.description.clone(),
        strategies: profile.strategies.iter().map(|strategy| strategy.name.clone()).collect(),
    };
    Ok(shape::ProfileList { profiles: call.doors.engine.profile_list().into_iter().map(summary).collect() })
}

async fn one(call: Call) -> Result<shape::Profile> {
    let found = call.doors.engine.profile_get(call.path("profile")?)?;
    Ok(shape::Profile { profile: found.name.clone(), version: found.version, text: found.text.clone() })
}

async fn apply(call: Call, asked: shape::ProfileApply) -> Result<shape::ProfileApplied> {
    let engine = &call.doors.engine;
    let profile = match (&asked.profile, &asked.text) {
        (Some(name), None) => engine.profile_get(name).map_err(|error| error.on("profile"))?.clone(),
        (None, Some(text)) => profiles::parse(text)?,
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid(
                "profile",
                "give a profile's name or the text of its file, one of both",
            ));
        }
    };
    engine.profile_apply(&call.caller, &call.memory().await?, &profile, asked.dry_run).await
}
