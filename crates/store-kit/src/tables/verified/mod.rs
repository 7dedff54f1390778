//! The tables of verified facts: facts, fact events, stored verifications, repositories.

pub mod fact_events;
pub mod facts;
pub(super) mod repositories;
mod verdicts;
