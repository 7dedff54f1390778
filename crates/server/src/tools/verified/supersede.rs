//! `memory_supersede`: the corrected version of a fact takes its place (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::Correction;
use serde_json::json;

use super::shapes::{
    agent_id, citation, claims, idempotency_key, record_id, revision, session_id, verification,
};
use super::{asked, said};
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, flag, list, open, or_null, said, text, uuid, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_supersede",
        dotted: Some("memory.supersede"),
        description: "Replace a fact by its corrected version with new verified citations.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Write,
        annotations: Annotations::write(false, true, true),
        input: closed(
            [
                ("old_memory_id", record_id()),
                ("new_fact", text(1, 1000)),
                (
                    "new_citations",
                    said(list(citation(), 1, 20), "Needed unless every old citation still verifies"),
                ),
                ("new_reason", text(1, 1000)),
                ("new_subject", text(1, 120)),
                ("claims", claims()),
                ("created_by", text(1, 200)),
                ("ref", revision()),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
            ],
            &["old_memory_id", "new_fact"],
        ),
        output: open(
            [
                ("new_memory_id", uuid()),
                ("repo", word()),
                ("ref", or_null(word())),
                ("old_status", word()),
                ("merged", flag()),
                ("verification", verification()),
                ("warnings", array(word())),
            ],
            &["new_memory_id"],
        ),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(supersede(context, arguments))
}

async fn supersede(context: Context, arguments: Arguments) -> Outcome {
    let standing = asked::standing(&context, &arguments);
    let (old, citations) =
        (asked::id(&arguments, "old_memory_id")?, asked::citations(&arguments, "new_citations"));
    // Claims of a correction without citations of its own are about those of the fact that it corrects.
    let count = match &citations {
        Some(citations) => citations.len(),
        None => {
            let old = context.engine.verified.fact_get(&context.caller, &standing, &old).await?;
            old.remembered.fact.detail.citations.len()
        }
    };
    let correction = Correction {
        old,
        fact: asked::needed(&arguments, "new_fact")?,
        citations,
        reason: asked::string(&arguments, "new_reason"),
        subject: asked::string(&arguments, "new_subject"),
        claims: asked::claims(&arguments, count)?,
        created_by: asked::string(&arguments, "created_by"),
        reference: asked::revision(&arguments),
    };
    let token = asked::token(&arguments)?;
    let done = context.engine.verified.fact_supersede(&context.caller, &standing, correction, token).await?;
    let view = context.engine.verified.fact_get(&context.caller, &standing, &done.new).await?;
    let (places, commit) = (said::cited(&view), view.remembered.fact.detail.source.commit);
    Ok(json!({
        "new_memory_id": said::id(&done.new),
        "repo": view.repo,
        "ref": view.remembered.fact.detail.source.reference,
        "old_status": "superseded",
        "merged": done.merged,
        "verification": said::verification(&done.verification, &places, &[], commit),
        "warnings": done.warnings,
    }))
}
