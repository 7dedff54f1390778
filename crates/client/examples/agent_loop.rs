//! A small agent with memory: the injected entries, the results of its tools, and the way of
//! messages into a store of files.
//!
//! The model is a script, and nothing leaves this machine: `cargo run -p loci-client --example
//! agent_loop`. A real agent differs only in the function `answer`.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use loci_client::agent::coordinator::{
    ExtractError, ExtractionConfig, ExtractionTrigger, Extractor, Invocation,
};
use loci_client::agent::stores::{FileStore, FileStoreOptions};
use loci_client::agent::{
    AddToolOptions, Block, MemoryManager, Message, NewEntry, Role, RuntimeContext, Tool,
};
use serde_json::json;

/// Extracts the user's statements about themselves. With a model this is `ModelExtractor`.
struct Statements;

impl Extractor for Statements {
    fn name(&self) -> &str {
        "statements"
    }

    fn extract<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, Result<Vec<NewEntry>, ExtractError>> {
        let said = messages.iter().filter(|message| message.role == Role::User).map(Message::joined_text);
        let facts =
            said.filter(|text| text.starts_with("I ")).map(|text| format!("# About the user\n- {text}"));
        futures::future::ready(Ok(facts.map(NewEntry::text).collect())).boxed()
    }
}

/// The model: it repeats its entries, and stores entries on request.
async fn answer(input: &[Message], tools: &[Tool]) -> Result<String, Box<dyn Error>> {
    let Some(last) = input.last() else { return Ok(String::new()) };
    let texts = last.content.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Other(_) => None,
    });
    let texts: Vec<&str> = texts.collect();
    let question = texts.first().copied().unwrap_or_default();
    if let Some(note) = question.strip_prefix("Remember: ")
        && let Some(tool) = tools.iter().find(|tool| tool.name == "add_memory")
    {
        let result = tool.call(json!({ "entries": [format!("# Notes\n- {note}")] })).await?;
        return Ok(format!("Kept ({}).", result.into_value()));
    }
    Ok(match texts.get(1) {
        Some(memory) => format!("I remember:{memory}"),
        None => "I remember nothing of that.".to_owned(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout();
    let directory = std::env::temp_dir().join("loci-agent-loop");
    let triggers: Vec<Arc<dyn ExtractionTrigger>> = vec![Arc::new(Invocation)];
    let notes = FileStore::new(FileStoreOptions {
        directory: directory.join("memory"),
        description: Some("What the user said of themselves".to_owned()),
        extraction: Some(ExtractionConfig {
            triggers: Some(triggers),
            extractor: Some(Arc::new(Statements)),
            ..ExtractionConfig::default()
        }),
        ..FileStoreOptions::new("notes")
    })?;
    let surroundings = RuntimeContext::system().with_executor(|work| drop(tokio::spawn(work)));
    let manager = MemoryManager::builder(surroundings)
        .store(notes)
        .add_tool(Some(AddToolOptions::default()))
        .spool(directory.join("spool"))
        .build()
        .await?;
    let tools = manager.tools();
    let mut history: Vec<Message> = Vec::new();
    for line in [
        "I live in Seattle",
        "Remember: the boat is called Gull",
        "Where do I live?",
        "What is the boat called?",
    ] {
        let said = Message::user(line);
        manager.message_added(&said)?;
        history.push(said);
        let input = manager.inject(&history, &json!({})).await;
        let reply = Message::assistant(answer(&input.messages, &tools).await?);
        writeln!(out, "> {line}\n{}\n", reply.joined_text())?;
        manager.message_added(&reply)?;
        history.push(reply);
        manager.invocation_ended();
        // An interactive loop continues at once; this one flushes, so that the next turn finds the
        // entries.
        manager.coordinator().flush().await;
    }
    let unsaved = manager.coordinator().close().await;
    writeln!(
        out,
        "{} stores have something unsaved; the notes are in {}",
        unsaved.len(),
        directory.display()
    )?;
    Ok(())
}
