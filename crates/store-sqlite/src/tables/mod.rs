//! The tables, one accessor trait per file. Each speaks SQL and nothing else decides anything here.

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
