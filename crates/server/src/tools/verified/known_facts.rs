//! `memory_get_recent`, `memory_search_by_path`: facts of a repository without a question, newest
//! first or by the paths that they cite.

use loci_verified::{ByPath, FactsAsked, PathMatch};
use serde_json::Value;

use super::arguments;
use super::shapes::{by_agent, facts, path, repo, revision, verify};
use crate::tools::error::ToolError;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{default, flag, one_of, whole};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

/// The default number of facts.
const FACTS: u32 = 50;

pub(super) fn recent() -> Tool {
    Tool {
        name: "memory_get_recent",
        dotted: Some("memory.get_recent"),
        description: "Facts known about this repository, newest first, checked against the code. Call at session start.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
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

async fn list_recent(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, serving) =
        (arguments::standing(&context, &arguments), arguments::serving(&context, &arguments));
    let (repo, limit) = (arguments::needed(&arguments, "repo")?, limit(&arguments));
    let verified = &context.engine.verified;
    native::answer(&verified.facts_recent(&context.caller, &standing, &repo, limit, serving).await?.shown())
}

pub(super) fn by_path() -> Tool {
    Tool {
        name: "memory_search_by_path",
        dotted: Some("memory.search_by_path"),
        description: "Facts that cite a file, directory or glob, also under its earlier names.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
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

async fn list_by_path(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, serving) =
        (arguments::standing(&context, &arguments), arguments::serving(&context, &arguments));
    let by = paths(&arguments)?;
    let (verified, repo) = (&context.engine.verified, arguments::needed(&arguments, "repo")?);
    native::answer(&verified.facts_by_path(&context.caller, &standing, &repo, by, serving).await?.shown())
}

fn limit(arguments: &ReceivedArguments) -> u32 {
    arguments::number(arguments, "limit").unwrap_or(FACTS)
}

fn paths(arguments: &ReceivedArguments) -> Result<ByPath, ToolError> {
    let matching = arguments::string(arguments, "match").and_then(|word| PathMatch::parse(&word));
    let previous = arguments.get("include_previous_paths").and_then(Value::as_bool);
    Ok(ByPath {
        path: arguments::needed(arguments, "path")?,
        matching: matching.unwrap_or_default(),
        previous: previous.unwrap_or(true),
        limit: limit(arguments),
    })
}

/// Returns the facts of a call for the newest ones.
pub(super) fn recent_asked(arguments: &ReceivedArguments) -> Result<FactsAsked, ToolError> {
    Ok(FactsAsked::Recent { repo: arguments::needed(arguments, "repo")?, limit: limit(arguments) })
}

/// Returns the facts of a call by paths.
pub(super) fn by_path_asked(arguments: &ReceivedArguments) -> Result<FactsAsked, ToolError> {
    let by = paths(arguments)?;
    Ok(FactsAsked::ByPath { repo: arguments::needed(arguments, "repo")?, by })
}
