//! `memory_delete`: facts are erased, by an administrator (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use serde_json::{Value, json};

use super::asked;
use super::shapes::{agent_id, idempotency_key, record_id, session_id};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, count, list, open, text};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_delete",
        dotted: Some("memory.delete"),
        description: "Delete facts for good. Administrators only.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Admin,
        annotations: Annotations::write(true, true, false),
        input: closed(
            [
                ("memory_ids", list(record_id(), 1, 200)),
                ("reason", text(5, 1000)),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
            ],
            &["memory_ids", "reason"],
        ),
        output: open([("deleted", count())], &["deleted"]),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let ids = arguments.get("memory_ids").and_then(Value::as_array).into_iter().flatten();
        let ids = ids
            .map(|id| {
                loci_verified::record_id(id.as_str().unwrap_or_default())
                    .map_err(|error| error.on("memory_ids"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let reason = asked::needed(&arguments, "reason")?;
        let deleted = context.engine.verified.facts_delete(&context.caller, &standing, &ids, &reason).await?;
        Ok(json!({ "deleted": deleted }))
    })
}
