//! `memory_store`, `memory_supersede`: a durable fact about a repository with the code that proves
//! it, and the corrected version that replaces it.

use loci_verified::{Correction, NewFact, bare_id, citation_check, ids};
use serde_json::json;

use super::arguments;
use super::shapes::{citations, claims, record_id, repo, revision, summary, verification, write_by_agent};
use crate::tools::profile::Profile;
use crate::tools::schema::{array, flag, one_of, open, or_null, text, uuid, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(super) fn store() -> Tool {
    Tool {
        name: "memory_store",
        dotted: Some("memory.store"),
        description: "Store a durable repository fact with the code lines that prove it. All citations are verified first; an equal active fact is refreshed.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, true),
        input: write_by_agent(
            [
                ("repo", repo()),
                ("subject", text(1, 120)),
                ("fact", text(1, 1000)),
                ("citations", citations("1-20 places in the code that support the fact")),
                ("reason", text(1, 1000)),
                ("created_by", text(1, 200)),
                ("claims", claims()),
                ("ref", revision()),
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
        work: Some(|context, arguments| Box::pin(store_fact(context, arguments))),
    }
}

async fn store_fact(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let citations = arguments::citations(&arguments, "citations").unwrap_or_default();
    let places = arguments::places(&citations);
    let new = NewFact {
        repo: arguments::needed(&arguments, "repo")?,
        subject: arguments::needed(&arguments, "subject")?,
        fact: arguments::needed(&arguments, "fact")?,
        reason: arguments::string(&arguments, "reason"),
        created_by: arguments::string(&arguments, "created_by"),
        claims: arguments::claims(&arguments, citations.len())?.unwrap_or_default(),
        reference: arguments::revision(&arguments),
        citations,
    };
    let (standing, token) = (arguments::standing(&context, &arguments), arguments::token(&arguments)?);
    let stored = context.engine.verified.fact_store(&context.caller, &standing, new, token).await?;
    let source = &stored.view.remembered.fact.detail.source;
    Ok(json!({
        "repo": stored.view.repo,
        "ref": source.reference,
        "id": bare_id(&stored.view.remembered.record.id),
        "status": stored.status.as_str(),
        "memory": stored.view.shown(),
        "verification": citation_check(&stored.verification, &places, &[], source.commit),
        "similar": ids(&stored.similar),
        "warnings": stored.warnings,
    }))
}

pub(super) fn supersede() -> Tool {
    Tool {
        name: "memory_supersede",
        dotted: Some("memory.supersede"),
        description: "Replace a fact by its corrected version with new verified citations.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, true),
        input: write_by_agent(
            [
                ("old_memory_id", record_id()),
                ("new_fact", text(1, 1000)),
                ("new_citations", citations("Needed unless every old citation still verifies")),
                ("new_reason", text(1, 1000)),
                ("new_subject", text(1, 120)),
                ("claims", claims()),
                ("created_by", text(1, 200)),
                ("ref", revision()),
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
        work: Some(|context, arguments| Box::pin(supersede_fact(context, arguments))),
    }
}

async fn supersede_fact(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (verified, caller) = (&context.engine.verified, &context.caller);
    let standing = arguments::standing(&context, &arguments);
    let (old, citations) =
        (arguments::id(&arguments, "old_memory_id")?, arguments::citations(&arguments, "new_citations"));
    // Claims of a correction without new citations refer to those of the corrected fact.
    let count = match &citations {
        Some(citations) => citations.len(),
        None => {
            let old = verified.fact_get(caller, &standing, &old).await?;
            old.remembered.fact.detail.citations.len()
        }
    };
    let correction = Correction {
        old,
        fact: arguments::needed(&arguments, "new_fact")?,
        citations,
        reason: arguments::string(&arguments, "new_reason"),
        subject: arguments::string(&arguments, "new_subject"),
        claims: arguments::claims(&arguments, count)?,
        created_by: arguments::string(&arguments, "created_by"),
        reference: arguments::revision(&arguments),
    };
    let done = verified.fact_supersede(caller, &standing, correction, arguments::token(&arguments)?).await?;
    let view = verified.fact_get(caller, &standing, &done.new).await?;
    let (places, source) = (view.remembered.cited(), &view.remembered.fact.detail.source);
    Ok(json!({
        "new_memory_id": bare_id(&done.new),
        "repo": view.repo,
        "ref": source.reference,
        "old_status": "superseded",
        "merged": done.merged,
        "verification": citation_check(&done.verification, &places, &[], source.commit),
        "warnings": done.warnings,
    }))
}
