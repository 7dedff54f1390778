//! `memory_get`: one fact (verified-memory.md §12).

use loci_model::ports::BoxFuture;
use serde_json::json;

use super::shapes::{record, record_id};
use super::{asked, said};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, open};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_get",
        dotted: Some("memory.get"),
        description: "One fact with its citations and last verdict.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: Scope::Read,
        annotations: Annotations::read(false),
        input: closed([("memory_id", record_id())], &["memory_id"]),
        output: open([("memory", record())], &["memory"]),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let (standing, id) = (asked::standing(&context, &arguments), asked::id(&arguments, "memory_id")?);
        let view = context.engine.verified.fact_read(&context.caller, &standing, &id).await?;
        Ok(json!({ "memory": said::whole(&view) }))
    })
}
