//! `/healthz`: the process responds. `/readyz`: the store can be read and written, and its secrets
//! opened. `/metrics`: the Prometheus text.
//!
//! All three are open to every client that reaches the server, but not to pages of other sites.
//! `/metrics` needs a key that reads all memories where others than programs of this machine reach
//! the server.
//! Only callers of this machine get the reason of a failure, by the rule of development mode; a
//! name that a page resolves to this machine, or a proxy, gets none. They cost the store little at
//! any request rate.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};
use loci_engine::access;
use loci_model::job::JobCounts;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Capability;
use loci_model::{Error, Result, limits};

use crate::auth::gate::Peer;
use crate::auth::site::{self, OpenEndpoint};
use crate::doors::Doors;
use crate::v1::protocol::problem::ProblemResponse;

/// The number of memories in one read while jobs are counted.
const MEMORIES_PER_PAGE: usize = 500;

/// `GET /healthz`.
pub(crate) async fn healthz(request: Request) -> Response {
    match refused(OpenEndpoint::Health, &request) {
        Some(refused) => refused,
        None => "ok\n".into_response(),
    }
}

/// `GET /readyz`.
pub(crate) async fn readyz(State(doors): State<Doors>, request: Request) -> Response {
    if let Some(refused) = refused(OpenEndpoint::Health, &request) {
        return refused;
    }
    let now_us = doors.clock.monotonic_us();
    let reason = doors.readiness.get(now_us, limits::READINESS_MS, async {
        let checked = is_ready(&doors).await.inspect_err(|error| tracing::warn!(?error, "not ready"));
        checked.err().map(|error| error.to_string())
    });
    let Some(reason) = reason.await else { return (StatusCode::OK, "ready\n").into_response() };
    let text = if may_know_reasons(&request) {
        format!("not ready: {reason}\n")
    } else {
        "not ready: see the log or run `loci doctor`\n".to_owned()
    };
    (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
}

/// Returns true for a program, or a page, of this machine.
fn may_know_reasons(request: &Request) -> bool {
    match request.extensions().get::<Peer>() {
        Some(Peer::Process | Peer::Socket) => true,
        Some(Peer::Loopback) => site::require_own_machine(request.headers()).is_ok(),
        Some(Peer::Network) | None => false,
    }
}

/// Checks that the store can be read and written, and that its secrets can be opened.
async fn is_ready(doors: &Doors) -> Result<()> {
    doors.engine.store().info(true).await?;
    doors.engine.master_key_check().await.map(drop)
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(doors): State<Doors>, request: Request) -> Response {
    if let Some(refused) = refused(OpenEndpoint::Figures, &request) {
        return refused;
    }
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let headers = request.headers();
    if peer == Peer::Network
        && let Err(error) = admit_to_figures(&doors, headers).await
    {
        return ProblemResponse(error).into_response();
    }
    doors.figures.get(doors.clock.monotonic_us(), limits::FIGURES_MS, count_jobs(&doors)).await;
    match doors.engine.store().read(|tx| tx.deliveries().backlog()).await {
        Ok(backlog) => {
            let now = doors.clock.now().millis();
            let age_ms = backlog.oldest.map_or(0, |oldest| now.saturating_sub(oldest.since.millis()).max(0));
            let age = std::time::Duration::from_millis(u64::try_from(age_ms).unwrap_or(0));
            doors.metrics.deliveries(backlog.pending, backlog.failed, age.as_secs_f64());
        }
        Err(error) => tracing::warn!(?error, "deliveries could not be counted"),
    }
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4");
    ([kind], doors.metrics.render()).into_response()
}

/// Requires a key that reads all memories, because metrics have numbers of all of them. No key of a
/// part is enough, and so no token of a task's agent.
async fn admit_to_figures(doors: &Doors, headers: &HeaderMap) -> Result<()> {
    let caller = doors.gate.bearer_caller(headers).await?;
    if access::whole_memories(&caller, Capability::Read).is_some() {
        let rule = "metrics have numbers of all memories: use a key with `read` on every memory";
        return Err(Error::denied(rule));
    }
    Ok(())
}

/// Returns the rejection of a request to an open endpoint, if there is one.
pub(crate) fn refused(endpoint: OpenEndpoint, request: &Request) -> Option<Response> {
    let peer = request.extensions().get::<Peer>().copied().unwrap_or(Peer::Network);
    let allowed = site::require_own_site(endpoint, peer, request.headers());
    allowed.err().map(|error| ProblemResponse(error).into_response())
}

/// Counts jobs, which reads every memory.
async fn count_jobs(doors: &Doors) {
    match job_counts(doors).await {
        Ok(counts) => doors.metrics.jobs(counts.pending, counts.waiting, counts.failed),
        // The other figures are even more important while the store is unavailable.
        Err(error) => tracing::warn!(?error, "jobs could not be counted"),
    }
}

/// Returns the numbers of pending, running and failed jobs of all memories.
async fn job_counts(doors: &Doors) -> Result<JobCounts> {
    let awaited = doors.engine.awaited_kinds();
    doors
        .engine
        .store()
        .read(move |tx| {
            let (mut sum, mut after) = (JobCounts::default(), None);
            loop {
                let page = tx.memories().list(after.as_ref(), MEMORIES_PER_PAGE)?;
                for memory in &page {
                    let counts = tx.jobs().counts(&memory.id, None, None, &awaited)?;
                    sum.pending += counts.pending;
                    sum.waiting += counts.waiting;
                    sum.failed += counts.failed;
                }
                match page.last() {
                    Some(last) if page.len() == MEMORIES_PER_PAGE => {
                        after = Some((last.created_at, last.id.clone()));
                    }
                    Some(_) | None => return Ok(sum),
                }
            }
        })
        .await
}
