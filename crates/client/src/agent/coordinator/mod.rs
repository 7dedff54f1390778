//! Delivery of messages to stores. Messages are buffered, sent when a trigger fires, and sent
//! again until they are stored.
//!
//! * [`ExtractionCoordinator`]: runs one lane per store, so that no store waits for another;
//! * [`ExtractionConfig`]: the triggers, the filter and the extractor of a store;
//! * `queue`, `segment`, `retry_schedule`, `save_outcome`: pure decisions about the next segment to
//!   send, and the effect of a store's answer;
//! * `spool`, `quarantine`: the messages on disk, and those that a store rejected permanently.
//!
//! No message is lost silently: it is stored, quarantined, or dropped with an error in the log.

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
