//! `memory_refresh`, `memory_invalidate`, `memory_log_applied`, `memory_delete`: confirm a stored
//! fact, mark it as wrong, report its use, and erase it as an administrator.

use loci_engine::calls::call_context::check_label;
use loci_verified::{AppliedOutcome, FactRefresh};
use serde_json::{Value, json};

use super::arguments;
use super::shapes::{record_id, revision, verdict, write_by_agent};
use crate::tools::profile::Profile;
use crate::tools::schema::{count, flag, list, one_of, open, text, time, uuid, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(super) fn refresh() -> Tool {
    Tool {
        name: "memory_refresh",
        dotted: Some("memory.refresh"),
        description: "Confirm that a fact was verified and is still useful. The server verifies when no fresh receipt exists.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, true),
        input: write_by_agent(
            [
                ("memory_id", record_id()),
                ("verified_by", text(1, 200)),
                ("verification_id", uuid()),
                ("ref", revision()),
            ],
            &["memory_id"],
        ),
        output: open(
            [
                ("success", flag()),
                ("refreshed_at", time()),
                ("verification_count", count()),
                ("verdict", verdict()),
            ],
            &["success"],
        ),
        work: Some(|context, arguments| Box::pin(refresh_fact(context, arguments))),
    }
}

async fn refresh_fact(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let standing = arguments::standing(&context, &arguments);
    let refresh = FactRefresh {
        id: arguments::id(&arguments, "memory_id")?,
        receipt: arguments::string(&arguments, "verification_id"),
        reference: arguments::revision(&arguments),
        verified_by: arguments::string(&arguments, "verified_by"),
    };
    let token = arguments::token(&arguments)?;
    let done = context.engine.verified.fact_refresh(&context.caller, &standing, refresh, token).await?;
    Ok(json!({
        "success": true,
        "refreshed_at": done.refreshed_at.to_rfc3339(),
        "verification_count": done.verification_count,
        "verdict": done.verdict,
    }))
}

pub(super) fn invalidate() -> Tool {
    Tool {
        name: "memory_invalidate",
        dotted: Some("memory.invalidate"),
        description: "Mark a fact as wrong when the code contradicts it.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, true),
        input: write_by_agent(
            [("memory_id", record_id()), ("reason", text(5, 1000)), ("invalidated_by", text(1, 200))],
            &["memory_id", "reason"],
        ),
        output: open([("success", flag()), ("changed", flag()), ("status", word())], &["success"]),
        work: Some(|context, arguments| Box::pin(invalidate_fact(context, arguments))),
    }
}

async fn invalidate_fact(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let standing = arguments::standing(&context, &arguments);
    let (id, reason) = (arguments::id(&arguments, "memory_id")?, arguments::needed(&arguments, "reason")?);
    let by = arguments::string(&arguments, "invalidated_by");
    by.as_deref().map_or(Ok(()), |label| check_label("invalidated_by", label))?;
    let (verified, token) = (&context.engine.verified, arguments::token(&arguments)?);
    let by_person = context.place.by_person;
    let done = verified.fact_invalidate(&context.caller, &standing, &id, &reason, by_person, token).await?;
    Ok(json!({ "success": true, "changed": done.changed, "status": done.status.as_str() }))
}

pub(super) fn log_applied() -> Tool {
    Tool {
        name: "memory_log_applied",
        dotted: Some("memory.log_applied"),
        description: "Report that a fact was used in the task, and how it went.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, false, false),
        input: write_by_agent(
            [("memory_id", record_id()), ("outcome", one_of(&["helped", "neutral", "harmful"]))],
            &["memory_id"],
        ),
        output: open([("logged", flag()), ("unverified", flag()), ("refreshed", flag())], &["logged"]),
        work: Some(|context, arguments| Box::pin(log_use(context, arguments))),
    }
}

async fn log_use(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, id) = (arguments::standing(&context, &arguments), arguments::id(&arguments, "memory_id")?);
    let outcome = arguments::string(&arguments, "outcome").and_then(|word| AppliedOutcome::parse(&word));
    let (verified, token) = (&context.engine.verified, arguments::token(&arguments)?);
    let done = verified.fact_applied(&context.caller, &standing, &id, outcome, token).await?;
    Ok(json!({ "logged": true, "unverified": done.unverified, "refreshed": done.refreshed }))
}

pub(super) fn delete() -> Tool {
    Tool {
        name: "memory_delete",
        dotted: Some("memory.delete"),
        description: "Delete facts for good. Administrators only.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Admin,
        annotations: Annotations::write(true, true, false),
        input: write_by_agent(
            [("memory_ids", list(record_id(), 1, 200)), ("reason", text(5, 1000))],
            &["memory_ids", "reason"],
        ),
        output: open([("deleted", count())], &["deleted"]),
        work: Some(|context, arguments| Box::pin(delete_facts(context, arguments))),
    }
}

async fn delete_facts(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let standing = arguments::standing(&context, &arguments);
    let ids = arguments.get("memory_ids").and_then(Value::as_array).into_iter().flatten();
    let ids = ids.map(|id| {
        let id = loci_verified::record_id(id.as_str().unwrap_or_default());
        id.map_err(|error| error.on("memory_ids"))
    });
    let (ids, reason) = (ids.collect::<Result<Vec<_>, _>>()?, arguments::needed(&arguments, "reason")?);
    let deleted = context.engine.verified.facts_delete(&context.caller, &standing, &ids, &reason).await?;
    Ok(json!({ "deleted": deleted }))
}
