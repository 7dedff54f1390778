//! `attribution_lookup`: the tasks, prompts and people from which something originates.

use loci_api::coding::attribution::AttributionAsk;

use super::shapes::{cursor, forge_number, limit, name, status, task_id, words};
use crate::tools::native;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, open, said, text, time, word};
use crate::tools::shapes::repo;
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::v1::coding::attribution::attributed;

/// The default number of items.
const ITEMS: u32 = 20;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "attribution_lookup",
        dotted: None,
        description: "Find the tasks, prompts, people and conversations behind a commit, pull request, file or word.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("repo", repo()),
                ("commit", said(text(0, 64), "Whole id")),
                ("pr", forge_number()),
                ("issue", forge_number()),
                ("task", task_id()),
                ("session", text(1, 100)),
                ("prompt_version", name()),
                ("user", name()),
                ("path", said(text(1, 1024), "Path, directory or glob")),
                ("branch", name()),
                ("status", status()),
                ("since", time()),
                ("until", time()),
                ("q", said(words(), "Words of its description or conversation")),
                ("limit", limit(ITEMS)),
                ("cursor", cursor()),
            ],
            &[],
        ),
        output: open([("items", array(anything())), ("next_cursor", word())], &["items"]),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let asking = native::asking(&context, &arguments);
    let mut asked: AttributionAsk = native::request(arguments, &[])?;
    asked.limit = asked.limit.or(Some(ITEMS));
    native::answer(&attributed(&asking, asked).await?)
}
