//! The tables, one accessor trait per file. They contain only SQL, and no decisions.

mod deliveries;
mod events;
mod exchanges;
mod jobs;
mod memories;
pub(super) mod records;
mod telemetry;
mod transfer;
pub(crate) mod vectors;
mod verified;
