//! Tests forges against a local server that follows their documentation: requests and their number,
//! the meaning of each refusal, and hosts that receive no requests. The tests control the time.

#![cfg(test)]

mod hub;
mod moves;
mod reading;
mod refusals;
mod reviewing;
mod speed;
mod trees;
mod world;
