//! Arguments of the family in the types of verified memory. The schema has checked their form; this
//! module checks their values.

use std::sync::Arc;

use loci_engine::calls::idempotency::ClientToken;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::{RecordId, Timestamp};
use loci_verified::verifier::read_claims;
use loci_verified::{FactReadOptions, ReportedVerdicts, VerifyMode, record_id};
use serde_json::Value;

pub(in crate::tools) use crate::tools::arguments::{needed, standing, string};
use crate::tools::error::ToolError;
use crate::tools::tool::{Context, ReceivedArguments};

/// Returns a whole number. A number that does not fit becomes the maximum.
pub(in crate::tools) fn number(arguments: &ReceivedArguments, name: &str) -> Option<u32> {
    let number = arguments.get(name).and_then(Value::as_u64)?;
    Some(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Returns the id of the fact in an argument.
pub(in crate::tools) fn id(arguments: &ReceivedArguments, name: &str) -> Result<RecordId, ToolError> {
    Ok(record_id(&needed(arguments, name)?).map_err(|error| error.on(name))?)
}

/// Returns the name of the revision at which to read code; `None` if the argument is absent.
pub(in crate::tools) fn revision(arguments: &ReceivedArguments) -> Option<String> {
    string(arguments, "ref")
}

/// Returns the options of a read.
pub(in crate::tools) fn serving(context: &Context, arguments: &ReceivedArguments) -> FactReadOptions {
    let is_prompt = string(arguments, "format").is_some_and(|format| format == "prompt");
    let tokens = number(arguments, "max_tokens");
    FactReadOptions {
        verify: string(arguments, "verify").and_then(|word| VerifyMode::parse(&word)).unwrap_or_default(),
        reference: revision(arguments),
        prompt: (is_prompt || tokens.is_some()).then_some(tokens),
        told: context.extensions.get::<Arc<ReportedVerdicts>>().cloned(),
        most: None,
    }
}

/// Returns the citations under this name; `None` if absent.
pub(in crate::tools) fn citations(arguments: &ReceivedArguments, name: &str) -> Option<Vec<CitationInput>> {
    let citations = arguments.get(name)?.as_array()?;
    Some(citations.iter().filter_map(Value::as_object).map(citation).collect())
}

fn citation(given: &ReceivedArguments) -> CitationInput {
    CitationInput {
        place: place(given),
        sha: string(given, "sha"),
        snippet_hash: string(given, "snippet_hash"),
    }
}

/// Returns the places of citations.
pub(in crate::tools) fn places(citations: &[CitationInput]) -> Vec<LineRange> {
    citations.iter().map(|citation| citation.place.clone()).collect()
}

/// Returns a place in the code.
pub(in crate::tools) fn place(given: &ReceivedArguments) -> LineRange {
    LineRange {
        path: string(given, "path").unwrap_or_default(),
        line_start: number(given, "line_start").unwrap_or(0),
        line_end: number(given, "line_end").unwrap_or(0),
    }
}

/// Returns the claims about this number of citations; `None` if absent.
pub(in crate::tools) fn claims(
    arguments: &ReceivedArguments,
    citations: usize,
) -> Result<Option<Vec<Claim>>, ToolError> {
    let Some(claims) = arguments.get("claims").and_then(Value::as_array) else { return Ok(None) };
    Ok(Some(read_claims(claims, "claims", citations)?))
}

/// Returns the caller's idempotency key, with the whole call.
pub(in crate::tools) fn token(arguments: &ReceivedArguments) -> Result<Option<ClientToken>, ToolError> {
    let Some(key) = string(arguments, "idempotency_key") else { return Ok(None) };
    let mut rest = arguments.clone();
    rest.shift_remove("idempotency_key");
    Ok(Some(ClientToken::new(key, &Value::Object(rest))?))
}

/// Returns a point in time.
pub(in crate::tools) fn time(
    arguments: &ReceivedArguments,
    name: &str,
) -> Result<Option<Timestamp>, ToolError> {
    let Some(text) = string(arguments, name) else { return Ok(None) };
    Ok(Some(Timestamp::parse(&text).map_err(|error| error.on(name))?))
}
