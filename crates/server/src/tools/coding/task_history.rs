//! `task_history`: tasks of a repository, newest first.

use loci_api::coding::task::TaskListing;

use super::shapes::{cursor, forge_number, limit, name, status, words};
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, open, said, time, word};
use crate::tools::shapes::repo;
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::tools::{arguments, native};
use crate::v1::coding::tasks::listed;

/// The default number of items.
const ITEMS: u32 = 20;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "task_history",
        dotted: None,
        description: "Earlier tasks of a repository, newest first: request, requester and outcome.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("repo", repo()),
                ("user", name()),
                ("status", status()),
                ("issue", forge_number()),
                ("pr", forge_number()),
                ("branch", name()),
                ("prompt_version", name()),
                ("variant", name()),
                ("since", time()),
                ("until", time()),
                ("q", said(words(), "The description holds this")),
                ("limit", limit(ITEMS)),
                ("cursor", cursor()),
            ],
            &[],
        ),
        output: open([("tasks", array(anything())), ("next_cursor", word())], &["tasks"]),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    // The history is that of one repository, so its name is required.
    arguments::needed(&arguments, "repo")?;
    let asking = native::asking(&context, &arguments);
    let mut listing: TaskListing = native::request(arguments, &[])?;
    listing.limit = listing.limit.or(Some(ITEMS));
    native::answer(&listed(&asking, listing).await?)
}
