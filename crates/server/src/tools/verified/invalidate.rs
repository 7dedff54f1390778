//! `memory_invalidate`: a fact is marked as wrong (verified-memory.md §12).

use loci_engine::calls::standing::check_label;
use loci_model::ports::BoxFuture;
use serde_json::json;

use super::asked;
use super::shapes::{agent_id, idempotency_key, record_id, session_id};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, flag, open, text, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_invalidate",
        dotted: Some("memory.invalidate"),
        description: "Mark a fact as wrong when the code contradicts it.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Write,
        annotations: Annotations::write(false, true, true),
        input: closed(
            [
                ("memory_id", record_id()),
                ("reason", text(5, 1000)),
                ("invalidated_by", text(1, 200)),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
            ],
            &["memory_id", "reason"],
        ),
        output: open([("success", flag()), ("changed", flag()), ("status", word())], &["success"]),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let (id, reason) = (asked::id(&arguments, "memory_id")?, asked::needed(&arguments, "reason")?);
        let by = asked::string(&arguments, "invalidated_by");
        by.as_deref().map_or(Ok(()), |label| check_label("invalidated_by", label))?;
        let (engine, token) = (&context.engine, asked::token(&arguments)?);
        let by_person = context.place.by_person;
        let done = engine
            .verified
            .fact_invalidate(&context.caller, &standing, &id, &reason, by_person, token)
            .await?;
        Ok(json!({ "success": true, "changed": done.changed, "status": done.status.as_str() }))
    })
}
