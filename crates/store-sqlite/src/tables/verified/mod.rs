//! The tables of verified facts, as far as they lie here in their own way: facts, and the sweep of
//! what happened to them.

mod fact_events;
mod facts;
