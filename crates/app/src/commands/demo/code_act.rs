//! The second act of the demo: a fact cites code, the code moves and changes, and Loci notices both
//! before it serves the fact.

use std::path::Path;

use anyhow::{Context, Result};
use loci_api::tool::ToolArguments;
use loci_api::verified::repository::RepositoryAdd;
use loci_client::Client;
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::sample::repository;
use crate::commands::verified::fact::given;
use crate::session::Session;

/// The verdict in the demo for a fact that an agent receives.
pub(super) const SERVED: &str = "served";
const REPO: &str = "acme/shop";
const FACT: &str = "A cart holds at most MAX_ITEMS = 50 items.";
/// The file that the demo's fact cites.
const CITED: &str = "src/limits.rs";
const CITED_LINE: u32 = 4;
/// The file to which the demo moves the cited code.
const MOVED: &str = "src/config.rs";

/// The second part of the demo: a fact that cites code.
#[derive(Debug, Serialize)]
pub(super) struct CodeAct {
    pub(super) fact: &'static str,
    /// The location that the fact cites.
    pub(super) cites: String,
    pub(super) steps: Vec<CodeStep>,
}

/// A change of the code, and the fact as it is served after it.
#[derive(Debug, Serialize)]
pub(super) struct CodeStep {
    pub(super) change: &'static str,
    /// `served` or `withheld`.
    pub(super) verdict: String,
    /// The result of checking the fact, in words.
    pub(super) label: String,
}

/// Plays the act in a folder that is new.
///
/// # Errors
/// If git is missing, and errors of the session.
pub(super) async fn play(session: &Session, folder: &Path) -> Result<CodeAct> {
    repository::write(folder)?;
    let folder = folder.canonicalize().context("the folder of the sample repository")?;
    let client = session.client.clone().with_directory(&folder)?;
    let directory = folder.to_str().context("a folder whose name is UTF-8")?.to_owned();
    client.repository_add(&RepositoryAdd { directory: Some(directory), ..RepositoryAdd::default() }).await?;
    let citation = json!({"path": CITED, "line_start": CITED_LINE, "line_end": CITED_LINE});
    let stored = json!({"repo": REPO, "subject": "cart limit", "fact": FACT, "citations": [citation]});
    call(&client, "memory_store", stored).await?;

    let mut steps = vec![step(&client, "the code is unchanged").await?];
    std::fs::rename(folder.join(CITED), folder.join(MOVED)).context("moving the cited file")?;
    repository::commit(&folder, "Rename limits to config", "2026-01-19T09:00:00Z")?;
    steps.push(step(&client, "a commit renames the file").await?);
    let text = std::fs::read_to_string(folder.join(MOVED)).context("reading the cited file")?;
    std::fs::write(folder.join(MOVED), text.replace("50", "80")).context("changing the cited file")?;
    steps.push(step(&client, "somebody changes 50 to 80").await?);
    Ok(CodeAct { fact: FACT, cites: format!("{CITED}:{CITED_LINE}"), steps })
}

/// Asks for the facts of the repository, as an agent does at the start of a session.
async fn step(client: &Client, change: &'static str) -> Result<CodeStep> {
    let answer = call(client, "memory_get_recent", json!({"repo": REPO, "ref": "WORKTREE"})).await?;
    let text = |pointer: &str| answer.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if let Some(label) = text("/memories/0/label") {
        return Ok(CodeStep { change, verdict: SERVED.to_owned(), label });
    }
    let reasons = answer.pointer("/withheld/0/why").and_then(Value::as_array);
    let reasons = reasons.with_context(|| format!("the fact is neither served nor withheld: {answer}"))?;
    let reasons: Vec<&str> = reasons.iter().filter_map(Value::as_str).collect();
    Ok(CodeStep { change, verdict: "withheld".to_owned(), label: reasons.join("; ") })
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Result<Value> {
    Ok(client.tool(tool, &ToolArguments(given(arguments))).await?.0)
}
