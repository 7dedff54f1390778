//! Fills one memory with many records, waits for their vectors, and searches it.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::server::Server;
use crate::texts;
use crate::wire::{MemoryShape, Wire};

/// Records of one request.
const BATCH: u64 = 100;
const TEXT_BYTES: usize = 300;

/// Creates a memory with `count` records of about 300 bytes. Returns its id.
pub(super) async fn records(wire: &Wire, count: u64) -> Result<String> {
    let memory = wire.create_memory(&MemoryShape { name: "filled", semantic: None }).await?;
    into(wire, &memory, None, count).await?;
    Ok(memory)
}

/// Writes `count` records of about 300 bytes into a memory, under one of its strategies or none.
pub(super) async fn into(wire: &Wire, memory: &str, strategy: Option<&str>, count: u64) -> Result<()> {
    let mut number = 0;
    while number < count {
        let records: Vec<Value> = (number..count.min(number + BATCH))
            .map(|item| {
                let mut record = json!({"requestIdentifier": format!("r{item}"),
                       "namespaces": [format!("/facts/a{}/", item % 20)],
                       "content": {"text": texts::talk(item, TEXT_BYTES)},
                       "timestamp": 1_790_000_000 + item});
                if let (Some(strategy), Some(members)) = (strategy, record.as_object_mut()) {
                    members.insert("memoryStrategyId".to_owned(), json!(strategy));
                }
                record
            })
            .collect();
        number += BATCH;
        wire.batch_create(memory, &records).await?;
    }
    Ok(())
}

/// Starts a server on a folder with `count` records, all with their vectors. Returns the server,
/// its client and the memory.
pub(super) async fn server(binary: &Path, folder: &Path, count: u64) -> Result<(Server, Wire, String)> {
    let server = Server::start(binary, folder)?;
    let wire = Wire::new(&server.url);
    let memory = records(&wire, count).await?;
    wire.settle(&memory).await?;
    Ok((server, wire, memory))
}

/// Sends a search whose text depends on `number`.
pub(super) async fn ask(wire: &Wire, memory: &str, number: u64) -> Result<()> {
    let body = json!({"namespacePath": "/", "searchCriteria": {"searchQuery": texts::question(number)}});
    wire.ask("POST", &format!("/memories/{memory}/retrieve"), Some(&body)).await.map(drop)
}
