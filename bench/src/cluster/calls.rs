//! One call of a client: sent to one server after another, under the same token, until one returns
//! a final response.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::Value;

use super::servers::Servers;
use super::totals::Shared;
use crate::seeded_random::Seeded;

/// The time after which an attempt without a response goes to another server.
const ANSWER_MAX: Duration = Duration::from_secs(45);
/// The time after which a call without a response is a failure of the cluster.
const PATIENCE: Duration = Duration::from_secs(120);
/// The maximum pause between attempts, in milliseconds.
const PAUSE_MS_MAX: u64 = 60;
/// The inverse of the share of in-doubt writes that are given up. Their result remains unknown.
const GIVES_UP: u64 = 8;
/// Part of the store's message about a commit whose response was lost.
const DOUBT: &str = "may or may not be there";
/// The message of a broken invariant. No kill explains it.
const BUG: &str = "An internal error occurred";

/// A request of the wire.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

impl Request {
    pub(super) fn post(path: String, body: Value) -> Self {
        Self { method: "POST", path, body: Some(body) }
    }

    pub(super) fn get(path: String) -> Self {
        Self { method: "GET", path, body: None }
    }
}

/// The final response of a server.
#[derive(Debug)]
pub(super) struct Answer {
    /// The number of the server.
    pub(super) server: usize,
    pub(super) status: u16,
    pub(super) body: Value,
    /// True if an earlier attempt may have taken effect.
    pub(super) after_doubt: bool,
}

/// The end of an attempt without a final response.
struct Failure {
    what: String,
    in_doubt: bool,
}

/// The sender of a client's calls.
pub(super) struct Caller {
    pub(super) servers: Arc<Servers>,
    pub(super) totals: Shared,
    pub(super) random: Seeded,
}

impl Caller {
    /// Sends a write. Returns `None` if it was given up while its result was unknown.
    pub(super) async fn write(&mut self, request: &Request) -> Result<Option<Answer>> {
        let began = Instant::now();
        let (mut after_doubt, mut last) = (false, None);
        loop {
            let Some((server, wire)) = self.servers.any(&mut self.random, last) else {
                self.pause(began, request).await?;
                continue;
            };
            let sent = Instant::now();
            match attempt(&wire, request).await? {
                Ok((status, body)) => {
                    self.totals.acknowledged(server, sent);
                    return Ok(Some(Answer { server, status, body, after_doubt }));
                }
                Err(failure) => {
                    after_doubt |= failure.in_doubt;
                    let gives_up = failure.in_doubt && self.random.below(GIVES_UP) == 0;
                    self.totals.with(|counts| {
                        *counts.failures.entry(failure.what).or_default() += 1;
                        counts.in_doubt += u64::from(failure.in_doubt);
                        counts.given_up += u64::from(gives_up);
                        counts.retried += u64::from(!gives_up);
                    });
                    if gives_up {
                        return Ok(None);
                    }
                }
            }
            last = Some(server);
            self.pause(began, request).await?;
        }
    }

    /// Sends a read, to another server than `than` if one runs.
    pub(super) async fn read(&mut self, than: Option<usize>, request: &Request) -> Result<Answer> {
        let began = Instant::now();
        loop {
            if let Some((server, wire)) = self.servers.any(&mut self.random, than) {
                match attempt(&wire, request).await? {
                    Ok((status, body)) => {
                        let elsewhere = than.is_some_and(|than| than != server);
                        self.totals.with(|counts| counts.read_elsewhere += u64::from(elsewhere));
                        return Ok(Answer { server, status, body, after_doubt: false });
                    }
                    Err(failure) => self.totals.with(|counts| {
                        *counts.failures.entry(failure.what).or_default() += 1;
                        counts.reads_retried += 1;
                    }),
                }
            }
            self.pause(began, request).await?;
        }
    }

    async fn pause(&mut self, began: Instant, request: &Request) -> Result<()> {
        if began.elapsed() > PATIENCE {
            bail!("no server answered {} {} in {} s", request.method, request.path, PATIENCE.as_secs());
        }
        tokio::time::sleep(Duration::from_millis(5 + self.random.below(PAUSE_MS_MAX))).await;
        Ok(())
    }
}

/// Makes one attempt. The outer error is one that no kill explains.
async fn attempt(
    wire: &crate::wire::Wire,
    request: &Request,
) -> Result<std::result::Result<(u16, Value), Failure>> {
    let sent = wire.send(request.method, &request.path, request.body.as_ref());
    let Ok(answer) = tokio::time::timeout(ANSWER_MAX, sent).await else {
        return Ok(Err(Failure { what: "no answer in time".to_owned(), in_doubt: true }));
    };
    match answer {
        Ok((status, body)) if status >= 500 || status == 429 => {
            let said = body.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
            if said == BUG {
                bail!("{} {}: {status} {body}", request.method, request.path);
            }
            let in_doubt = said.contains(DOUBT);
            Ok(Err(Failure { what: format!("{status} {said}"), in_doubt }))
        }
        Ok(answer) => Ok(Ok(answer)),
        Err(error) => {
            let is_connect = error.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_connect);
            let what = if is_connect { "no connection" } else { "the connection broke" };
            Ok(Err(Failure { what: what.to_owned(), in_doubt: !is_connect }))
        }
    }
}
