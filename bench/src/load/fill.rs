//! Fills one memory with many records, and waits until they have their vectors.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::texts;
use crate::wire::{MemoryShape, Wire};

/// Records of one request.
const BATCH: u64 = 100;
const TEXT_BYTES: usize = 300;
const WAIT_MS: u64 = 300_000;

/// Makes a memory and `count` records of about 300 bytes in it; its id.
pub(super) async fn records(wire: &Wire, count: u64) -> Result<String> {
    let memory = wire.create_memory(&MemoryShape { name: "filled", semantic: None }).await?;
    let path = format!("/memories/{memory}/memoryRecords/batchCreate");
    let mut number = 0;
    while number < count {
        let records: Vec<Value> = (number..count.min(number + BATCH))
            .map(|item| {
                json!({"requestIdentifier": format!("r{item}"), "namespaces": [format!("/facts/a{}/", item % 20)],
                       "content": {"text": texts::talk(item, TEXT_BYTES)},
                       "timestamp": 1_790_000_000 + item})
            })
            .collect();
        number += BATCH;
        let made = wire.ask("POST", &path, Some(&json!({"records": records}))).await?;
        let failed = made.pointer("/failedRecords").and_then(Value::as_array).map_or(0, Vec::len);
        ensure!(failed == 0, "{failed} records were refused: {made}");
    }
    Ok(memory)
}

/// Waits until every record has its vector.
pub(super) async fn vectors(wire: &Wire, memory: &str) -> Result<()> {
    loop {
        let waited = wire.wait(memory, WAIT_MS).await?;
        ensure!(waited.pointer("/failed") == Some(&json!(0)), "embedding failed: {waited}");
        if waited.pointer("/complete") == Some(&Value::Bool(true)) {
            return Ok(());
        }
    }
}
