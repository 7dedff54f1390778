//! The tables of verified facts: facts, what happened to them, kept verifications, repositories.

mod fact_events;
mod facts;
mod repositories;
mod verdicts;
