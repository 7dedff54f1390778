//! The AgentCore wire as a measuring client sends it: plain JSON over HTTP, any credentials.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// A client of one server.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    http: reqwest::Client,
    url: String,
}

/// A memory to be made.
pub(crate) struct MemoryShape<'a> {
    pub(crate) name: &'a str,
    /// Name and namespace template of a semantic strategy.
    pub(crate) semantic: Option<(&'a str, &'a str)>,
}

impl Wire {
    pub(crate) fn new(url: &str) -> Self {
        Self { http: reqwest::Client::new(), url: url.to_owned() }
    }

    /// Where it sends.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends; any status is an answer, no answer is an error.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value)> {
        let method = reqwest::Method::from_bytes(method.as_bytes())?;
        let mut request = self.http.request(method, format!("{}{path}", self.url));
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await?;
        let value = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes)? };
        Ok((status, value))
    }

    /// Sends; a status other than 2xx is an error.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let (status, value) = self.send(method, path, body).await?;
        if (200..300).contains(&status) { Ok(value) } else { bail!("{method} {path}: {status} {value}") }
    }

    /// Makes a memory; its id.
    pub(crate) async fn create_memory(&self, shape: &MemoryShape<'_>) -> Result<String> {
        let strategies: Vec<Value> = shape
            .semantic
            .iter()
            .map(|(name, template)| {
                json!({"semanticMemoryStrategy": {"name": name, "namespaceTemplates": [template]}})
            })
            .collect();
        let body = json!({"name": shape.name, "eventExpiryDuration": 90, "memoryStrategies": strategies});
        let made = self.ask("POST", "/memories/create", Some(&body)).await?;
        text_at(&made, "/memory/id")
    }

    /// Waits until nothing is pending; the answer of `extraction:wait`.
    pub(crate) async fn wait(&self, memory: &str, timeout_ms: u64) -> Result<Value> {
        let path = format!("/v1/memories/{memory}/extraction:wait");
        self.ask("POST", &path, Some(&json!({"timeout_ms": timeout_ms}))).await
    }
}

/// The text at a JSON pointer.
pub(crate) fn text_at(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.map(ToOwned::to_owned).with_context(|| format!("no text at {pointer} in {value}"))
}

/// A CreateEvent body of one user turn.
pub(crate) fn user_turn(actor: &str, session: &str, seconds: f64, token: &str, text: &str) -> Value {
    json!({
        "actorId": actor, "sessionId": session, "eventTimestamp": seconds, "clientToken": token,
        "payload": [{"conversational": {"role": "USER", "content": {"text": text}}}]
    })
}
