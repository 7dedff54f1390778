//! `memory_read_citation`: lines of code at a revision (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use serde_json::json;

use super::shapes::{agent_id, path, repo, revision, session_id};
use super::{asked, said};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, count, default, flag, open, or_null, whole, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_read_citation",
        dotted: Some("memory.read_citation"),
        description: "Read cited lines (and some context) at a revision.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(true),
        input: closed(
            [
                ("repo", repo()),
                ("path", path()),
                ("line_start", whole(1, 10000000)),
                ("line_end", whole(1, 10000000)),
                ("ref", revision()),
                ("context_lines", default(whole(0, 50), 0)),
                ("agent_id", agent_id()),
                ("session_id", session_id()),
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
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let standing = asked::standing(&context, &arguments);
        let (repo, place) = (asked::needed(&arguments, "repo")?, asked::place(&arguments));
        let reference = asked::revision(&arguments);
        let around = asked::number(&arguments, "context_lines").unwrap_or(0);
        let engine = &context.engine;
        let lines = engine
            .verified
            .code_read(&context.caller, &standing, &repo, place, reference.as_deref(), around)
            .await?;
        let mut said = json!({
            "repo": lines.repo,
            "ref": lines.reference,
            "path": lines.place.path,
            "line_start": lines.place.line_start,
            "line_end": lines.place.line_end,
            "content": lines.content.text,
            "sha": lines.blob.map(|blob| blob.to_string()).unwrap_or_default(),
            "commit": said::object(lines.commit),
            "exists": lines.exists,
            "total_lines": lines.lines_total,
            "truncated": lines.truncated,
        });
        if let Some(members) = said.as_object_mut() {
            members.extend(said::changed(&lines.content));
            members.extend(lines.error.map(|error| ("error".to_owned(), error.into())));
        }
        Ok(said)
    })
}
