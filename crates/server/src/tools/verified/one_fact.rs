//! `memory_get`, `memory_history`: one fact in full, its versions, and its events.

use loci_model::Timestamp;
use loci_model::facts::fact::FactEvent;
use loci_verified::{FactView, bare_id, shown_support};
use serde_json::{Value, json};

use super::arguments;
use super::shapes::{record, record_id, summary, verdict};
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, count, default, open, or_null, time, whole, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(super) fn get() -> Tool {
    Tool {
        name: "memory_get",
        dotted: Some("memory.get"),
        description: "One fact with its citations and last verdict.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed([("memory_id", record_id())], &["memory_id"]),
        output: open([("memory", record())], &["memory"]),
        work: Some(|context, arguments| Box::pin(read(context, arguments))),
    }
}

async fn read(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, id) = (arguments::standing(&context, &arguments), arguments::id(&arguments, "memory_id")?);
    let view = context.engine.verified.fact_read(&context.caller, &standing, &id).await?;
    Ok(json!({ "memory": known(&view) }))
}

/// Returns a fact with all its data.
fn known(view: &FactView) -> Value {
    let (record, fact) = (&view.remembered.record, &view.remembered.fact);
    let (detail, source) = (&fact.detail, &fact.detail.source);
    let mut said = json!(view.shown());
    let last = detail.last_verified.as_ref();
    let (verified_at, commit) = (last.map(|last| last.at.to_rfc3339()), last.map(|last| last.commit));
    let more = json!({
        "created_at": fact.created_at.to_rfc3339(),
        "created_by": source.created_by,
        "principal": source.principal,
        "agent_id": source.agent,
        "session_id": source.session,
        "source_ref": source.reference,
        "source_commit": source.commit,
        "source_kind": source.kind,
        "last_verified_at": verified_at,
        "last_verified_by": last.map(|last| &last.by),
        "last_verified_commit": commit,
        "last_used_at": fact.last_used_at.map(Timestamp::to_rfc3339),
        "rejection_count": fact.counters.rejections,
        "applied_count": fact.counters.applied,
        "retrieved_count": fact.counters.retrieved,
        "supersedes_id": record.supersedes.first().map(bare_id),
        "superseded_by_id": record.superseded_by.as_ref().map(bare_id),
        "expires_at": fact.expires_at.to_rfc3339(),
        "claims": detail.claims,
        "verified_at": verified_at,
        "verified_commit": commit,
        "flags": detail.flags,
        "status_reason": record.state_reason,
    });
    let last = [
        ("verdict", last.map(|last| json!(last.verdict))),
        ("support", detail.support.as_ref().map(|report| json!(shown_support(report)))),
    ];
    if let (Some(members), Value::Object(more)) = (said.as_object_mut(), more) {
        members.extend(more);
        for (name, value) in last {
            if let (None, Some(value)) = (members.get(name), value) {
                members.insert(name.to_owned(), value);
            }
        }
    }
    said
}

pub(super) fn history() -> Tool {
    let event = open(
        [
            ("event", word()),
            ("at", time()),
            ("agent_id", or_null(word())),
            ("session_id", or_null(word())),
            ("ref", or_null(word())),
            ("commit", or_null(word())),
            ("verdict", or_null(verdict())),
            ("method", or_null(word())),
            ("duration_ms", or_null(count())),
            ("details", anything()),
        ],
        &["event", "at"],
    );
    Tool {
        name: "memory_history",
        dotted: Some("memory.history"),
        description: "The chain of versions of a fact and its events.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed([("memory_id", record_id()), ("limit", default(whole(1, 200), 50))], &["memory_id"]),
        output: open([("chain", array(summary())), ("events", array(event))], &["chain", "events"]),
        work: Some(|context, arguments| Box::pin(read_history(context, arguments))),
    }
}

async fn read_history(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, id) = (arguments::standing(&context, &arguments), arguments::id(&arguments, "memory_id")?);
    let limit = arguments::number(&arguments, "limit").unwrap_or(50);
    let history = context.engine.verified.fact_history(&context.caller, &standing, &id, limit).await?;
    Ok(json!({
        "chain": history.chain.iter().map(FactView::shown).collect::<Vec<_>>(),
        "events": history.events.iter().map(shown).collect::<Vec<_>>(),
    }))
}

/// Returns an event.
fn shown(event: &FactEvent) -> Value {
    let details = event.details.as_ref().and_then(|details| details.value().ok());
    let mut details = details.and_then(|value| value.as_object().cloned()).unwrap_or_default();
    if let Some(cause) = &event.cause {
        details.insert("cause".to_owned(), cause.clone().into());
    }
    json!({
        "event": event.kind,
        "at": event.at.to_rfc3339(),
        "memory_id": event.record.as_ref().map(bare_id),
        "principal": event.principal,
        "agent_id": event.agent,
        "session_id": event.session,
        "ref": event.reference,
        "commit": event.commit,
        "verdict": event.verdict,
        "method": event.method,
        "duration_ms": event.duration_ms,
        "details": details,
    })
}
