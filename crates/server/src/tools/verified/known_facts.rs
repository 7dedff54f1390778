//! `memory_get_recent`, `memory_search_by_path`: facts of a repository without a question, newest
//! first or by the paths that they cite.

use loci_verified::{ByPath, FactsAsked, PathMatch};
use serde_json::Value;

use super::asked;
use super::shapes::{by_agent, facts, path, repo, revision, verify};
use crate::tools::error::ToolError;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{default, flag, one_of, whole};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

/// The default number of facts.
const FACTS: u32 = 50;

pub(super) fn recent() -> Tool {
    Tool {
        name: "memory_get_recent",
        dotted: Some("memory.get_recent"),
        description: "Facts known about this repository, newest first, checked against the code. Call at session start.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: by_agent(
            [
                ("repo", repo()),
                ("limit", default(whole(1, 200), FACTS)),
                ("verify", verify()),
                ("ref", revision()),
                ("format", default(one_of(&["records", "prompt"]), "records")),
                ("max_tokens", whole(100, 100000)),
            ],
            &[],
        ),
        output: facts([]),
        work: Some(|context, arguments| Box::pin(list_recent(context, arguments))),
    }
}

async fn list_recent(context: Context, arguments: Arguments) -> Outcome {
    let (standing, serving) = (asked::standing(&context, &arguments), asked::serving(&context, &arguments));
    let (repo, limit) = (asked::needed(&arguments, "repo")?, limit(&arguments));
    let verified = &context.engine.verified;
    native::answer(&verified.facts_recent(&context.caller, &standing, &repo, limit, serving).await?.shown())
}

pub(super) fn by_path() -> Tool {
    Tool {
        name: "memory_search_by_path",
        dotted: Some("memory.search_by_path"),
        description: "Facts that cite a file, directory or glob, also under its earlier names.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: by_agent(
            [
                ("repo", repo()),
                ("path", path()),
                ("match", default(one_of(&["exact", "prefix", "glob"]), "exact")),
                ("include_previous_paths", default(flag(), true)),
                ("limit", default(whole(1, 200), FACTS)),
                ("verify", verify()),
                ("ref", revision()),
            ],
            &["path"],
        ),
        output: facts([]),
        work: Some(|context, arguments| Box::pin(list_by_path(context, arguments))),
    }
}

async fn list_by_path(context: Context, arguments: Arguments) -> Outcome {
    let (standing, serving) = (asked::standing(&context, &arguments), asked::serving(&context, &arguments));
    let by = paths(&arguments)?;
    let (verified, repo) = (&context.engine.verified, asked::needed(&arguments, "repo")?);
    native::answer(&verified.facts_by_path(&context.caller, &standing, &repo, by, serving).await?.shown())
}

fn limit(arguments: &Arguments) -> u32 {
    asked::number(arguments, "limit").unwrap_or(FACTS)
}

fn paths(arguments: &Arguments) -> Result<ByPath, ToolError> {
    let matching = asked::string(arguments, "match").and_then(|word| PathMatch::parse(&word));
    let previous = arguments.get("include_previous_paths").and_then(Value::as_bool);
    Ok(ByPath {
        path: asked::needed(arguments, "path")?,
        matching: matching.unwrap_or_default(),
        previous: previous.unwrap_or(true),
        limit: limit(arguments),
    })
}

/// Returns the facts of a call for the newest ones.
pub(super) fn recent_asked(arguments: &Arguments) -> Result<FactsAsked, ToolError> {
    Ok(FactsAsked::Recent { repo: asked::needed(arguments, "repo")?, limit: limit(arguments) })
}

/// Returns the facts of a call by paths.
pub(super) fn by_path_asked(arguments: &Arguments) -> Result<FactsAsked, ToolError> {
    let by = paths(arguments)?;
    Ok(FactsAsked::ByPath { repo: asked::needed(arguments, "repo")?, by })
}
