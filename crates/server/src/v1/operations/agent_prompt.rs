//! What worker agents of a profile are told, so that what they learn is kept (sre-memory.md §6.2).

use loci_api::operations::investigation as shape;
use loci_model::{Error, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::{Table, get};

pub(super) fn operations(table: Table) -> Table {
    let summary =
        "A part of the prompt of a profile's worker agents: when to write down what they learn, and how.";
    table.plain(get("/v1/profiles/{profile}/agent-prompt", summary), profile_agent_prompt)
}

async fn profile_agent_prompt(call: Call) -> Result<shape::AgentPrompt> {
    let profile = &call.doors.engine.profile_get(call.path("profile")?)?.name;
    let prompt = call.doors.engine.agent_prompt(profile).ok_or_else(|| {
        Error::not_found(format!("the profile {profile} has no worker agents: sre has")).on("profile")
    })?;
    Ok(shape::AgentPrompt { profile: profile.clone(), prompt: prompt.to_owned() })
}
