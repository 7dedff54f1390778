//! The tables of verified facts: facts, what happened to them, kept verifications, repositories.

pub mod fact_events;
pub mod facts;
pub(super) mod repositories;
mod verdicts;
