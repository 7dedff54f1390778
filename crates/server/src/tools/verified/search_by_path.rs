//! `memory_search_by_path`: facts that cite a path (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use loci_verified::{ByPath, FactsAsked, PathMatch};
use serde_json::Value;

use super::shapes::{agent_id, omitted, path, repo, revision, session_id, summary, verify};
use super::{asked, said};
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, default, flag, one_of, open, or_null, whole, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_search_by_path",
        dotted: Some("memory.search_by_path"),
        description: "Facts that cite a file, directory or glob, also under its earlier names.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: closed(
            [
                ("repo", repo()),
                ("path", path()),
                ("match", default(one_of(&["exact", "prefix", "glob"]), "exact")),
                ("include_previous_paths", default(flag(), true)),
                ("limit", default(whole(1, 200), 50)),
                ("verify", verify()),
                ("ref", revision()),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
            ],
            &["path"],
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
        let (repo, by) = asked_for(&arguments)?;
        let serving = asked::serving(&context, &arguments);
        let list =
            context.engine.verified.facts_by_path(&context.caller, &standing, &repo, by, serving).await?;
        Ok(Value::Object(said::list(&list)))
    })
}

fn asked_for(arguments: &Arguments) -> Result<(String, ByPath), ToolError> {
    let matching = asked::string(arguments, "match").and_then(|word| PathMatch::parse(&word));
    let previous = arguments.get("include_previous_paths").and_then(Value::as_bool);
    let by = ByPath {
        path: asked::needed(arguments, "path")?,
        matching: matching.unwrap_or_default(),
        previous: previous.unwrap_or(true),
        limit: asked::number(arguments, "limit").unwrap_or(50),
    };
    Ok((asked::needed(arguments, "repo")?, by))
}

/// The facts that a call looks at.
pub(super) fn facts(arguments: &Arguments) -> Result<FactsAsked, ToolError> {
    let (repo, by) = asked_for(arguments)?;
    Ok(FactsAsked::ByPath { repo, by })
}
