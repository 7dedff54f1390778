//! `memory_verify_citations`: whether cited code still says what it said, at a revision (verified-memory.md §12).

use std::sync::Arc;

use super::{asked, said};
use crate::tools::error::ToolError;
use loci_api::ErrorCode;
use loci_model::ports::BoxFuture;
use loci_verified::{FactsAsked, Told};
use serde_json::{Value, json};

use super::shapes::{agent_id, citation, record_id, repo, revision, session_id, support, verdict};
use crate::tools::profile::Profile;
use crate::tools::schema::{
    array, closed, count, flag, list, number, one_of, open, or_null, said, text, uuid, word,
};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_verify_citations",
        dotted: Some("memory.verify_citations"),
        description: "Check cited code at a revision, for a stored fact (memory_id) or for given citations.",
        profiles: &[Profile::Core, Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: input(),
        output: output(),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(check_all(context, arguments))
}

async fn check_all(context: Context, arguments: Arguments) -> Outcome {
    let standing = asked::standing(&context, &arguments);
    let (caller, reference) = (&context.caller, asked::revision(&arguments));
    let given = asked::citations(&arguments, "citations");
    let verified = match (given, arguments.contains_key("memory_id")) {
        (Some(citations), false) => {
            let repo = asked::needed(&arguments, "repo")?;
            let places: Vec<_> = citations.iter().map(|citation| citation.place.clone()).collect();
            let engine = &context.engine;
            let verified = engine
                .verified
                .code_verify(caller, &standing, &repo, citations, reference.as_deref())
                .await?;
            (verified, places)
        }
        (None, true) => {
            let id = asked::id(&arguments, "memory_id")?;
            let engine = &context.engine;
            let verified = match context.extensions.get::<Arc<Told>>() {
                Some(told) => engine.verified.fact_verify_told(caller, &standing, &id, told).await?,
                None => engine.verified.fact_verify(caller, &standing, &id, reference.as_deref()).await?,
            };
            let detail = verified.remembered.as_ref().map(|remembered| &remembered.fact.detail);
            let citations = detail.map(|detail| detail.citations.as_slice()).unwrap_or_default();
            let places = citations.iter().map(|citation| citation.anchor.place.clone()).collect();
            (verified, places)
        }
        (Some(_), true) | (None, false) => {
            let rule = "give exactly one of citations and memory_id";
            return Err(ToolError::new(ErrorCode::Invalid, rule).on("citations"));
        }
    };
    let (verified, places) = verified;
    let mut said = said::verification(&verified.verification, &places, &verified.contents, verified.commit);
    said.insert("repo".to_owned(), verified.repo.into());
    said.insert("ref".to_owned(), verified.reference.into());
    said.insert("commit".to_owned(), said::object(verified.commit));
    if verified.dirty {
        said.insert("dirty".to_owned(), true.into());
    }
    said.insert("verification_id".to_owned(), verified.receipt.into());
    if !verified.warnings.is_empty() {
        said.insert("warnings".to_owned(), json!(verified.warnings));
    }
    Ok(Value::Object(said))
}

/// The fact that a call looks at; `None` where it gives citations.
pub(super) fn facts(arguments: &Arguments) -> Option<Result<FactsAsked, ToolError>> {
    let is_fact = arguments.contains_key("memory_id") && !arguments.contains_key("citations");
    is_fact.then(|| asked::id(arguments, "memory_id").map(FactsAsked::One))
}

fn input() -> Value {
    said(
        closed(
            [
                ("repo", repo()),
                ("citations", said(list(citation(), 1, 20), "Citations to check; give these or memory_id")),
                ("memory_id", record_id()),
                ("ref", revision()),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
            ],
            &[],
        ),
        "Exactly one of citations and memory_id; the server checks it.",
    )
}

fn output() -> Value {
    open(
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
            (
                "claims",
                array(open(
                    [("index", count()), ("holds", or_null(flag())), ("detail", word())],
                    &["index", "holds"],
                )),
            ),
            ("warnings", array(word())),
        ],
        &["valid", "citations", "valid_count", "invalid_count"],
    )
}

/// What was found of one citation.
fn checked() -> Value {
    open(
        [
            ("path", word()),
            ("line_start", count()),
            ("line_end", count()),
            ("exists", flag()),
            ("content", word()),
            ("error", word()),
            ("verdict", verdict()),
            (
                "method",
                one_of(&[
                    "unchanged",
                    "in_place",
                    "moved",
                    "renamed",
                    "relocated",
                    "reformatted",
                    "split",
                    "fuzzy",
                    "by_claims",
                    "unanchored",
                    "none",
                ]),
            ),
            ("similarity", number()),
            ("drift", one_of(&["low", "high"])),
            (
                "unverifiable_reason",
                one_of(&[
                    "network",
                    "auth",
                    "auth_or_missing",
                    "rate",
                    "ref",
                    "partial_clone",
                    "too_large",
                    "binary",
                    "submodule",
                    "minified",
                    "deadline",
                ]),
            ),
            (
                "moved_to",
                open(
                    [("path", word()), ("line_start", count()), ("line_end", count()), ("commit", word())],
                    &["path", "line_start", "line_end"],
                ),
            ),
            ("blob", word()),
            ("expected_excerpt", text(0, 8192)),
            ("diff", text(0, 8192)),
            ("reindented", flag()),
        ],
        &["path", "line_start", "line_end", "exists"],
    )
}
