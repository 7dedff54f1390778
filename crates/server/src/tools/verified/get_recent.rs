//! `memory_get_recent`: what is known of a repository, newest first (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::FactsAsked;
use serde_json::Value;

use super::shapes::{agent_id, omitted, repo, revision, session_id, summary, verify};
use super::{asked, said};
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, default, one_of, open, or_null, whole, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_get_recent",
        dotted: Some("memory.get_recent"),
        description: "Facts known about this repository, newest first, checked against the code. Call at session start.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: closed(
            [
                ("repo", repo()),
                ("limit", default(whole(1, 200), 50)),
                ("verify", verify()),
                ("ref", revision()),
                ("format", default(one_of(&["records", "prompt"]), "records")),
                ("max_tokens", whole(100, 100000)),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
            ],
            &[],
        ),
        output: open(
            [
                ("repo", word()),
                ("ref", word()),
                ("commit", or_null(word())),
                ("memories", array(summary())),
                ("omitted", omitted()),
                ("prompt", word()),
                ("warnings", array(word())),
            ],
            &["memories"],
        ),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let (repo, limit) = asked_for(&arguments)?;
        let serving = asked::serving(&context, &arguments);
        let list =
            context.engine.verified.facts_recent(&context.caller, &standing, &repo, limit, serving).await?;
        Ok(Value::Object(said::list(&list)))
    })
}

fn asked_for(arguments: &Arguments) -> Result<(String, u32), ToolError> {
    Ok((asked::needed(arguments, "repo")?, asked::number(arguments, "limit").unwrap_or(50)))
}

/// The facts that a call looks at.
pub(super) fn facts(arguments: &Arguments) -> Result<FactsAsked, ToolError> {
    let (repo, limit) = asked_for(arguments)?;
    Ok(FactsAsked::Recent { repo, limit })
}
