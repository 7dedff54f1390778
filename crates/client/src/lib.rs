//! The Rust client of Loci: the native API over a URL, over the unix socket of a data folder, or in
//! this process; memory for agents over several stores; and transcripts read turn by turn.
//!
//! * [`Client`]: one method per operation, one file per noun, those of a product in its folder
//!   (`verified`, `coding`, `documents`, `operations`); the types are those of `loci-api`;
//! * `transport`: the ways of a request to a server; [`ClientError`]: the error, and the prospect
//!   of a retry;
//! * [`agent`]: a manager of stores, with tools, injection and extraction;
//! * [`backend`]: file storage behind one port, with the suite that tests an implementation;
//! * [`transcript`]: conversations of other programs;
//! * [`formats`]: memories of other programs; [`namespace`]: comparison of namespaces.
//!
//! It duplicates no rule of the server, which checks every request. `agent` has its own rules,
//! because it also has other stores.

mod admin;
pub mod agent;
pub mod backend;
mod call;
mod call_target;
mod coding;
mod documents;
mod error;
mod events;
pub mod formats;
mod identity;
mod jobs;
mod memories;
pub mod namespace;
mod operations;
mod profiles;
mod records;
mod search;
mod tools;
pub mod transcript;
mod transport;
mod verified;

pub use call::{Client, LineStream, WaitingWork};
pub use error::ClientError;
pub use loci_api as api;
pub use operations::memory::{InvestigationState, SreMemory};
pub use transport::InProcessBody;
pub use transport::trace_parent::TraceSource;
