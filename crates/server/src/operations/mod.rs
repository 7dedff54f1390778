//! What operators see: health, readiness, metrics, request ids and one log line per request. No content, ever.

pub mod cached_value;
pub mod health;
pub mod metrics;
pub mod observe;
mod pipeline_metrics;
mod sre_metrics;
mod trace_parent;
