//! Verdicts of a verifier elsewhere: the facts that a tool call would verify, the tool called with
//! verdicts on them, and verdicts stored without a call.

use std::sync::Arc;

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::Extensions;
use loci_api::verified::table as api;
use loci_api::verified::verdict as shape;
use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Verification;
use loci_model::{Error, Result};
use loci_verified::{ReportedFactVerdict, ReportedVerdicts, record_id};

use super::evidence;
use crate::doors::Doors;
use crate::tools::call::call;
use crate::tools::error::ToolError;
use crate::tools::memory_selection::PlaceAsk;
use crate::tools::tool::{Context, ReceivedArguments};
use crate::tools::verified::asked_facts;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::{Described, SchemaForm, Table};
use crate::v1::tools::{BY_PERSON, MEMORY, refused};

pub(super) fn operations(table: Table) -> Table {
    let table = table.json(api::VERDICTS_TELL, tell);
    let asked = Described {
        place: api::TOOL_EVIDENCE.place,
        request: SchemaForm::json::<shape::EvidenceAsk>(),
        answer: SchemaForm::json::<shape::EvidenceAnswer>(),
    };
    let told = Described {
        place: api::TOOL_VERDICTS.place,
        request: SchemaForm::json::<shape::ToolVerdicts>(),
        answer: SchemaForm::json::<loci_api::tool::ToolResult>(),
    };
    table.stream(asked, tool_evidence).stream(told, tool_verdicts)
}

async fn tell(call: Call, asked: shape::VerdictsTell) -> Result<shape::VerdictsTold> {
    let (standing, told) = (standing(&call)?, told(asked.verdicts)?);
    let facts = call.doors.engine.verified.facts_tell(&call.caller, &standing, &asked.repo, told).await?;
    Ok(shape::VerdictsTold { facts })
}

async fn tool_evidence(doors: Doors, request: Request) -> Result<Response> {
    let (asked, _) = Call::begin(doors, request).await?;
    let ask: shape::EvidenceAsk = asked.json()?;
    let context = context(&asked, None)?;
    Ok(match found(&asked, context, ask).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => refused(error),
    })
}

async fn found(
    asked: &Call,
    context: Context,
    ask: shape::EvidenceAsk,
) -> std::result::Result<shape::EvidenceAnswer, ToolError> {
    let (engine, caller) = (context.engine.clone(), context.caller.clone());
    let (standing, facts) = asked_facts(&asked.doors.tools, &context, asked.path("name")?, ask.arguments.0)?;
    let found = engine.verified.facts_asked(&caller, &standing, facts, ask.commit.as_deref()).await?;
    Ok(shape::EvidenceAnswer {
        facts: found.facts.iter().map(evidence::fact).collect::<Result<_>>()?,
        repository: evidence::repository(found.repository),
        readable: found.is_readable,
    })
}

async fn tool_verdicts(doors: Doors, request: Request) -> Result<Response> {
    let (asked, _) = Call::begin(doors, request).await?;
    let given: shape::ToolVerdicts = asked.json()?;
    let context = context(&asked, Some(told(given.verdicts)?))?;
    Ok(match with_verdicts(&asked, context, given.arguments.0).await {
        Ok(result) => Json(loci_api::tool::ToolResult(result)).into_response(),
        Err(error) => refused(error),
    })
}

async fn with_verdicts(
    asked: &Call,
    context: Context,
    arguments: ReceivedArguments,
) -> std::result::Result<serde_json::Value, ToolError> {
    let name = asked.path("name")?;
    // Only tools that verify facts accept reported verdicts.
    asked_facts(&asked.doors.tools, &context, name, arguments.clone())?;
    call(&asked.doors.tools, context, name, arguments).await
}

fn context(asked: &Call, told: Option<ReportedVerdicts>) -> Result<Context> {
    let place = PlaceAsk {
        asked: asked.header(MEMORY)?.map(str::to_owned),
        configured: asked.doors.options.mcp.memory.clone(),
        by_person: asked.header(BY_PERSON)?.is_some(),
        ..PlaceAsk::default()
    };
    let mut extensions = Extensions::new();
    if let Some(told) = told {
        extensions.insert(Arc::new(told));
    }
    Ok(Context { engine: asked.doors.engine.clone(), caller: asked.caller.clone(), place, extensions })
}

/// Returns verdicts in the form of verified memory.
fn told(given: shape::Verdicts) -> Result<ReportedVerdicts> {
    let bad = |rule: &str| Error::invalid("verdicts", format!("verdicts: {rule}"));
    let commit = given.commit.as_deref().map(|text| {
        ObjectId::parse(text).ok_or_else(|| bad("commit must be a commit id of 40 or 64 hex digits"))
    });
    let fact = |fact: shape::FactVerdict| {
        let verification: Verification = serde_json::from_value(fact.verification)
            .map_err(|_| bad("verification must be as the verifier of this version writes it"))?;
        Ok(ReportedFactVerdict {
            record: record_id(&fact.memory_id)?,
            digest: fact.digest,
            verification,
            duration_ms: fact.duration_ms,
            contents: fact.contents,
        })
    };
    let facts = given.facts.into_iter().map(fact).collect::<Result<_>>()?;
    ReportedVerdicts::new(given.reference, commit.transpose()?, facts)
}
