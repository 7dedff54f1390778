//! The tables of verified facts: the statements that differ between the stores, namely facts, and
//! the sweep of their events.

mod fact_events;
mod facts;
