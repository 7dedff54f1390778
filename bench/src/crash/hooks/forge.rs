//! The forge: answers requests about the repository in its current state, as GitHub's documentation
//! specifies, with pages and tags. Below `/wild` it sometimes fails, as the seed determines; below
//! `/calm` it never fails. It sends no webhook: `delivery_sender` does that.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;

use super::forge_state::{PEOPLE, World};
use super::shapes;
use crate::seeded_random::Seeded;

/// The token of requests to the forge.
pub(super) const TOKEN: &str = "forge-token";
/// Items of a page, independent of the requested size, so that few items fill several pages.
const PAGE: usize = 6;
/// The maximum delay of a response in milliseconds, the interval of late responses, and their
/// maximum delay.
const ANSWER_MS_MAX: u64 = 8;
const LATE_EVERY: u64 = 12;
const LATE_MS_MAX: u64 = 150;
/// Exhausted rate limits in one round.
const LIMITS: u32 = 2;

/// The world, shared by the story, the forge's endpoints and the checks.
#[derive(Clone)]
pub(super) struct SharedWorld(Arc<Mutex<World>>);

impl SharedWorld {
    pub(super) fn new(world: World) -> Self {
        Self(Arc::new(Mutex::new(world)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failures that the forge injects, and their counts.
struct ForgeFaults {
    random: Seeded,
    limits_left: u32,
    is_down_once: bool,
    /// Paths that failed in this round.
    failed: BTreeSet<String>,
    /// Counts of rejections for a limit, of short failures and of longer failures.
    told: [u64; 3],
}

impl ForgeFaults {
    fn pause(&mut self) -> Duration {
        let is_late = self.random.below(LATE_EVERY) == 0;
        Duration::from_millis(self.random.below(if is_late { LATE_MS_MAX } else { ANSWER_MS_MAX }))
    }
}

#[derive(Clone)]
struct Doors {
    world: SharedWorld,
    url: String,
    troubles: Arc<Mutex<ForgeFaults>>,
}

/// A running forge. It stops when this is dropped.
pub(super) struct Forge {
    doors: Doors,
    task: JoinHandle<std::io::Result<()>>,
}

impl Forge {
    pub(super) async fn start(world: SharedWorld, seed: u64) -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.context("a port for the forge")?;
        let url = format!("http://{}", listener.local_addr()?);
        let random = Seeded::new(seed ^ 0xf02e);
        let troubles = ForgeFaults {
            random,
            limits_left: 0,
            is_down_once: false,
            failed: BTreeSet::new(),
            told: [0; 3],
        };
        let doors = Doors { world, url, troubles: Arc::new(Mutex::new(troubles)) };
        let router = Router::new().fallback(answer).with_state(doors.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { doors, task })
    }

    /// Returns the base URL of the API: calm, or with injected failures.
    pub(super) fn api(&self, is_calm: bool) -> String {
        format!("{}/{}", self.doors.url, if is_calm { "calm" } else { "wild" })
    }

    /// Starts a round of failures. If `is_down_once` is true, one failure lasts longer than a
    /// retry.
    pub(super) fn trouble(&self, is_down_once: bool) {
        let mut troubles = self.doors.troubles();
        (troubles.limits_left, troubles.is_down_once) = (LIMITS, is_down_once);
        troubles.failed.clear();
    }

    /// Returns the counts of rejections for a limit, of short failures and of longer failures.
    pub(super) fn told(&self) -> [u64; 3] {
        self.doors.troubles().told
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Doors {
    fn troubles(&self) -> MutexGuard<'_, ForgeFaults> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(State(doors): State<Doors>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let (mode, path) = uri.path().trim_start_matches('/').split_once('/').unwrap_or_default();
    let bearer = headers.get("authorization").and_then(|value| value.to_str().ok());
    if bearer != Some(&format!("Bearer {TOKEN}")) {
        return told(401, &[], &json!({"message": "Bad credentials"}));
    }
    if mode == "wild" {
        let pause = doors.troubles().pause();
        tokio::time::sleep(pause).await;
        if let Some(trouble) = trouble(&mut doors.troubles(), path) {
            return trouble;
        }
    }
    let known = headers.get("if-none-match").and_then(|value| value.to_str().ok());
    let found = found(&doors.world.lock(), path, &body);
    match found {
        None => told(404, &[], &json!({"message": "Not Found"})),
        Some(ForgeData::One(value)) => tagged(&value, &[], known),
        Some(ForgeData::List(all)) => {
            let of_query = |name: &str| {
                let query = uri.query().unwrap_or_default();
                let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.filter(|(key, _)| *key == name).find_map(|(_, value)| value.parse::<usize>().ok())
            };
            let page = of_query("page").unwrap_or(1).max(1);
            let here: Vec<&Value> = all.iter().skip((page - 1) * PAGE).take(PAGE).collect();
            let next = format!("<{}/{mode}/{path}?per_page=100&page={}>; rel=\"next\"", doors.url, page + 1);
            let link = (all.len() > page * PAGE).then_some(("link", next.as_str()));
            tagged(&json!(here), link.as_slice(), known)
        }
    }
}

/// Returns the failure to inject now, if any.
fn trouble(troubles: &mut ForgeFaults, path: &str) -> Option<Response> {
    let chance = troubles.random.below(100);
    if chance < 2 && troubles.limits_left > 0 {
        troubles.limits_left -= 1;
        troubles.told[0] += 1;
        let message = json!({"message": "API rate limit exceeded"});
        return Some(match troubles.random.below(2) {
            0 => told(429, &[("retry-after", "1"), ("x-ratelimit-remaining", "0")], &message),
            // The reset is in the past, so the server waits a second at least.
            _ => told(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1795000000")], &message),
        });
    }
    // These paths never fail for longer: without a response the server guesses permissions, and it
    // does not request threads again.
    let may_stay_down = !path.ends_with("/permission") && path != "graphql";
    if troubles.is_down_once && chance < 12 && may_stay_down {
        troubles.is_down_once = false;
        troubles.told[2] += 1;
        return Some(told(502, &[("retry-after", "1")], &json!({"message": "Server Error"})));
    }
    if chance < 6 && path != "graphql" && troubles.failed.insert(path.to_owned()) {
        troubles.told[1] += 1;
        return Some(told(500, &[], &json!({"message": "Server Error"})));
    }
    None
}

enum ForgeData {
    One(Value),
    List(Vec<Value>),
}

/// Returns the data at a path.
fn found(world: &World, path: &str, body: &[u8]) -> Option<ForgeData> {
    let parts: Vec<&str> = path.split('/').collect();
    let pull = |number: &str| number.parse().ok().and_then(|number: u64| world.pulls.get(&number));
    Some(match parts.as_slice() {
        ["graphql"] => {
            let asked: Value = serde_json::from_slice(body).ok()?;
            ForgeData::One(shapes::threads(world, asked.pointer("/variables/pr")?.as_u64()?))
        }
        ["repos", "acme", "shop", "collaborators", login, "permission"] => {
            let person = PEOPLE.iter().find(|person| person.login == *login)?;
            let plain = match person.role {
                "maintain" => "write",
                "triage" => "read",
                other => other,
            };
            ForgeData::One(
                json!({"permission": plain, "role_name": person.role, "user": shapes::user(*person)}),
            )
        }
        ["repos", "acme", "shop", "pulls", number] => ForgeData::One(shapes::pull(world, pull(number)?)),
        ["repos", "acme", "shop", "pulls", number, "commits"] => {
            ForgeData::List(shapes::commits(pull(number)?))
        }
        ["repos", "acme", "shop", "pulls", number, "reviews"] => {
            let pr = pull(number)?.number;
            ForgeData::List(
                world.reviews.values().filter(|review| review.pr == pr).map(shapes::review).collect(),
            )
        }
        ["repos", "acme", "shop", "pulls", _, "reviews", id] => {
            ForgeData::One(shapes::review(world.reviews.get(&id.parse().ok()?)?))
        }
        ["repos", "acme", "shop", "pulls", number, "comments"] => {
            let pr = pull(number)?.number;
            ForgeData::List(
                world.comments.values().filter(|comment| comment.pr == pr).map(shapes::comment).collect(),
            )
        }
        _ => return None,
    })
}

/// Returns the body with its tag, or status 304 if the client knows the tag.
fn tagged(body: &Value, headers: &[(&str, &str)], known: Option<&str>) -> Response {
    let tag = format!("\"{}\"", hex::encode(Sha256::digest(format!("{headers:?}{body}"))));
    if known == Some(tag.as_str()) {
        return told(304, headers, &Value::Null);
    }
    let all: Vec<_> = headers.iter().copied().chain([("etag", tag.as_str())]).collect();
    told(200, &all, body)
}

fn told(status: u16, headers: &[(&str, &str)], body: &Value) -> Response {
    let body = if status == 304 { String::new() } else { body.to_string() };
    let mut response =
        axum::http::Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response
        .body(axum::body::Body::from(body))
        .unwrap_or_else(|_| axum::http::StatusCode::IM_A_TEAPOT.into_response())
}
