//! `/v1/tools`: the tools that MCP serves, with equal names, arguments and results.

use loci_api::table as api;
use std::path::PathBuf;

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Extensions, HeaderValue, StatusCode};
use loci_api::tool as shape;
use loci_api::{ErrorCode, Problem, ProblemBody};
use loci_model::{Error, Result};
use percent_encoding::percent_decode_str;

use super::protocol::call::Call;
use super::protocol::table::{Described, SchemaForm, Table};
use crate::auth::gate::Peer;
use crate::doors::Doors;
use crate::error_code::http_status;
use crate::operations::observe::ErrorType;
use crate::tools::call::call;
use crate::tools::error::ToolError;
use crate::tools::memory_selection::PlaceAsk;
use crate::tools::profile::Profile;
use crate::tools::tool::{Context, Tool};

/// The header that names the memory.
pub(crate) const MEMORY: &str = "x-loci-memory";
/// The header that names the directory in which the caller works, percent-encoded.
pub(super) const DIRECTORY: &str = "x-loci-directory";
/// The header that names the user of a request.
pub(crate) const USER: &str = "x-loci-user";
/// The header by which the command line declares that a person asks. It counts for keys that may
/// act as a person, and grants nothing beyond the caller's grants.
pub(super) const BY_PERSON: &str = "x-loci-person";

pub(super) fn operations(table: Table) -> Table {
    let table = table.query(api::TOOL_LIST, tool_list);
    let described = Described {
        place: api::TOOL_CALL.place,
        request: SchemaForm::json::<shape::ToolArguments>(),
        answer: SchemaForm::json::<shape::ToolResult>(),
    };
    table.stream(described, tool_call)
}

async fn tool_list(call: Call, asked: shape::ToolListing) -> Result<shape::ToolList> {
    let profiles = Profile::parse_several(asked.profile.as_deref().unwrap_or(Profile::Full.as_str()))?;
    let tools = call.doors.tools.for_caller(&profiles, &call.caller).map(entry);
    Ok(shape::ToolList { tools: tools.collect() })
}

fn entry(tool: &Tool) -> shape::ToolEntry {
    shape::ToolEntry {
        name: tool.name.to_owned(),
        dotted_name: tool.dotted.map(str::to_owned),
        description: tool.description.to_owned(),
        scope: tool.scope.as_str().to_owned(),
        profiles: tool.profiles.iter().map(|profile| profile.as_str().to_owned()).collect(),
        input_schema: tool.input.clone(),
        output_schema: tool.output.clone(),
    }
}

async fn tool_call(doors: Doors, request: Request) -> Result<Response> {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let (asked, _) = Call::begin(doors, request).await?;
    let arguments: shape::ToolArguments = asked.json()?;
    let place = PlaceAsk {
        asked: asked.header(MEMORY)?.map(str::to_owned),
        configured: asked.doors.options.mcp.memory.clone(),
        directory: directory(peer, asked.header(DIRECTORY)?)?,
        user: asked.header(USER)?.map(str::to_owned),
        by_person: asked.header(BY_PERSON)?.is_some(),
    };
    let context = Context {
        engine: asked.doors.engine.clone(),
        caller: asked.caller.clone(),
        place,
        extensions: Extensions::new(),
    };
    let name = asked.path("name")?;
    let outcome = call(&asked.doors.tools, context, name, arguments.0).await;
    let changes = asked.doors.tools.find(name).is_some_and(|(tool, _)| !tool.annotations.read_only);
    if outcome.is_ok() && changes {
        asked.doors.mcp.hub.changed();
    }
    Ok(match outcome {
        Ok(result) => Json(shape::ToolResult(result)).into_response(),
        Err(error) => refused(error),
    })
}

/// Returns the caller's directory, if the caller is a process of this machine and user.
pub(super) fn directory(peer: Peer, given: Option<&str>) -> Result<Option<PathBuf>> {
    let Some(given) = given else { return Ok(None) };
    match peer {
        Peer::Process | Peer::Socket => {
            let text = percent_decode_str(given).decode_utf8();
            let text = text.map_err(|_| Error::invalid(DIRECTORY, "the directory must be UTF-8"))?;
            Ok(Some(PathBuf::from(text.into_owned())))
        }
        Peer::Loopback | Peer::Network => {
            let rule = "a directory means something only to a process of the same machine and user: leave it out, and \
                        let `loci mcp --url` verify where the worktree is";
            Err(Error::invalid(DIRECTORY, rule))
        }
    }
}

/// Returns an error of a tool in the form of the native API.
pub(super) fn refused(error: ToolError) -> Response {
    let status = http_status(error.code.tool_status());
    let retry_after = error.retry_after_ms.map(|wait| wait.div_ceil(1000));
    let mut details = error.details;
    if let Some(wait) = error.retry_after_ms {
        details.insert("retry_after_ms".to_owned(), wait.into());
    }
    let problem = Problem {
        code: error.code.tool_word().to_owned(),
        message: error.message,
        field: error.field,
        retryable: error.retryable,
        details: (!details.is_empty()).then(|| serde_json::Value::Object(*details)),
    };
    let mut response = (status, Json(ProblemBody { error: problem })).into_response();
    response.extensions_mut().insert(ErrorType(error.code.tool_word().into()));
    let headers = response.headers_mut();
    if let Some(value) = retry_after.and_then(|seconds| HeaderValue::from_str(&seconds.to_string()).ok()) {
        headers.insert(RETRY_AFTER, value);
    }
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Converts an error of the native API to that of a tool, for callers that forward a call.
pub fn error_of(problem: Problem) -> ToolError {
    let mut error = ToolError::new(problem.error_code().unwrap_or(ErrorCode::Bug), problem.message);
    error.field = problem.field;
    error.retryable = problem.retryable;
    if let Some(serde_json::Value::Object(details)) = problem.details {
        error.retry_after_ms = details.get("retry_after_ms").and_then(serde_json::Value::as_u64);
        *error.details = details;
        error.details.shift_remove("retry_after_ms");
    }
    error
}
