//! Sends deliveries: signed, by several senders at once, some late or twice, and again if there was
//! no response. Like a forge, it knows only their numbers and the responses.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::forge::SharedWorld;
use super::ledger::Shared;
use super::story::{Delivery, Kind, Story};
use crate::seeded_random::Seeded;

/// The secret of the webhook, from GitHub's published test vector.
pub(super) const SECRET: &str = "It's a Secret to Everybody";
/// The size of a block of SHA-256, in bytes.
const BLOCK: usize = 64;
/// The maximum number of events in one round.
const HAPPEN_MAX: u32 = 60;
/// The maximum delay of a late delivery, in milliseconds.
const LATE_MS_MAX: u64 = 60;

/// Sends webhooks to one server.
#[derive(Clone)]
pub(super) struct Sender {
    client: reqwest::Client,
    url: String,
}

impl Sender {
    pub(super) fn new(url: &str) -> Self {
        Self { client: reqwest::Client::new(), url: format!("{url}/v1/hooks/github") }
    }

    /// Sends a delivery and checks the response, if any.
    pub(super) async fn send(&self, delivery: &Delivery) -> Result<Answer> {
        let secret = if delivery.kind == Kind::Forged { "another" } else { SECRET };
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/json")
            .header("user-agent", "GitHub-Hookshot/1")
            .header("x-github-event", delivery.event)
            .header("x-github-delivery", &delivery.guid)
            .header("x-hub-signature-256", signature(secret, &delivery.body))
            .body(delivery.body.clone());
        let Ok(response) = request.send().await else { return Ok(Answer::None) };
        let status = response.status().as_u16();
        let Ok(bytes) = response.bytes().await else { return Ok(Answer::None) };
        if status >= 500 {
            return Ok(Answer::Failed(format!("{status} {}", String::from_utf8_lossy(&bytes))));
        }
        let body: Value = serde_json::from_slice(&bytes).context("an answer that is no JSON")?;
        let state = body.get("state").and_then(Value::as_str).unwrap_or_default();
        let reason = body.get("reason").and_then(Value::as_str).unwrap_or_default();
        Ok(match (status, state, delivery.kind, reason) {
            (202, "duplicate", Kind::News | Kind::Useless | Kind::Elsewhere, _) => Answer::Known,
            (202, "queued", Kind::News, _)
            | (202, "ignored", Kind::Useless, "event")
            | (202, "ignored", Kind::Elsewhere, "unknown_repo")
            | (401, _, Kind::Forged, _) => Answer::Taken,
            _ => bail!("{} {:?}: {status} {body}", delivery.guid, delivery.kind),
        })
    }
}

/// The response to a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    None,
    /// The server reports a failure.
    Failed(String),
    Taken,
    /// The server knows the delivery already.
    Known,
}

/// The load of one round.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) sender: Sender,
    pub(super) ledger: Shared,
    pub(super) world: SharedWorld,
    pub(super) story: Arc<Mutex<Story>>,
    pub(super) happened: Arc<std::sync::atomic::AtomicU32>,
    /// True once a kill begins: from then on responses may be missing.
    pub(super) is_disturbed: Arc<AtomicBool>,
}

/// Starts the clients. Each ends at its first delivery without a response.
pub(super) fn start(load: &Load, clients: u32, seed: u64) -> JoinSet<()> {
    let mut all = JoinSet::new();
    for number in 0..clients {
        let random = Seeded::new(seed ^ (u64::from(number) << 8) ^ 0x5e4d);
        let mut client = Client { load: load.clone(), random };
        all.spawn(async move { while client.step().await.is_some() {} });
    }
    all
}

struct Client {
    load: Load,
    random: Seeded,
}

impl Client {
    /// Makes one event happen and sends its deliveries. Returns `None` if a response is missing.
    async fn step(&mut self) -> Option<()> {
        let mut told = self.happens().await;
        if told.is_empty() {
            tokio::time::sleep(Duration::from_millis(1 + self.random.below(5))).await;
        }
        while !told.is_empty() {
            let next = usize::try_from(self.random.below(told.len() as u64)).ok()?;
            let delivery = told.swap_remove(next);
            if self.random.below(3) == 0 {
                tokio::time::sleep(Duration::from_millis(self.random.below(LATE_MS_MAX))).await;
            }
            self.send(&delivery).await?;
            if self.random.below(6) == 0 {
                self.send(&delivery).await?;
            }
        }
        if self.random.below(8) == 0 {
            let old = self.old();
            if let Some(old) = old {
                self.send(&old).await?;
            }
        }
        Some(())
    }

    async fn happens(&mut self) -> Vec<Delivery> {
        if self.load.happened.load(Ordering::SeqCst) >= HAPPEN_MAX {
            return Vec::new();
        }
        let mut story = self.load.story.lock().await;
        let told = story.next(&mut self.load.world.lock());
        let mut ledger = self.load.ledger.lock();
        self.load.happened.fetch_add(u32::from(!told.is_empty()), Ordering::SeqCst);
        told.iter().for_each(|delivery| ledger.add(delivery.clone()));
        told
    }

    /// Returns a delivery that was answered before.
    fn old(&mut self) -> Option<Delivery> {
        let ledger = self.load.ledger.lock();
        let answered: Vec<&Delivery> =
            ledger.all.values().filter(|sent| sent.is_answered).map(|sent| &sent.delivery).collect();
        self.random.pick(&answered).map(|delivery| (*delivery).clone())
    }

    async fn send(&mut self, delivery: &Delivery) -> Option<()> {
        let answer = self.load.sender.send(delivery).await;
        let is_disturbed = self.load.is_disturbed.load(Ordering::SeqCst);
        settle(&self.load.ledger, delivery, answer, is_disturbed)
    }
}

/// Records a response. Returns `None` if there was none.
pub(super) fn settle(
    ledger: &Shared,
    delivery: &Delivery,
    answer: Result<Answer>,
    is_disturbed: bool,
) -> Option<()> {
    let mut ledger = ledger.lock();
    ledger.posts += 1;
    let is_known = matches!(answer, Ok(Answer::Known));
    match answer {
        Ok(Answer::Taken | Answer::Known) => {
            ledger.answered += 1;
            ledger.duplicates += u64::from(is_known);
            if let Some(sent) = ledger.all.get_mut(&delivery.guid) {
                sent.is_answered = true;
            }
            Some(())
        }
        Ok(Answer::None | Answer::Failed(_)) if is_disturbed => None,
        Ok(other) => {
            ledger.failures.push(format!("{} without a kill: {other:?}", delivery.guid));
            None
        }
        Err(error) => {
            ledger.failures.push(format!("{error:#}"));
            None
        }
    }
}

/// Returns the HMAC-SHA256 by its definition (RFC 2104), so that the tested code does not test
/// itself.
fn signature(secret: &str, body: &str) -> String {
    let mut key = [0_u8; BLOCK];
    key.iter_mut().zip(secret.bytes()).for_each(|(place, byte)| *place = byte);
    let inner = Sha256::new().chain_update(key.map(|byte| byte ^ 0x36)).chain_update(body).finalize();
    let outer = Sha256::new().chain_update(key.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize();
    format!("sha256={}", hex::encode(outer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_the_published_vector() {
        let expect = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(signature(SECRET, "Hello, World!"), expect);
    }
}
