//! The AgentCore wire as a measuring client uses it: plain JSON over HTTP, with any credentials.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tower::ServiceExt;

/// The length of one round of waiting, in milliseconds.
const SETTLE_MS: u64 = 120_000;
/// The number of rounds without progress after which the wait fails.
const ROUNDS_MAX: u32 = 15;

/// A client of one server, over HTTP or within the process.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    transport: Transport,
}

#[derive(Debug, Clone)]
enum Transport {
    Http { client: reqwest::Client, url: String },
    Process(Box<axum::Router>),
}

/// The settings of a memory to create.
pub(crate) struct MemoryShape<'a> {
    pub(crate) name: &'a str,
    /// The name and namespace template of a semantic strategy.
    pub(crate) semantic: Option<(&'a str, &'a str)>,
}

impl Wire {
    pub(crate) fn new(url: &str) -> Self {
        Self { transport: Transport::Http { client: reqwest::Client::new(), url: url.to_owned() } }
    }

    /// Creates a client of the server in this process.
    pub(crate) fn in_process(router: axum::Router) -> Self {
        Self { transport: Transport::Process(Box::new(router)) }
    }

    /// Sends a request and returns the response with any status. It fails if there is no response.
    pub(crate) async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<(u16, Value)> {
        let (status, bytes) = match &self.transport {
            Transport::Http { client, url } => {
                let method = reqwest::Method::from_bytes(method.as_bytes())?;
                let mut request = client.request(method, format!("{url}{path}"));
                if let Some(body) = body {
                    request = request.json(body);
                }
                let response = request.send().await?;
                (response.status().as_u16(), response.bytes().await?)
            }
            Transport::Process(router) => within_process(router, method, path, body).await?,
        };
        let value = if bytes.is_empty() { Value::Null } else { serde_json::from_slice(&bytes)? };
        Ok((status, value))
    }

    /// Sends a request. It fails for a status other than 2xx.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value> {
        let (status, value) = self.send(method, path, body).await?;
        if (200..300).contains(&status) { Ok(value) } else { bail!("{method} {path}: {status} {value}") }
    }

    /// Creates a memory. Returns its id.
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

    /// Creates records, and fails if one of them fails. Returns their ids, in the order sent.
    pub(crate) async fn batch_create(&self, memory: &str, records: &[Value]) -> Result<Vec<String>> {
        let path = format!("/memories/{memory}/memoryRecords/batchCreate");
        let made = self.ask("POST", &path, Some(&json!({"records": records}))).await?;
        let done = made.get("successfulRecords").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        ensure!(done.len() == records.len(), "records were refused: {made}");
        done.iter().map(|item| text_at(item, "/memoryRecordId")).collect()
    }

    /// Returns all items of a list, page by page.
    pub(crate) async fn pages(&self, path: &str, body: &Value, items: &str) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        let mut next = Value::Null;
        loop {
            let mut body = body.clone();
            if let Some(members) = body.as_object_mut() {
                members.insert("maxResults".to_owned(), json!(100));
                members.insert("nextToken".to_owned(), next);
            }
            let page = self.ask("POST", path, Some(&body)).await?;
            all.extend(page.get(items).and_then(Value::as_array).cloned().unwrap_or_default());
            match page.get("nextToken") {
                Some(token) => next = token.clone(),
                None => return Ok(all),
            }
        }
    }

    /// Waits until everything written is extracted and embedded. Errors if something failed, or if
    /// as much is pending after half an hour: one job embeds a whole memory, and counts as one
    /// until then.
    pub(crate) async fn settle(&self, memory: &str) -> Result<()> {
        let (mut before, mut rounds) = (u64::MAX, 0);
        loop {
            let waited = self.wait(memory, SETTLE_MS).await?;
            ensure!(waited.pointer("/failed") == Some(&json!(0)), "extraction failed: {waited}");
            if waited.pointer("/complete") == Some(&json!(true)) {
                return Ok(());
            }
            let pending = waited
                .pointer("/pending")
                .and_then(Value::as_u64)
                .context("nothing said of what is pending")?;
            rounds = if pending < before { 0 } else { rounds + 1 };
            ensure!(rounds < ROUNDS_MAX, "extraction does not end: {waited}");
            before = pending;
        }
    }

    /// Waits until nothing is pending. Returns the response of `extraction:wait`.
    pub(crate) async fn wait(&self, memory: &str, timeout_ms: u64) -> Result<Value> {
        let path = format!("/v1/memories/{memory}/extraction:wait");
        self.ask("POST", &path, Some(&json!({"timeout_ms": timeout_ms}))).await
    }
}

async fn within_process(
    router: &axum::Router,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Result<(u16, bytes::Bytes)> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = axum::http::Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(axum::body::Body::from(body))?;
    let response = router.clone().oneshot(request).await?;
    let status = response.status().as_u16();
    Ok((status, axum::body::to_bytes(response.into_body(), usize::MAX).await?))
}

/// Returns the text at a JSON pointer.
pub(crate) fn text_at(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found.map(ToOwned::to_owned).with_context(|| format!("no text at {pointer} in {value}"))
}

/// Returns a CreateEvent body of one user turn.
pub(crate) fn user_turn(actor: &str, session: &str, seconds: f64, token: &str, text: &str) -> Value {
    json!({
        "actorId": actor, "sessionId": session, "eventTimestamp": seconds, "clientToken": token,
        "payload": [{"conversational": {"role": "USER", "content": {"text": text}}}]
    })
}
