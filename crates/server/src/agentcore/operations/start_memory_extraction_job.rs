//! `StartMemoryExtractionJob`: 200; the job is queued to run again.

use http::StatusCode;
use loci_model::{Error, JobId};
use serde::{Deserialize, Serialize};

use crate::agentcore::call::{AgentCoreCall, HandlerAnswer, HandlerOutcome};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    extraction_job: Job,
    client_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    job_id: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    job_id: &'a str,
}

pub(super) async fn serve(call: &AgentCoreCall<'_>) -> HandlerOutcome {
    let request: Request = call.request()?;
    let token = call.token(request.client_token.as_deref())?;
    // The API accepts any text as a job id. A text that cannot be an id of Loci names no job.
    let job = JobId::parse(request.extraction_job.job_id)
        .map_err(|_| Error::not_found("There is no extraction job with this id in the memory"))?;
    let id = call.engine.job_start(call.caller, &call.memory()?, &job, token).await?;
    HandlerAnswer::json(StatusCode::OK, &Response { job_id: id.as_str() })
}
