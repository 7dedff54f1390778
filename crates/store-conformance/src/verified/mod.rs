//! Cases of verified facts: facts, fact events, repositories.

pub(super) mod fact_events;
pub(super) mod fact_telemetry;
pub(super) mod facts;
pub(super) mod repositories;
