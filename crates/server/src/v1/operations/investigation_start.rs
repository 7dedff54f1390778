//! The start of an investigation by an operations agent, and the resolution of memory, incident and
//! user that the other investigation calls share.

use loci_api::operations::investigation as shape;
use loci_api::operations::table as api;
use loci_model::{Error, MemoryId, Result};
use loci_operations::{Context, InvestigationStart, InvestigationStarted, SreFound, SreRequester};
use loci_text::tokens::Estimator;

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;
use crate::v1::tools::{MEMORY, USER};

const TEXT: &str = "text";
const NONE: &str = "none";
const TEAM: &str = "team";
const PRIVATE: &str = "private";

pub(super) fn operations(table: Table) -> Table {
    table.made(api::INVESTIGATION_START, investigation_start)
}

/// Returns the memory of a call.
pub(super) async fn memory(call: &Call, named: Option<&str>) -> Result<MemoryId> {
    let named = named.or(call.header(MEMORY)?);
    call.doors.engine.operations.sre_memory(&call.caller, named).await
}

/// Returns the incident of the path.
pub(super) fn incident(call: &Call) -> Result<String> {
    Ok(call.path("incident")?.to_owned())
}

/// Returns the user of a call: the named one, else that of the header, else the caller, if it does
/// not act for others.
///
/// # Errors
/// `Invalid` on `user_id` if the key acts for users and none is named; `Denied` on it if the
/// request and its header name two users.
pub(super) async fn user(call: &Call, memory: &MemoryId, named: Option<&str>) -> Result<String> {
    let asked = SreRequester { named, connection: call.header(USER)?, session: None };
    call.doors.engine.operations.sre_requester(&call.caller, memory, asked).await
}

async fn investigation_start(
    call: Call,
    asked: shape::InvestigationStart,
) -> Result<(shape::InvestigationStarted, bool)> {
    let estimator = match asked.estimator.as_deref() {
        None => Estimator::default(),
        Some(name) => Estimator::named(name)
            .ok_or_else(|| Error::invalid("estimator", "estimator must be mixed, chars4 or bytes3"))?,
    };
    let memory = memory(&call, asked.memory.as_deref()).await?;
    let start = InvestigationStart {
        user: user(&call, &memory, asked.user_id.as_deref()).await?,
        memory,
        query: asked.query,
        incident: asked.incident_id,
        session: asked.session_id,
        mode: asked.mode.unwrap_or_else(|| "interactive".to_owned()),
        services: asked.services,
        environment: asked.environment,
        is_private: is_private(asked.scope.as_deref())?,
        tz: asked.tz,
        alert: asked.alert,
        budget_tokens: asked.budget_tokens,
        estimator,
        timeout_ms: asked.timeout_ms,
        render: !is_second("render", asked.render.as_deref(), TEXT, NONE)?,
    };
    let token = call.token()?;
    let started = call.doors.engine.operations.investigation_start(&call.caller, start, token).await?;
    let is_new = !started.joined;
    Ok((shown(started), is_new))
}

/// Returns true for data that is private to its user.
///
/// # Errors
/// `Invalid` on `scope`.
pub(super) fn is_private(scope: Option<&str>) -> Result<bool> {
    is_second("scope", scope, TEAM, PRIVATE)
}

/// Returns true for the second of two words. An absent word counts as the first.
fn is_second(field: &'static str, said: Option<&str>, first: &str, second: &str) -> Result<bool> {
    match said {
        None => Ok(false),
        Some(word) if word == first => Ok(false),
        Some(word) if word == second => Ok(true),
        Some(_) => Err(Error::invalid(field, format!("{field} must be {first} or {second}"))),
    }
}

fn shown(started: InvestigationStarted) -> shape::InvestigationStarted {
    let status = started.context.status.iter();
    shape::InvestigationStarted {
        status: status.map(|(part, status)| ((*part).to_owned(), status.as_str().to_owned())).collect(),
        incident_id: started.incident,
        session_id: started.session,
        joined: started.joined,
        visibility: Some(shape::InvestigationVisibility {
            investigation: if started.is_private { PRIVATE } else { TEAM }.to_owned(),
            past_investigations: started.past.as_str().to_owned(),
        }),
        context: context(started.context),
        recurrence: started.recurrence,
        rendered: started.rendered,
        budget: shape::ContextBudget {
            limit: started.limit,
            used: started.used,
            estimator: started.estimator.name().to_owned(),
            by_section: started
                .by_section
                .into_iter()
                .map(|(name, tokens)| (name.to_owned(), tokens))
                .collect(),
            dropped: started
                .dropped
                .into_iter()
                .map(|one| shape::ContextDropped {
                    record_id: one.id,
                    reason: one.reason.as_str().to_owned(),
                })
                .collect(),
        },
        exposure_id: started.exposure.map(|id| id.to_string()),
        degraded: started.degraded,
        warnings: started.warnings,
    }
}

fn context(context: Context) -> shape::InvestigationContext {
    let items = |found: Vec<SreFound>| found.into_iter().map(item).collect();
    shape::InvestigationContext {
        user_preferences: context
            .preferences
            .into_iter()
            .map(|(kind, preferences)| shape::ContextPreference {
                preference_type: kind,
                waiting: preferences.waiting(),
                preference_value: preferences.value,
            })
            .filter(|one| !one.preference_value.is_empty() || !one.waiting.is_empty())
            .collect(),
        infrastructure_by_agent: context
            .infrastructure
            .into_iter()
            .map(|(agent, found)| (agent, items(found)))
            .collect(),
        past_investigations: items(context.investigations),
    }
}

fn item(found: SreFound) -> shape::ContextItem {
    shape::ContextItem {
        record_id: found.record.id.to_string(),
        content: found.content,
        score: found.score,
        confidence: found.confidence,
        age_days: found.age_days,
        stale: found.stale,
        conflict: found.conflict,
    }
}
