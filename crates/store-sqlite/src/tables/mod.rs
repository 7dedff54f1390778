//! The tables, one accessor trait per file. Each speaks SQL and nothing else decides anything here.

mod coding;
mod deliveries;
mod documents;
mod events;
mod exchanges;
mod idempotency;
mod jobs;
mod keys;
mod leases;
mod ledger;
mod memories;
pub(super) mod records;
mod telemetry;
mod transfer;
pub(crate) mod vectors;
mod verified;
