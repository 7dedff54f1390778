//! Delivery of messages to stores: they are buffered, sent when a trigger fires, and repeated until
//! they are stored.
//!
//! * [`ExtractionCoordinator`]: one lane per store, so that no store waits for or suffers from
//!   another;
//! * [`ExtractionConfig`]: the extraction configuration of a store: triggers, filter, extractor;
//! * `queue`, `segment`, `pacing`, `settling`: the next segment, and the outcome of an answer;
//!   pure;
//! * `spool`, `quarantine`: the durable messages, and those that no store accepts.
//!
//! No message disappears silently: it is stored, quarantined, or dropped with an error in the log.

mod appender;
mod background;
mod bell;
mod config;
mod extraction_coordinator;
mod extractor;
mod filter;
mod lane;
mod leftover;
mod lines;
mod pacing;
mod quarantine;
mod queue;
mod saving;
mod segment;
mod settling;
mod spool;
mod spool_reading;
mod trigger;

pub(super) use config::resolve_extraction;
pub use config::{CoordinatorOptions, ExtractionConfig};
pub use extraction_coordinator::{ExtractionCoordinator, Unsaved};
pub use extractor::{ExtractError, Extractor, LanguageModel, ModelExtractor};
pub use filter::{KeepAll, MessageFilter, WithoutTools};
pub use quarantine::{OnQuarantine, Quarantined, QuarantinedContent};
pub use trigger::{ExtractionTrigger, Interval, Invocation, Turns};

#[cfg(test)]
mod tests;
