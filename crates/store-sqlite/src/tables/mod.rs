//! The tables, one accessor trait per file. Each speaks SQL and nothing else decides anything here.

mod deliveries;
mod event_pages;
mod event_rows;
mod event_sweep;
mod events;
mod exchanges;
mod idempotency;
mod jobs;
mod keys;
mod memories;
pub(crate) mod record_codes;
mod record_erasure;
mod record_groups;
mod record_moves;
mod record_pages;
pub(crate) mod record_passages;
pub(crate) mod record_rows;
mod record_writes;
mod records;
mod telemetry;
pub(crate) mod vectors;
