//! `memory`: the memory tool of Anthropic's models, on the documents of the mount. Its texts are
//! those of `loci_documents`, including errors.

use serde_json::{Value, json};

use super::tree_lookup;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, checked_by_tool, closed, flag, one_of, open, read_as, said, whole, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(in crate::tools) fn tool() -> Tool {
    let commands = one_of(&["view", "create", "str_replace", "insert", "delete", "rename"]);
    Tool {
        name: "memory",
        dotted: None,
        description: "View and edit the files of your memory below /memories. View the directory before anything else.",
        profiles: &[Profile::Files, Profile::Full],
        // A read grant is enough to view. For other commands the result states that the caller may
        // only read.
        scope: ToolRight::Read,
        annotations: Annotations::write(false, false, false),
        input: checked_by_tool(closed(
            [
                ("command", commands),
                ("path", said(word(), "Like /memories/facts/theme.md")),
                (
                    "view_range",
                    said(array(whole(i64::MIN, i64::MAX)), "view: first and last line; -1 is the end"),
                ),
                ("file_text", said(word(), "create: the whole file")),
                ("old_str", said(word(), "str_replace: what stands there once")),
                ("new_str", said(word(), "str_replace: what comes; nothing where it is absent")),
                ("insert_line", said(whole(i64::MIN, i64::MAX), "insert: after this line; 0 is the top")),
                ("insert_text", word()),
                ("old_path", said(word(), "rename")),
                ("new_path", said(word(), "rename")),
            ],
            &["command"],
        )),
        output: read_as(
            "content",
            open([("content", word()), ("is_error", flag())], &["content", "is_error"]),
        ),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let mount = tree_lookup::mount(&context).await?;
    let command = Value::Object(arguments);
    let answer = context.engine.documents.memory_tool(&context.caller, &mount, command, None).await?;
    Ok(json!({ "content": answer.content, "is_error": answer.is_error }))
}
