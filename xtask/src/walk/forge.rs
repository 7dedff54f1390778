//! A forge on this machine for the walk. It returns configured responses in the format of GitHub's
//! documentation and sends signed webhooks. It knows no workflow, and it does not know the effect
//! of its data on Loci.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::wire;

/// The secret of the forge's webhook, from GitHub's published test vector.
pub(super) const SECRET: &str = "It's a Secret to Everybody";
/// The size of a block of SHA-256, in bytes.
const BLOCK: usize = 64;

/// The response to a request at a path.
#[derive(Debug, Clone)]
struct Answer {
    status: u16,
    headers: String,
    body: Value,
}

/// The responses by path, in the order in which they are sent.
type Answers = Arc<Mutex<BTreeMap<String, Vec<Answer>>>>;

/// The forge.
pub(super) struct Forge {
    /// The base URL of the forge.
    pub(super) url: String,
    answers: Answers,
}

impl Forge {
    /// Starts a forge without any response.
    pub(super) fn new() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("a port for the forge")?;
        let url = format!("http://{}", listener.local_addr()?);
        let answers = Answers::default();
        let known = Arc::clone(&answers);
        std::thread::spawn(move || {
            // One thread per connection, because a client may open a connection and send nothing.
            for stream in listener.incoming().flatten() {
                let known = Arc::clone(&known);
                // A client that disconnects gets no response. The walk then finds the missing data.
                std::thread::spawn(move || answer(stream, &known).is_ok());
            }
        });
        Ok(Self { url, answers })
    }

    /// Sets the response at a path.
    pub(super) fn put(&self, path: &str, body: Value) {
        let answer = Answer { status: 200, headers: String::new(), body };
        self.locked().insert(path.to_owned(), vec![answer]);
    }

    /// Rejects the next request at a path: its rate limit is exhausted for a second.
    pub(super) fn refuse_once(&self, path: &str) {
        let headers = "retry-after: 1\r\nx-ratelimit-remaining: 0\r\n".to_owned();
        let refused = Answer { status: 429, headers, body: json!({"message": "API rate limit exceeded"}) };
        self.locked().entry(path.to_owned()).or_default().insert(0, refused);
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Vec<Answer>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if a request has arrived with its body.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)
}

fn answer(mut stream: TcpStream, answers: &Answers) -> Result<()> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    while !is_whole(&bytes) {
        let read = stream.read(&mut piece)?;
        if read == 0 {
            return Ok(());
        }
        bytes.extend(piece.iter().take(read));
    }
    let head = String::from_utf8_lossy(&bytes);
    let path = head.split(' ').nth(1).unwrap_or_default();
    let Answer { status, headers, body } = next(answers, path);
    let body = body.to_string();
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    Ok(stream.write_all(text.as_bytes())?)
}

/// Removes and returns the first response at a path. The last response stays.
fn next(answers: &Answers, path: &str) -> Answer {
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = Answer { status: 404, headers: String::new(), body: json!({"message": "Not Found"}) };
    match answers.get_mut(path) {
        Some(queue) if queue.len() > 1 => queue.remove(0),
        Some(queue) => queue.first().cloned().unwrap_or(missing),
        None => missing,
    }
}

/// Sends a webhook to the server at `url` under a delivery's number. Returns the state in the
/// server's response, or the status code if the server rejects the webhook.
pub(super) fn send(url: &str, guid: &str, event: &str, payload: &Value) -> Result<String> {
    let signature = signature(&payload.to_string());
    let headers = format!(
        "User-Agent: GitHub-Hookshot/1\r\nX-Hub-Signature-256: {signature}\r\nX-GitHub-Event: {event}\r\n\
         X-GitHub-Delivery: {guid}\r\n"
    );
    let (status, said) = wire::send(url, ("POST", "/v1/hooks/github"), &headers, Some(payload))?;
    Ok(said["state"].as_str().map_or_else(|| status.to_string(), str::to_owned))
}

/// Returns the HMAC-SHA256 by its definition (RFC 2104), so that the tested code does not test
/// itself.
fn signature(body: &str) -> String {
    let mut key = [0_u8; BLOCK];
    key.iter_mut().zip(SECRET.bytes()).for_each(|(place, byte)| *place = byte);
    let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
    format!("sha256={}", hex::encode(outer))
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn signs_as_the_published_vector() {
        let expect = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(signature("Hello, World!"), expect);
    }
}
