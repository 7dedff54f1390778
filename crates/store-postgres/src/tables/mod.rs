//! The accessor traits, one table or group of tables a file.

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
mod vectors;
mod verified;
