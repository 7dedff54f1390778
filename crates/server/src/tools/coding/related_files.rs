//! `related_files`: files that usually change together with the given ones.

use loci_api::coding::graph::MissingAsk;

use super::shapes::limit;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, list, open, word};
use crate::tools::shapes::{path, repo};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};
use crate::tools::{arguments, native};
use crate::v1::coding::graph::absent;

/// The default number of items.
const ITEMS: u32 = 20;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "related_files",
        dotted: None,
        description: "Files that usually change together with these ones, and how often.",
        profiles: &[Profile::Coding, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [("repo", repo()), ("paths", list(path(), 1, 200)), ("limit", limit(ITEMS))],
            &["paths"],
        ),
        output: open([("files", array(anything())), ("warnings", array(word()))], &["files"]),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (asking, repo) = (native::asking(&context, &arguments), arguments::needed(&arguments, "repo")?);
    let mut asked: MissingAsk = native::request(arguments, &["repo"])?;
    asked.limit = asked.limit.or(Some(ITEMS));
    native::answer(&absent(&asking, &repo, asked).await?)
}
