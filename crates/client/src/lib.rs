//! The Rust client of Loci: the native API over a URL, over the unix socket of a data folder, or in this process; memory for
//! agents over several stores; and transcripts read turn by turn.
//!
//! * [`Client`]: one method per operation, one file per noun; shapes are those of `loci-api`;
//! * `transport`: how a request gets there; [`ClientError`]: what went wrong, and whether to try again;
//! * [`agent`]: a manager of stores, with tools, injection and the way of what is said into them;
//! * [`backend`]: places for files behind one port, with the suite that proves a new one;
//! * [`transcript`]: conversations that happened elsewhere.
//! * [`formats`]: memories of other programs; [`namespace`]: places, compared.
//!
//! Of the server's rules it holds none: what is refused is refused by the server. `agent` has its own, for it has other stores, too.

mod admin;
pub mod agent;
pub mod backend;
mod call;
mod consolidations;
mod dead_letters;
mod deliveries;
mod error;
mod evaluations;
mod events;
mod files;
pub mod formats;
mod graph;
mod identity;
mod investigations;
mod jobs;
mod keys;
mod me;
mod memories;
mod mirrors;
pub mod namespace;
mod preferences;
mod profiles;
mod prompts;
mod pull;
mod quarantine;
mod records;
mod reflections;
mod repositories;
mod reviews;
mod rules;
mod safeguards;
mod search;
mod sessions;
mod sre;
mod sre_doctor;
mod sre_memory;
mod sre_outcomes;
mod sre_preferences;
mod sre_transfer;
mod tasks;
mod tools;
mod trace_parent;
pub mod transcript;
mod transport;

pub use call::{Client, LineStream, Meanwhile};
pub use error::ClientError;
pub use loci_api as api;
pub use sre_memory::{InvestigationState, SreMemory};
pub use trace_parent::TraceSource;
