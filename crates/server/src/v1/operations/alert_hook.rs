//! `POST /v1/hooks/{source}/{memory}`: messages of alerting systems. The sender is authenticated
//! before the body is parsed. A rejected message leaves only a count.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use loci_api::hook::{AlertAnswer, HookAnswer};
use loci_api::operation::OperationDescription;
use loci_api::table as api;
use loci_engine::deliveries::HookTaken;
use loci_model::services::alert_notice::{AlertBody, AlertNotice, AlertSource};
use loci_model::{Error, ErrorKind, Result, Timestamp, limits};
use loci_operations::{AlertDelivery, AlertTaken};
use sha2::{Digest, Sha256};

use super::alert_proof::{is_proven, proof_of_head};
use crate::bodies::{Proof, check_declared};
use crate::doors::Doors;
use crate::long_body;
use crate::v1::hooks::{AlertHook, check_names};
use crate::v1::protocol::call;
use crate::v1::protocol::table::{Described, SchemaForm, Table};

/// The endpoints of alerting systems.
const PLACES: [(AlertSource, OperationDescription); 4] = [
    (AlertSource::Alertmanager, api::ALERT_DELIVER_ALERTMANAGER.place),
    (AlertSource::Pagerduty, api::ALERT_DELIVER_PAGERDUTY.place),
    (AlertSource::Opsgenie, api::ALERT_DELIVER_OPSGENIE.place),
    (AlertSource::Generic, api::ALERT_DELIVER_GENERIC.place),
];

pub(super) fn operations(mut table: Table) -> Table {
    for (source, place) in PLACES {
        let answer = SchemaForm::json::<AlertAnswer>();
        let described = Described { place, request: SchemaForm::None, answer };
        table =
            table.stream(described, move |doors, request| async move { take(doors, source, request).await });
    }
    table
}

/// Handles a message of a source for the memory of the path.
async fn take(doors: Doors, source: AlertSource, request: Request) -> Result<Response> {
    let (mut parts, body) = request.into_parts();
    let path = call::path_parameters(&mut parts).await?;
    let memory = path.into_iter().find(|(name, _)| name == "memory").map(|(_, value)| value);
    let memory = memory.ok_or_else(|| Error::bug("a route without its parameter"))?;
    let may_send =
        |hook: &&AlertHook| hook.source == source && hook.memory.as_ref().is_none_or(|only| *only == memory);
    let hooks: Vec<&AlertHook> = doors.hooks.alerts.iter().filter(may_send).collect();
    if hooks.is_empty() {
        let remedy = format!(
            "no hook of {} for this memory is configured: add a [[hook]] with its secrets_env",
            source.as_str()
        );
        return Err(Error::unavailable(remedy));
    }
    check_declared(&body, limits::HOOK_BODY_BYTES_MAX)?;
    let refused = || {
        doors.metrics.hook_refused(source.as_str());
        Error::new(ErrorKind::Unauthenticated, "the signature or secret is not one of this hook's")
    };
    let now = doors.clock.now();
    let of_head =
        |hook: &&AlertHook| proof_of_head(source, (&hook.keys, hook.header.as_deref()), &parts.headers, now);
    let proof = hooks.iter().filter_map(of_head).max_by_key(|proof| *proof == Proof::Complete);
    let read = doors.bodies.read_as(proof.ok_or_else(refused)?, body, limits::HOOK_BODY_BYTES_MAX).await?;
    let sent = HookRequest {
        source,
        hooks: hooks.into_iter().cloned().collect(),
        headers: parts.headers.clone(),
        body: read.bytes,
        now,
    };
    let proven = long_body::run(sent.body.len(), move || sent.proven()).await?;
    let AuthenticatedHook { hook, digest, news } = proven.ok_or_else(refused)?;
    drop(read.unverified);
    call::refuse_query(&parts)?;
    let mut news = match news? {
        AlertBody::Ping => return Ok(answered(StatusCode::OK, digest, "pong", None, Vec::new())),
        AlertBody::News(news) => numbered(&hook, &parts.headers, news)?,
    };
    let mut taken = Vec::with_capacity(news.len());
    loop {
        let rest = news.split_off(news.len().min(limits::ALERT_NEWS_MAX));
        let delivery = AlertDelivery { memory: memory.clone(), source, digest: digest.clone(), news };
        taken.extend(doors.engine.operations.alerts_receive(delivery).await?);
        if rest.is_empty() {
            break;
        }
        news = rest;
    }
    let without_effect = taken.iter().filter(|one| matches!(one.taken, HookTaken::Ignored(_))).count();
    doors.metrics.hook_ignored(source.as_str(), without_effect);
    Ok(shown(digest, &taken))
}

