//! `memory_log_applied`: a fact was used, and how it went (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::AppliedOutcome;
use serde_json::json;

use super::asked;
use super::shapes::{agent_id, idempotency_key, record_id, session_id};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, flag, one_of, open};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_log_applied",
        dotted: Some("memory.log_applied"),
        description: "Report that a fact was used in the task, and how it went.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Write,
        annotations: Annotations::write(false, false, false),
        input: closed(
            [
                ("memory_id", record_id()),
                ("outcome", one_of(&["helped", "neutral", "harmful"])),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
            ],
            &["memory_id"],
        ),
        output: open([("logged", flag()), ("unverified", flag()), ("refreshed", flag())], &["logged"]),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let id = asked::id(&arguments, "memory_id")?;
        let outcome = asked::string(&arguments, "outcome").and_then(|word| AppliedOutcome::parse(&word));
        let token = asked::token(&arguments)?;
        let done =
            context.engine.verified.fact_applied(&context.caller, &standing, &id, outcome, token).await?;
        Ok(json!({ "logged": true, "unverified": done.unverified, "refreshed": done.refreshed }))
    })
}
