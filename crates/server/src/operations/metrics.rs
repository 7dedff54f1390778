//! Counters and histograms. Each server has its own recorder, so that several servers in one
//! process do not mix.

use std::sync::atomic::{AtomicU64, Ordering};

use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder};

/// The upper bounds of the latency histogram, in seconds. The first ones are for retrievals, the
/// last ones for imports.
const LATENCY_BOUNDS_S: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// The number of requests after which samples are folded into buckets, so that they do not
/// accumulate without a scraper.
const UPKEEP_REQUESTS: u64 = 1024;

/// The recorder of one server.
pub struct Metrics {
    recorder: PrometheusRecorder,
    handle: PrometheusHandle,
    requests: AtomicU64,
}

/// An answered request.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredRequest<'a> {
    /// The interface: `agentcore`, `v1` or `operations`.
    pub door: &'static str,
    /// The name of the operation, from a closed list.
    pub operation: &'a str,
    /// The HTTP status.
    pub status: u16,
    /// The code of the error; `None` if the request succeeded.
    pub error: Option<&'a str>,
    /// The time from the request to its response, in seconds.
    pub seconds: f64,
}

impl Metrics {
    /// Creates an empty recorder.
    pub fn new() -> Self {
        let latencies = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new();
        // Only empty bounds are rejected, and the constant is not empty.
        let builder = builder.set_buckets_for_metric(latencies, LATENCY_BOUNDS_S).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        Self { recorder, handle, requests: AtomicU64::new(0) }
    }

    /// Counts a request.
    pub fn answered(&self, request: &AnsweredRequest<'_>) {
        metrics::with_local_recorder(&self.recorder, || {
            let operation = request.operation.to_owned();
            let labels = [("door", request.door.to_owned()), ("operation", operation)];
            let mut coded = labels.to_vec();
            coded.push(("code", request.status.to_string()));
            counter!("loci_requests_total", &coded).increment(1);
            histogram!("loci_request_seconds", &labels).record(request.seconds);
            if let Some(error) = request.error {
                let typed = [("door", request.door.to_owned()), ("type", error.to_owned())];
                counter!("loci_errors_total", &typed).increment(1);
            }
        });
        if self.requests.fetch_add(1, Ordering::Relaxed) % UPKEEP_REQUESTS == UPKEEP_REQUESTS - 1 {
            self.handle.run_upkeep();
        }
    }

    /// Runs `work` with this recorder.
    pub(super) fn record(&self, work: impl FnOnce()) {
        metrics::with_local_recorder(&self.recorder, work);
    }

    /// Sets the numbers of pending and of failed deliveries, and the age of the oldest pending one.
    pub fn deliveries(&self, pending: u64, failed: u64, oldest_seconds: f64) {
        self.record(|| {
            for (state, count) in [("pending", pending), ("failed", failed)] {
                let count = f64::from(u32::try_from(count).unwrap_or(u32::MAX));
                gauge!("loci_deliveries_waiting", "state" => state).set(count);
            }
            gauge!("loci_delivery_oldest_seconds").set(oldest_seconds);
        });
    }

    /// Counts a hook request with an invalid signature.
    pub fn hook_refused(&self, hook: &'static str) {
        self.record(|| counter!("loci_hook_signatures_refused_total", "hook" => hook).increment(1));
    }

    /// Counts hook messages with a valid signature but without effect: not for this server, or not
    /// readable.
    pub fn hook_ignored(&self, hook: &'static str, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.record(|| counter!("loci_hook_news_ignored_total", "hook" => hook).increment(count));
    }

    /// Sets the number of open connections.
    pub fn connections(&self, open: usize) {
        metrics::with_local_recorder(&self.recorder, || {
            gauge!("loci_connections_open").set(f64::from(u32::try_from(open).unwrap_or(u32::MAX)));
        });
    }

    /// Counts a request that was rejected because all regular connections are taken.
    pub fn connection_refused(&self) {
        self.record(|| counter!("loci_connections_refused_total").increment(1));
    }

    /// Counts a connection that gave way to another and was closed without a complete head.
    pub fn connection_displaced(&self) {
        self.record(|| counter!("loci_connections_displaced_total").increment(1));
    }

    /// Sets the numbers of jobs that are pending or running, of those among them that wait for an
    /// external answer, and of failed ones.
    pub fn jobs(&self, pending: u64, waiting: u64, failed: u64) {
        metrics::with_local_recorder(&self.recorder, || {
            for (state, jobs) in [("pending", pending), ("waiting", waiting), ("failed", failed)] {
                gauge!("loci_jobs", "state" => state).set(f64::from(u32::try_from(jobs).unwrap_or(u32::MAX)));
            }
        });
    }

    /// Returns the Prometheus text.
    pub fn render(&self) -> String {
        self.handle.run_upkeep();
        self.handle.render()
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").field("requests", &self.requests).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_errors_and_latencies_are_counted() {
        let metrics = Metrics::new();
        for error in [None, Some("NOT_FOUND")] {
            let status = if error.is_some() { 404 } else { 200 };
            let request =
                AnsweredRequest { door: "v1", operation: "GET /v1/memories", status, error, seconds: 0.002 };
            metrics.answered(&request);
        }
        let text = metrics.render();
        for line in [
            r#"loci_requests_total{door="v1",operation="GET /v1/memories",code="200"} 1"#,
            r#"loci_requests_total{door="v1",operation="GET /v1/memories",code="404"} 1"#,
            r#"loci_errors_total{door="v1",type="NOT_FOUND"} 1"#,
            r#"loci_request_seconds_bucket{door="v1",operation="GET /v1/memories",le="0.0025"} 2"#,
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }
}
