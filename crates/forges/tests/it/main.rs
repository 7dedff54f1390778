//! Tests forges against a local server that follows their documentation: requests and their number,
//! the meaning of each refusal, and hosts that receive no requests. The tests control the time.

#![cfg(test)]

mod code_reads;
mod fixture;
mod moves;
mod refusals;
mod reviews;
mod speed;
mod test_forge;
mod trees;