/// A request that any of these hooks may have sent.
struct HookRequest {
    source: AlertSource,
    hooks: Vec<AlertHook>,
    headers: HeaderMap,
    body: Bytes,
    now: Timestamp,
}

/// An authenticated request.
struct AuthenticatedHook {
    /// The hook that sent it.
    hook: AlertHook,
    digest: String,
    news: Result<AlertBody>,
}

impl HookRequest {
    /// Returns the request with the messages that its hook's reader found; `None` if no hook sent
    /// it.
    fn proven(&self) -> Option<AuthenticatedHook> {
        let is_from = |hook: &AlertHook| {
            is_proven(self.source, (&hook.keys, hook.header.as_deref()), &self.headers, &self.body, self.now)
        };
        let hook = self.hooks.iter().find(|hook| is_from(hook))?;
        let digest = hex::encode(Sha256::digest(&self.body));
        let news = check_names(&self.body).and_then(|()| hook.reader.read(&self.body));
        Some(AuthenticatedHook { hook: hook.clone(), digest, news })
    }
}

/// The header by which a generic sender distinguishes its deliveries.
const DELIVERY: &str = "x-loci-delivery";
const DELIVERY_CHARS_MAX: usize = 200;

/// Returns the messages with the numbers of their sender. Generic bodies have no number that the
/// server knows. The numbers of a generic hook are qualified with its name, because two senders may
/// count alike. A single hook is qualified too, so that adding a second one, at any position,
/// changes none of its numbers.
fn numbered(hook: &AlertHook, headers: &HeaderMap, mut news: Vec<AlertNotice>) -> Result<Vec<AlertNotice>> {
    if hook.source != AlertSource::Generic {
        return Ok(news);
    }
    let sender = &hook.sender;
    let Some(number) = headers.get(DELIVERY) else {
        for one in &mut news {
            one.identity.insert_str(0, &format!("hook {sender} "));
        }
        return Ok(news);
    };
    let number = number.to_str().unwrap_or_default().trim();
    if !(1..=DELIVERY_CHARS_MAX).contains(&number.len()) {
        let rule = "X-Loci-Delivery must be 1 to 200 ASCII characters that are unique to this delivery";
        return Err(Error::invalid("X-Loci-Delivery", rule));
    }
    for one in &mut news {
        one.identity = format!("hook {sender} delivery {number}");
    }
    Ok(news)
}

/// Returns the response. The state of the whole is queued if any message was queued, else
/// duplicate, else ignored.
fn shown(digest: String, taken: &[AlertTaken]) -> Response {
    let all = taken.iter().map(|one| {
        let (state, reason) = words(one.taken);
        HookAnswer {
            delivery: one.delivery.to_string(),
            state: state.to_owned(),
            reason: reason.map(str::to_owned),
        }
    });
    let all: Vec<HookAnswer> = all.collect();
    let whole = ["queued", "duplicate", "ignored"]
        .into_iter()
        .find(|word| all.iter().any(|one| one.state == *word))
        .unwrap_or("ignored");
    let reason = all.iter().find(|one| one.state == whole).and_then(|one| one.reason.clone());
    let delivery = match all.as_slice() {
        [one] => one.delivery.clone(),
        _ => digest,
    };
    answered(StatusCode::ACCEPTED, delivery, whole, reason, all)
}

fn words(taken: HookTaken) -> (&'static str, Option<&'static str>) {
    match taken {
        HookTaken::Queued => ("queued", None),
        HookTaken::Duplicate => ("duplicate", None),
        HookTaken::Ignored(why) => ("ignored", Some(why)),
    }
}

fn answered(
    status: StatusCode,
    delivery: String,
    state: &str,
    reason: Option<String>,
    alerts: Vec<HookAnswer>,
) -> Response {
    (status, Json(AlertAnswer { delivery, state: state.to_owned(), reason, alerts })).into_response()
}
