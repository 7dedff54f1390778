//! Arguments and results that several tools of the family share.

use loci_model::facts::support::Support;
use loci_model::facts::verdict::Verdict;
use serde_json::Value;

use crate::tools::schema::{
    anything, array, brief, closed, count, default, flag, list, one_of, open, or_null, pattern, said, text,
    time, uuid, whole, word, word_of,
};
pub(super) use crate::tools::shapes::{path, record_id, repo, revision};

/// The maximum line number.
const LINES_MAX: i64 = 10_000_000;

/// Returns the members of a call by an agent: these, the agent's own name, and the conversation.
pub(in crate::tools) fn by_agent<const N: usize>(members: [(&str, Value); N], required: &[&str]) -> Value {
    let agent = [("agent_id", text(0, 200)), ("session_id", text(0, 200))];
    closed(members.into_iter().chain(agent), required)
}

/// Returns the members of a write by an agent: these, the agent's own, and an idempotency key. A
/// repeated call with the same key gets the same result.
pub(super) fn write_by_agent<const N: usize>(members: [(&str, Value); N], required: &[&str]) -> Value {
    let agent = [("agent_id", text(0, 200)), ("session_id", text(0, 200)), ("idempotency_key", text(8, 128))];
    closed(members.into_iter().chain(agent), required)
}

/// Returns the schema of the verification mode of a read.
pub(in crate::tools) fn verify() -> Value {
    default(one_of(&["none", "cached", "fresh"]), "cached")
}

/// Returns the schema of a line number.
pub(super) fn line() -> Value {
    whole(1, LINES_MAX)
}

/// Returns the schema of a place in the code.
fn citation() -> Value {
    closed(
        [
            ("path", path()),
            ("line_start", line()),
            ("line_end", line()),
            ("sha", said(pattern("^[0-9a-f]{7,64}$"), "Commit or sha of the lines as read")),
            ("snippet_hash", pattern("^(vm1:)?[0-9a-f]{16,64}$")),
        ],
        &["path", "line_start", "line_end"],
    )
}

/// Returns the schema of places in the code, with their purpose.
pub(super) fn citations(description: &str) -> Value {
    said(list(citation(), 1, 20), description)
}

/// Returns the schema of claims. The guide has their grammar: in full it would cost more than all
/// other schemas.
pub(super) fn claims() -> Value {
    const KINDS: [&str; 10] = [
        "contains",
        "matches",
        "equals",
        "same_capture",
        "absent",
        "every_file",
        "path_exists",
        "path_absent",
        "symbol_defined",
        "config_value",
    ];
    let claim = closed(
        [
            ("kind", one_of(&KINDS)),
            ("citation", said(whole(0, 19), "0-based index into citations")),
            ("citations", list(whole(0, 19), 2, 20)),
            ("regex", text(1, 500)),
            ("regexes", list(text(1, 500), 1, 20)),
            ("literal", text(0, 500)),
            ("path", text(1, 1024)),
            ("glob", text(1, 300)),
            ("name", text(1, 200)),
            ("pointer", text(0, 300)),
        ],
        &["kind"],
    );
    brief(said(list(claim, 0, 20), "Machine-checkable statements that must hold"))
}

/// Returns the schema of a verdict.
pub(in crate::tools) fn verdict() -> Value {
    word_of(Verdict::ALL, Verdict::as_str)
}

/// Returns the schema of the code's support for a fact, independent of the verdict.
pub(super) fn support() -> Value {
    open([("verdict", word_of(Support::ALL, Support::as_str))], &["verdict"])
}

/// Returns the schema of lines of a file with more members; `required` are those in addition to the
/// lines.
pub(super) fn place<'a>(more: impl IntoIterator<Item = (&'a str, Value)>, required: &[&str]) -> Value {
    let place = [("path", word()), ("line_start", count()), ("line_end", count())];
    open(place.into_iter().chain(more), &[&["path", "line_start", "line_end"], required].concat())
}

/// Returns the schema of lines of a file at a commit.
pub(super) fn place_at() -> Value {
    place([("commit", word())], &[])
}

/// Returns the schema of a fact with citations of this form and more members.
fn fact<'a>(citation: Value, more: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let members = [
        ("id", uuid()),
        ("repo", word()),
        ("subject", word()),
        ("fact", word()),
        ("citations", array(citation)),
        ("reason", or_null(word())),
        ("refreshed_at", time()),
        ("verification_count", count()),
        ("status", one_of(&["active", "quarantined", "invalid", "superseded", "expired"])),
    ];
    let required =
        ["id", "repo", "subject", "fact", "citations", "reason", "refreshed_at", "verification_count"];
    open(members.into_iter().chain(more), &required)
}

/// Returns the schema of a fact in short.
pub(super) fn summary() -> Value {
    let more = [("verdict", verdict()), ("support", support()), ("assurance", word()), ("label", word())];
    fact(anything(), more)
}

/// Returns the schema of a fact with all its data.
pub(super) fn record() -> Value {
    let citation = [
        ("sha", word()),
        ("snippet_hash", word()),
        ("blob", word()),
        ("symbol", word()),
        ("current", place_at()),
    ];
    let more = [
        ("created_at", time()),
        ("created_by", or_null(word())),
        ("source_ref", or_null(word())),
        ("source_commit", or_null(word())),
        ("source_kind", or_null(word())),
        ("last_verified_at", or_null(time())),
        ("last_verified_commit", or_null(word())),
        ("last_used_at", or_null(time())),
        ("rejection_count", count()),
        ("applied_count", count()),
        ("retrieved_count", count()),
        ("supersedes_id", or_null(uuid())),
        ("superseded_by_id", or_null(uuid())),
        ("expires_at", or_null(time())),
        ("claims", array(open([("kind", word())], &["kind"]))),
        ("verdict", verdict()),
        ("support", support()),
        ("verified_at", or_null(time())),
        ("verified_commit", or_null(word())),
        ("abandoned_source", flag()),
        ("flags", array(word())),
    ];
    fact(place(citation, &[]), more)
}

/// Returns the schema of a verification of citations, in short.
pub(super) fn verification() -> Value {
    open(
        [
            ("valid", flag()),
            ("citations", array(anything())),
            ("valid_count", count()),
            ("invalid_count", count()),
            ("verdict", verdict()),
            ("support", support()),
        ],
        &["valid", "citations", "valid_count", "invalid_count"],
    )
}

/// Returns the schema of facts of a repository, verified at a revision, and more members.
pub(in crate::tools) fn facts<'a>(more: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let reasons = ["drifted", "gone", "contradicted", "unverifiable", "budget"];
    let members = [
        ("repo", word()),
        ("ref", word()),
        ("commit", or_null(word())),
        ("memories", array(summary())),
        ("omitted", open(reasons.map(|reason| (reason, count())), &[])),
        ("prompt", word()),
        ("warnings", array(word())),
    ];
    open(members.into_iter().chain(more), &["memories"])
}
