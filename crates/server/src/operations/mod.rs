//! The data for operators: health, readiness, metrics, request ids and one log line per request. It
//! never contains content.

pub mod cached_value;
pub mod health;
pub mod metrics;
pub mod observe;
mod pipeline_metrics;
mod sre_metrics;
mod trace_parent;
