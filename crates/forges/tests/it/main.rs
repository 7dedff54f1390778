//! Forges against a server of this machine that speaks as their documentation says: what is asked for and how often, what
//! each refusal means, what is never sent where. Time is the test's own.

#![cfg(test)]

mod hub;
mod moves;
mod reading;
mod refusals;
mod reviewing;
mod speed;
mod trees;
mod world;
