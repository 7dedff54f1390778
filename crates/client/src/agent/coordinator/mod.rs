//! What was said comes to the stores: buffered when it is said, sent when a trigger fires, repeated until it is stored.
//!
//! * [`ExtractionCoordinator`]: one lane per store, so that none waits for or suffers from another;
//! * [`ExtractionConfig`]: what a store says of it: triggers, filter, extractor;
//! * `queue`, `segment`, `pacing`, `settling`: what is sent next, and what an answer means; pure;
//! * `spool`, `quarantine`: what survives the process, and what no store will take.
//!
//! Nothing is passed over in silence: a message is stored, quarantined, or dropped with an error in the log.

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
