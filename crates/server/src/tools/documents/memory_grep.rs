//! `memory_grep`: lines of documents that a regular expression matches.

use loci_api::documents::tree::GrepAsk;
use loci_model::limits;
use serde_json::{Map, Value, json};

use super::tree_lookup::at;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, default, flag, number, open, read_as, said, text, whole, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(in crate::tools) fn tool() -> Tool {
    let characters = u32::try_from(limits::PATTERN_CHARS_MAX).unwrap_or(u32::MAX);
    Tool {
        name: "memory_grep",
        dotted: None,
        description: "Find lines of memory files by a regular expression. To search by meaning, use search_memory.",
        profiles: &[Profile::Files, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed(
            [
                ("pattern", said(text(1, characters), "A regular expression, for each line")),
                ("path", said(word(), "Only this file or directory")),
                ("ignore_case", flag()),
                ("max_matches", default(whole(1, 1_000), 50)),
                ("context", said(whole(0, 20), "Lines around each")),
            ],
            &["pattern"],
        ),
        output: read_as(
            "content",
            open([("content", word()), ("matches", number()), ("warnings", array(word()))], &["content"]),
        ),
        work: Some(|context, arguments| Box::pin(grep(context, arguments))),
    }
}

async fn grep(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let word = |name: &str| arguments.get(name).and_then(Value::as_str);
    let number = |name: &str| {
        arguments.get(name).and_then(Value::as_u64).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    };
    let at = at(&context, word("path")).await?;
    let ask = GrepAsk {
        namespace: None,
        pattern: word("pattern").unwrap_or_default().to_owned(),
        path: at.path.clone(),
        ignore_case: arguments.get("ignore_case").and_then(Value::as_bool).unwrap_or_default(),
        max_matches: number("max_matches"),
        context: number("context").unwrap_or_default(),
    };
    let found = context.engine.documents.tree_grep(&context.caller, &at.tree, &ask).await?;
    let lines: Vec<String> = found
        .lines
        .iter()
        .map(|line| format!("{}:{}: {}", at.shown(&line.path), line.line, line.text))
        .collect();
    let mut warnings = Vec::new();
    if found.more {
        warnings.push("there are more matches: raise max_matches, or give a path");
    }
    if found.timed_out {
        warnings.push("not everything was looked at: name a path, or give a simpler pattern");
    }
    let content = if lines.is_empty() { "No line matches.".to_owned() } else { lines.join("\n") };
    let mut answer = Map::from_iter([
        ("content".to_owned(), Value::from(content)),
        ("matches".to_owned(), Value::from(found.matches)),
    ]);
    if !warnings.is_empty() {
        answer.insert("warnings".to_owned(), json!(warnings));
    }
    Ok(Value::Object(answer))
}
