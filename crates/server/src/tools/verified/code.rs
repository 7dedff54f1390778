//! `memory_verify_citations`, `memory_read_citation`: verify that cited code is unchanged, and read
//! lines of code, at a revision.

use std::sync::Arc;

use loci_api::ErrorCode;
use loci_model::facts::verdict::{Drift, Method, Unverifiable};
use loci_verified::{FactsAsked, Remembered, ReportedVerdicts};
use serde_json::Value;

use super::arguments;
use super::shapes::{
    by_agent, citations, line, path, place, place_at, record_id, repo, revision, support, verdict,
};
use crate::tools::error::ToolError;
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{
    array, count, default, flag, number, open, or_null, said, text, uuid, whole, word, word_of,
};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(super) fn verify_citations() -> Tool {
    let input = by_agent(
        [
            ("repo", repo()),
            ("citations", citations("Citations to check; give these or memory_id")),
            ("memory_id", record_id()),
            ("ref", revision()),
        ],
        &[],
    );
    let claim = [("index", count()), ("holds", or_null(flag())), ("detail", word())];
    Tool {
        name: "memory_verify_citations",
        dotted: Some("memory.verify_citations"),
        description: "Check cited code at a revision, for a stored fact (memory_id) or for given citations.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(true),
        input: said(input, "Exactly one of citations and memory_id; the server checks it."),
        output: open(
            [
                ("valid", flag()),
                ("citations", array(checked())),
                ("valid_count", count()),
                ("invalid_count", count()),
                ("unverifiable_count", count()),
                ("verdict", verdict()),
                ("support", support()),
                ("repo", word()),
                ("ref", word()),
                ("commit", or_null(word())),
                ("dirty", flag()),
                ("verification_id", uuid()),
                ("claims", array(open(claim, &["index", "holds"]))),
                ("warnings", array(word())),
            ],
            &["valid", "citations", "valid_count", "invalid_count"],
        ),
        work: Some(|context, arguments| Box::pin(check_all(context, arguments))),
    }
}

/// Returns the schema of one citation's verdict.
fn checked() -> Value {
    let more = [
        ("exists", flag()),
        ("content", word()),
        ("error", word()),
        ("verdict", verdict()),
        ("method", word_of(Method::ALL, Method::as_str)),
        ("similarity", number()),
        ("drift", word_of(Drift::ALL, Drift::as_str)),
        ("unverifiable_reason", word_of(Unverifiable::ALL, Unverifiable::as_str)),
        ("moved_to", place_at()),
        ("blob", word()),
        ("expected_excerpt", text(0, 8192)),
        ("diff", text(0, 8192)),
        ("reindented", flag()),
    ];
    place(more, &["exists"])
}

async fn check_all(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let standing = arguments::standing(&context, &arguments);
    let (caller, reference) = (&context.caller, arguments::revision(&arguments));
    let (verified, reference) = (&context.engine.verified, reference.as_deref());
    let given = arguments::citations(&arguments, "citations");
    let (found, places) = match (given, arguments.contains_key("memory_id")) {
        (Some(citations), false) => {
            let repo = arguments::needed(&arguments, "repo")?;
            let places = arguments::places(&citations);
            (verified.code_verify(caller, &standing, &repo, citations, reference).await?, places)
        }
        (None, true) => {
            let id = arguments::id(&arguments, "memory_id")?;
            let found = match context.extensions.get::<Arc<ReportedVerdicts>>() {
                Some(told) => verified.fact_verify_told(caller, &standing, &id, told).await?,
                None => verified.fact_verify(caller, &standing, &id, reference).await?,
            };
            let places = found.remembered.as_ref().map(Remembered::cited).unwrap_or_default();
            (found, places)
        }
        (Some(_), true) | (None, false) => {
            let rule = "give exactly one of citations and memory_id";
            return Err(ToolError::new(ErrorCode::Invalid, rule).on("citations"));
        }
    };
    native::answer(&found.shown(&places))
}

/// Returns the fact of a verification; `None` if it is of given citations.
pub(super) fn verified_asked(arguments: &ReceivedArguments) -> Option<Result<FactsAsked, ToolError>> {
    let is_fact = arguments.contains_key("memory_id") && !arguments.contains_key("citations");
    is_fact.then(|| arguments::id(arguments, "memory_id").map(FactsAsked::One))
}

pub(super) fn read_citation() -> Tool {
    Tool {
        name: "memory_read_citation",
        dotted: Some("memory.read_citation"),
        description: "Read cited lines (and some context) at a revision.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(true),
        input: by_agent(
            [
                ("repo", repo()),
                ("path", path()),
                ("line_start", line()),
                ("line_end", line()),
                ("ref", revision()),
                ("context_lines", default(whole(0, 50), 0)),
            ],
            &["path", "line_start", "line_end"],
        ),
        output: open(
            [
                ("repo", word()),
                ("ref", word()),
                ("path", word()),
                ("line_start", count()),
                ("line_end", count()),
                ("content", word()),
                ("sha", word()),
                ("commit", or_null(word())),
                ("exists", flag()),
                ("total_lines", count()),
                ("truncated", flag()),
                ("error", word()),
            ],
            &["path", "line_start", "line_end", "content", "sha", "exists"],
        ),
        work: Some(|context, arguments| Box::pin(read_lines(context, arguments))),
    }
}

async fn read_lines(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let standing = arguments::standing(&context, &arguments);
    let (repo, place) = (arguments::needed(&arguments, "repo")?, arguments::place(&arguments));
    let (reference, around) =
        (arguments::revision(&arguments), arguments::number(&arguments, "context_lines"));
    let (verified, reference, around) = (&context.engine.verified, reference.as_deref(), around.unwrap_or(0));
    let lines = verified.code_read(&context.caller, &standing, &repo, place, reference, around).await?;
    native::answer(&lines)
}
