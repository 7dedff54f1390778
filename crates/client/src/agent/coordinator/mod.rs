//! Delivery of messages to stores: they are buffered, sent when a trigger fires, and repeated until
//! they are stored.
//!
//! * [`ExtractionCoordinator`]: one lane per store, so that no store waits for or suffers from
//!   another;
//! * [`ExtractionConfig`]: the extraction configuration of a store: triggers, filter, extractor;
//! * `queue`, `segment`, `retry_schedule`, `save_outcome`: the next segment, and the outcome of an
//!   answer; pure;
//! * `spool`, `quarantine`: the durable messages, and those that no store accepts.
//!
//! No message disappears silently: it is stored, quarantined, or dropped with an error in the log.

mod appender;
mod background;
mod config;
mod extraction_coordinator;
mod extractor;
mod filter;
mod lane;
mod lines;
mod quarantine;
mod queue;
mod retry_schedule;
mod save_outcome;
mod segment;
mod spool;
mod spool_recovery;
mod store_save;
mod trigger;
mod unsent_messages;
mod wake_signal;

pub(super) use config::resolve_extraction;
pub use config::{CoordinatorOptions, ExtractionConfig};
pub use extraction_coordinator::{ExtractionCoordinator, UnsavedStore};
pub use extractor::{ExtractError, Extractor, LanguageModel, ModelExtractor};
pub use filter::{KeepAll, MessageFilter, WithoutTools};
pub use quarantine::{OnQuarantine, QuarantinedContent, QuarantinedItem};
pub use trigger::{ExtractionTrigger, Interval, Invocation, Turns};

#[cfg(test)]
mod tests;
