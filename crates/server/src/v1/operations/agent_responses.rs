//! Responses of an investigation's worker agents: stored at once, and processed by a job.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::{JobId, Result};
use loci_operations::{AgentResponse, Captured};

use super::investigation_start::{incident, memory};
use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::time;

/// The state of a job whose question waits for the caller's own model.
const WAITING: &str = "waiting";

pub(super) fn operations(table: Table) -> Table {
    table.json(api::AGENT_RESPONSE, agent_response).query(api::AGENT_RESPONSE_READ, agent_response_read)
}

async fn agent_response(call: Call, asked: shape::AgentResponse) -> Result<shape::AgentResponseTaken> {
    let response = AgentResponse {
        memory: memory(&call, asked.memory.as_deref()).await?,
        incident: incident(&call)?,
        session: asked.session_id,
        agent: asked.agent,
        text: asked.text,
        tool_calls: asked.tool_calls,
        at: time("at", asked.at.as_deref())?,
    };
    let job = call.doors.engine.operations.agent_response(&call.caller, response, call.token()?).await?;
    Ok(shape::AgentResponseTaken { job_id: job.to_string() })
}

async fn agent_response_read(
    call: Call,
    asked: shape::AgentResponseWait,
) -> Result<shape::AgentResponseRead> {
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let job = JobId::parse(call.path("job")?).map_err(|error| error.on("job"))?;
    let wait_ms = asked.wait_ms.unwrap_or(0);
    let read = call.doors.engine.operations.agent_response_read(&call.caller, &memory, &job, wait_ms).await?;
    let Captured { saved, preferences, rejected, pending } = read.captured.unwrap_or_default();
    Ok(shape::AgentResponseRead {
        state: if read.waits { WAITING } else { read.state.as_str() }.to_owned(),
        saved: [saved, preferences].concat(),
        rejected,
        pending,
        failure: read.failure,
    })
}
