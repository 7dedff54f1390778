//! The nouns of Loci and the ports through which the engine reaches the world.
//!
//! No IO, no SQL, no HTTP, no runtime. A noun derives `serde` for one purpose: its *stored* document form, shared by
//! every store and by `export`. Wire shapes are other types, beside their door.
//!
//! To add a noun: its file here, an accessor trait in [`ports::store`], a table in each store, a section in the
//! conformance suite of `testkit`.

pub mod agreement;
pub mod alert_notice;
pub mod bounded_cache;
pub mod bounds;
pub mod branch_fact;
pub mod citation;
pub mod claim;
pub mod code;
pub mod code_history;
pub mod commit;
pub mod conflict;
pub mod consolidation_run;
pub mod delivery;
pub mod document;
pub mod document_reads;
pub mod erased_source;
pub mod error;
pub mod evaluation;
pub mod event;
pub mod event_filter;
pub mod exchange;
pub mod expiry;
pub mod exposure;
pub mod fact;
pub mod feedback;
pub mod file_change;
pub mod findings;
pub mod forge_news;
pub mod idempotency;
pub mod ids;
pub mod index_key;
pub mod job;
pub mod json_tree;
pub mod key;
pub mod ledger;
pub mod limits;
pub mod making;
pub mod memory;
pub mod metadata;
pub mod metadata_filter;
pub mod mirror;
pub mod namespace;
pub mod outcome;
pub mod parked_object;
pub mod ports;
pub mod preference;
pub mod principal;
pub mod prompt;
pub mod prompt_evaluation;
pub mod prompt_version;
pub mod provenance;
pub mod pull_request;
pub mod record;
pub mod repository;
pub mod reserved_names;
pub mod review;
pub mod revision_name;
pub mod rollback;
pub mod rule;
pub mod scope;
pub mod settings;
pub mod sre;
pub mod strategy;
pub mod support;
pub mod task;
pub mod task_session;
pub mod telemetry;
pub mod telling;
pub mod template;
pub mod time;
pub mod transfer;
pub mod tree_entry;
pub mod verdict;
pub mod warning;
mod words;
pub mod xml_attributes;

pub use document::Document;
pub use error::{CodeReason, Error, ErrorKind, Reason, Result};
pub use ids::{
    AccessKeyId, ActorId, BranchName, DeliveryId, EventId, ExchangeId, ExposureId, JobId, MemoryId, RecordId,
    RepositoryId, SessionId, StrategyId, TaskId,
};
pub use namespace::{Namespace, NamespaceFilter, NamespaceMatch};
pub use template::NamespaceTemplate;
pub use time::Timestamp;
