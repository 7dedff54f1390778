//! The Rust client of Loci: the native API over a URL, over the unix socket of a data folder, or in this process; memory for
//! agents over several stores; and transcripts read turn by turn.
//!
//! * [`Client`]: one method per operation, one file per noun, those of a product in its folder (`verified`, `coding`,
//!   `documents`, `operations`); shapes are those of `loci-api`;
//! * `transport`: how a request gets there; [`ClientError`]: what went wrong, and whether to try again;
//! * [`agent`]: a manager of stores, with tools, injection and the way of what is said into them;
//! * [`backend`]: places for files behind one port, with the suite that proves a new one;
//! * [`transcript`]: conversations that happened elsewhere.
//! * [`formats`]: memories of other programs; [`namespace`]: places, compared.
//!
//! Of the server's rules it holds none: what is refused is refused by the server. `agent` has its own, for it has other stores, too.

mod admin;
pub mod agent;
mod at;
pub mod backend;
mod call;
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

pub use call::{Client, LineStream, Meanwhile};
pub use error::ClientError;
pub use loci_api as api;
pub use operations::memory::{InvestigationState, SreMemory};
pub use transport::InProcessBody;
pub use transport::trace_parent::TraceSource;
