//! `memory_store`: a durable fact about a repository, with the code that proves it (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::NewFact;
use serde_json::json;

use super::shapes::{
    agent_id, citation, claims, idempotency_key, repo, revision, session_id, summary, verification,
};
use super::{asked, said};
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, list, one_of, open, or_null, said, text, uuid, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_store",
        dotted: Some("memory.store"),
        description: "Store a durable repository fact with the code lines that prove it. All citations are verified first; an equal active fact is refreshed.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Write,
        annotations: Annotations::write(false, true, true),
        input: closed(
            [
                ("repo", repo()),
                ("subject", text(1, 120)),
                ("fact", text(1, 1000)),
                ("citations", said(list(citation(), 1, 20), "1-20 places in the code that support the fact")),
                ("reason", text(1, 1000)),
                ("created_by", text(1, 200)),
                ("claims", claims()),
                ("ref", revision()),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
                ("idempotency_key", idempotency_key()),
            ],
            &["subject", "fact", "citations"],
        ),
        output: open(
            [
                ("repo", word()),
                ("ref", or_null(word())),
                ("id", uuid()),
                ("status", one_of(&["created", "refreshed", "duplicate_of"])),
                ("memory", summary()),
                ("verification", verification()),
                ("similar", array(uuid())),
                ("warnings", array(word())),
            ],
            &["id", "status"],
        ),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(store(context, arguments))
}

async fn store(context: Context, arguments: Arguments) -> Outcome {
    let citations = asked::citations(&arguments, "citations").unwrap_or_default();
    let new = NewFact {
        repo: asked::needed(&arguments, "repo")?,
        subject: asked::needed(&arguments, "subject")?,
        fact: asked::needed(&arguments, "fact")?,
        reason: asked::string(&arguments, "reason"),
        created_by: asked::string(&arguments, "created_by"),
        claims: asked::claims(&arguments, citations.len())?.unwrap_or_default(),
        reference: asked::revision(&arguments),
        citations,
    };
    let places: Vec<_> = new.citations.iter().map(|citation| citation.place.clone()).collect();
    let (standing, token) = (asked::standing(&context, &arguments), asked::token(&arguments)?);
    let stored = context.engine.verified.fact_store(&context.caller, &standing, new, token).await?;
    let source = &stored.view.remembered.fact.detail.source;
    let commit = source.commit;
    Ok(json!({
        "repo": stored.view.repo,
        "ref": source.reference,
        "id": said::id(&stored.view.remembered.record.id),
        "status": stored.status.as_str(),
        "memory": said::fact(&stored.view),
        "verification": said::verification(&stored.verification, &places, &[], commit),
        "similar": stored.similar.iter().map(said::id).collect::<Vec<_>>(),
        "warnings": stored.warnings,
    }))
}
