//! `memory_list`: the entries of the tree by path, or the listing for a model within its budget.

use loci_api::documents::tree::TreeItem;
use serde_json::{Map, Value, json};

use super::tree_lookup::{TreePath, at};
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, array, closed, number, one_of, open, said, whole, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

/// The maximum number of items in one result.
const ITEMS_MAX: u32 = 500;

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_list",
        dotted: None,
        description: "List memory files with their descriptions: all files, or those below a path.",
        profiles: &[Profile::Files, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("path", said(word(), "A directory, like knowledge/facts")),
                ("depth", said(whole(1, 64), "Levels that are shown")),
                ("format", said(one_of(&["entries", "listing"]), "listing: as one text, within a budget")),
            ],
            &[],
        ),
        output: open(
            [
                ("entries", array(anything())),
                ("listing", word()),
                ("files", number()),
                ("warnings", array(word())),
            ],
            &[],
        ),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let at = at(&context, arguments.get("path").and_then(Value::as_str)).await?;
    if arguments.get("format").and_then(Value::as_str) == Some("listing") {
        listing(&context, at).await
    } else {
        list(&context, at, &arguments).await
    }
}

async fn listing(context: &Context, at: TreePath) -> ToolOutcome {
    let within = (at.path.as_deref(), None);
    let found = context.engine.documents.tree_listing(&context.caller, &at.tree, within).await?;
    Ok(json!({ "listing": found.text, "files": found.files_total }))
}

async fn list(context: &Context, at: TreePath, arguments: &ReceivedArguments) -> ToolOutcome {
    let depth = arguments.get("depth").and_then(Value::as_u64).and_then(|depth| u32::try_from(depth).ok());
    let (below, place) = ((at.path.as_deref(), depth), (None, ITEMS_MAX));
    let page = context.engine.documents.documents_list(&context.caller, &at.tree, below, place).await?;
    let entries: Vec<Value> = page.items.iter().map(|item| shown(&at, item)).collect();
    let mut answer = Map::from_iter([("entries".to_owned(), Value::from(entries))]);
    if page.next.is_some() {
        let rule = format!("only the first {ITEMS_MAX} are shown: name a directory as path, or a depth");
        answer.insert("warnings".to_owned(), json!([rule]));
    }
    Ok(Value::Object(answer))
}

fn shown(at: &TreePath, item: &TreeItem) -> Value {
    let path = at.shown(&item.path);
    match item.files {
        Some(files) => json!({ "path": format!("{path}/"), "files": files, "size": item.bytes }),
        None => json!({
            "path": path,
            "description": item.description,
            "size": item.bytes,
            "etag": item.etag.as_deref().map(|etag| etag.trim_matches('"')),
        }),
    }
}
