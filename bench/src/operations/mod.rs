//! Measurements of operations memory over the native API: the recall of searches, and the latency
//! of the hooks of an investigation.

mod cases;
mod facts;
pub(crate) mod hooks;
pub(crate) mod recall;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::wire::{Wire, text_at};

/// Facts of one request.
const BATCH: usize = 100;

/// A memory of operations agents.
struct Memory {
    wire: Wire,
    id: String,
}

impl Memory {
    async fn new(url: &str) -> Result<Self> {
        let wire = Wire::new(url);
        let made = wire.ask("PUT", "/v1/memories/sre_agent_memory", Some(&json!({"profile": "sre"}))).await?;
        let id = text_at(&made, "/memory_id")?;
        Ok(Self { wire, id })
    }

    /// Saves at most [`BATCH`] facts as an agent, and fails if one was rejected.
    async fn learn(&self, agent: &str, facts: &[Value]) -> Result<()> {
        self.save(&json!({
            "memory_type": "infrastructure", "actor_id": agent, "session_id": "bench", "data": facts,
        }))
        .await
    }

    /// Saves one request.
    async fn save(&self, body: &Value) -> Result<()> {
        let saved = self.wire.ask("POST", &format!("/v1/memories/{}/save", self.id), Some(body)).await?;
        ensure!(saved["saved"] == json!(true), "not saved: {saved}");
        Ok(())
    }
}
