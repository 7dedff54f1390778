//! The Rust client of Loci. It calls the native API over a URL, over the unix socket of a data
//! folder, or in this process. It also provides memory for agents over several stores, and readers
//! of transcripts.
//!
//! * [`Client`]: one method per operation of the native API, in one file per resource. The
//!   operations of a product are in its folder (`verified`, `coding`, `documents`, `operations`).
//!   The types are those of `loci-api`;
//! * `transport`: the ways in which a request reaches a server; [`ClientError`]: the error of a
//!   call;
//! * [`agent`]: a manager of several stores for an agent, with tools, injection and extraction;
//! * [`backend`]: storage for files behind one port, with a test suite for its implementations;
//! * [`transcript`]: readers of the conversations of other programs;
//! * [`formats`]: readers of the memories of other programs; [`namespace`]: comparison of
//!   namespaces.
//!
//! The client duplicates no rule of the server, which checks every request. Only `agent` has
//! rules of its own, because it also works with other stores.

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
