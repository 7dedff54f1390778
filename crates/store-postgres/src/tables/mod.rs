//! The accessor traits, one table or group of tables per file.

mod deliveries;
mod events;
mod exchanges;
mod jobs;
mod memories;
pub(super) mod records;
mod telemetry;
pub(super) mod transfer;
mod vectors;
mod verified;
