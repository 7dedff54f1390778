//! The nouns of Loci and the ports through which the engine reaches the outside.
//!
//! No IO, no SQL, no HTTP, no runtime. A noun derives `serde` for one purpose: its *stored*
//! document form, shared by every store and by `export`. Wire shapes are other types, next to their
//! API.
//!
//! To add a noun: its file here, an accessor trait in [`ports::store`], a table in each store, a
//! section in the conformance suite of `testkit`.

pub mod bounded_cache;
pub mod delivery;
pub mod error;
pub mod event;
pub mod facts;
pub mod field_name;
pub mod idempotency;
pub mod ids;
pub mod job;
pub mod json;
pub mod ledger;
pub mod limits;
pub mod memory;
pub mod namespace;
pub mod ports;
pub mod principal;
pub mod record;
pub mod services;
pub mod tasks;
pub mod time;
pub mod transfer;
pub mod trees;
pub mod warning;
pub mod words;

pub use error::{CodeReason, Error, ErrorKind, Reason, Result};
pub use field_name::{ErrorText, FieldName};
pub use ids::{
    AccessKeyId, ActorId, BranchName, DeliveryId, EventId, ExchangeId, ExposureId, JobId, MemoryId, RecordId,
    RepositoryId, SessionId, StrategyId, TaskId,
};
pub use json::document::Document;
pub use namespace::template::NamespaceTemplate;
pub use namespace::{Namespace, NamespaceFilter, NamespaceMatch};
pub use time::Timestamp;
