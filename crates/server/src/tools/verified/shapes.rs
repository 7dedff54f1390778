//! Arguments and results that several tools of the family share.

use serde_json::Value;

use crate::tools::schema::{
    anything, array, brief, closed, count, default, flag, list, one_of, open, or_null, pattern, said, text,
    time, uuid, whole, word,
};
pub(super) use crate::tools::shapes::{path, record_id, repo, revision};

/// Lines of a file are counted up to here.
const LINES_MAX: i64 = 10_000_000;

/// Whether what is read is checked first.
pub(super) fn verify() -> Value {
    default(one_of(&["none", "cached", "fresh"]), "cached")
}

/// Who acts, by the agent's own name.
pub(super) fn agent_id() -> Value {
    text(0, 200)
}

/// In which conversation.
pub(super) fn session_id() -> Value {
    text(0, 200)
}

/// The same key and the same call: the same answer.
pub(super) fn idempotency_key() -> Value {
    text(8, 128)
}

/// A place in the code.
pub(super) fn citation() -> Value {
    closed(
        [
            ("path", path()),
            ("line_start", whole(1, LINES_MAX)),
            ("line_end", whole(1, LINES_MAX)),
            ("sha", said(pattern("^[0-9a-f]{7,64}$"), "Commit or sha of the lines as read")),
            ("snippet_hash", pattern("^(vm1:)?[0-9a-f]{16,64}$")),
        ],
        &["path", "line_start", "line_end"],
    )
}

/// Statements that a machine can check. Their grammar is in the guide: listed in full it would cost more than all else.
pub(super) fn claims() -> Value {
    let claim = closed(
        [
            (
                "kind",
                one_of(&[
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
                ]),
            ),
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

/// A verdict.
pub(super) fn verdict() -> Value {
    one_of(&["valid", "drifted", "gone", "contradicted", "unverifiable"])
}

/// Where a fact stands.
pub(super) fn status() -> Value {
    one_of(&["active", "quarantined", "invalid", "superseded", "expired"])
}

/// The verdict of the code on a fact, apart from whether the code is still there.
pub(super) fn support() -> Value {
    open([("verdict", one_of(&["supported", "not_checked", "contradicted"]))], &["verdict"])
}

/// A fact, in short.
pub(super) fn summary() -> Value {
    open(
        [
            ("id", uuid()),
            ("repo", word()),
            ("subject", word()),
            ("fact", word()),
            ("citations", array(anything())),
            ("reason", or_null(word())),
            ("refreshed_at", time()),
            ("verification_count", count()),
            ("status", status()),
            ("verdict", verdict()),
            ("support", support()),
            ("assurance", word()),
            ("label", word()),
        ],
        &["id", "repo", "subject", "fact", "citations", "reason", "refreshed_at", "verification_count"],
    )
}

/// What a check of citations found, in short.
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

/// What was left out of a list, by reason.
pub(super) fn omitted() -> Value {
    open(
        [
            ("drifted", count()),
            ("gone", count()),
            ("contradicted", count()),
            ("unverifiable", count()),
            ("budget", count()),
        ],
        &[],
    )
}

/// A citation as it is kept.
fn kept_citation() -> Value {
    let place = [("path", word()), ("line_start", count()), ("line_end", count()), ("commit", word())];
    open(
        [
            ("path", word()),
            ("line_start", count()),
            ("line_end", count()),
            ("sha", word()),
            ("snippet_hash", word()),
            ("blob", word()),
            ("symbol", word()),
            ("current", open(place, &["path", "line_start", "line_end"])),
        ],
        &["path", "line_start", "line_end"],
    )
}

/// A fact, with everything that is known of it.
pub(super) fn record() -> Value {
    open(
        [
            ("id", uuid()),
            ("repo", word()),
            ("subject", word()),
            ("fact", word()),
            ("citations", array(kept_citation())),
            ("reason", or_null(word())),
            ("refreshed_at", time()),
            ("verification_count", count()),
            ("status", status()),
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
        ],
        &["id", "repo", "subject", "fact", "citations", "reason", "refreshed_at", "verification_count"],
    )
}
