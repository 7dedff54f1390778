//! `memory_history`: the versions of a fact, and what happened to it (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use serde_json::json;

use super::shapes::{record_id, summary, verdict};
use super::{asked, said};
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, count, default, open, or_null, time, whole, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_history",
        dotted: Some("memory.history"),
        description: "The chain of versions of a fact and its events.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(false),
        input: closed([("memory_id", record_id()), ("limit", default(whole(1, 200), 50))], &["memory_id"]),
        output: open(
            [
                ("chain", array(summary())),
                (
                    "events",
                    array(open(
                        [
                            ("event", word()),
                            ("at", time()),
                            ("agent_id", or_null(word())),
                            ("session_id", or_null(word())),
                            ("ref", or_null(word())),
                            ("commit", or_null(word())),
                            ("verdict", or_null(verdict())),
                            ("method", or_null(word())),
                            ("duration_ms", or_null(count())),
                            ("details", anything()),
                        ],
                        &["event", "at"],
                    )),
                ),
            ],
            &["chain", "events"],
        ),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let (standing, id) = (asked::standing(&context, &arguments), asked::id(&arguments, "memory_id")?);
        let limit = asked::number(&arguments, "limit").unwrap_or(50);
        let history = context.engine.verified.fact_history(&context.caller, &standing, &id, limit).await?;
        Ok(json!({
            "chain": history.chain.iter().map(said::fact).collect::<Vec<_>>(),
            "events": history.events.iter().map(said::event).collect::<Vec<_>>(),
        }))
    })
}
