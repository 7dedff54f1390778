//! Calls of the memory of operations agents: preferences, knowledge of services, investigations, a
//! user's own records.

mod doctor;
mod investigations;
mod knowledge;
mod me;
pub(super) mod memory;
mod outcomes;
mod preferences;
mod transfer;
