//! The prompt for worker agents of a profile, so that their findings are stored.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::{Error, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.plain(api::PROFILE_AGENT_PROMPT, profile_agent_prompt)
}

async fn profile_agent_prompt(call: Call) -> Result<shape::AgentPrompt> {
    let profile = &call.doors.engine.profile_get(call.path("profile")?)?.name;
    let prompt = call.doors.engine.agent_prompt(profile).ok_or_else(|| {
        Error::not_found(format!("the profile {profile} has no worker agents: sre has")).on("profile")
    })?;
    Ok(shape::AgentPrompt { profile: profile.clone(), prompt: prompt.to_owned() })
}
