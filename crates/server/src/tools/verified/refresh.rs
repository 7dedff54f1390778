//! `memory_refresh`: a fact is confirmed (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::FactRefresh;
use serde_json::json;

use super::asked;
use super::shapes::{agent_id, idempotency_key, record_id, revision, session_id, verdict};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, count, flag, open, text, time, uuid};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_refresh",
        dotted: Some("memory.refresh"),
        description: "Confirm that a fact was verified and is still useful. The server verifies when no fresh receipt exists.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Write,
        annotations: Annotations::write(false, true, true),
        input: closed(
            [
                ("memory_id", record_id()),
                ("verified_by", text(1, 200)),
                ("verification_id", uuid()),
                ("ref", revision()),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
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
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let refresh = FactRefresh {
            id: asked::id(&arguments, "memory_id")?,
            receipt: asked::string(&arguments, "verification_id"),
            reference: asked::revision(&arguments),
            verified_by: asked::string(&arguments, "verified_by"),
        };
        let token = asked::token(&arguments)?;
        let done = context.engine.verified.fact_refresh(&context.caller, &standing, refresh, token).await?;
        Ok(json!({
            "success": true,
            "refreshed_at": done.refreshed_at.to_rfc3339(),
            "verification_count": done.verification_count,
            "verdict": done.verdict.as_str(),
        }))
    })
}
