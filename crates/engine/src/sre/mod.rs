//! The memory of operations agents (sre-memory.md): how people want to be worked for, what is known of services, what was looked into. A
//! profile of the common engine: events, records, states and history are those of every memory. No hooks, tools or webhooks yet.
//!
//! | file | idea |
//! |---|---|
//! | `settings` | what may be set: agents and their other names, what is read out of answers |
//! | `segment`, `place` | where something lies: ids as segments, namespaces |
//! | `members`, `canonical`, `masking` | JSON that comes in: read by rule, one spelling, secrets masked: pure |
//! | `preference`, `knowledge`, `investigation` | the three types and their rules: pure |
//! | `protected` | preferences that a person must confirm or set: pure |
//! | `drafts` | from what is said to records, unwritten |
//! | `keeping` | which of several counts |
//! | `saving`, `preferences`, `confirming`, `retrieving` | the verbs |

mod canonical;
mod confirming;
mod drafts;
mod investigation;
mod keeping;
mod knowledge;
mod masking;
mod members;
mod place;
mod preference;
mod preferences;
mod protected;
mod retrieving;
mod saving;
mod segment;
mod settings;

pub use keeping::SreAction;
pub use preferences::{SrePreference, SrePreferences};
pub use retrieving::{SreFound, SreRetrieve, SreRetrieved, SreScoreParts, SreTimeFilter, SreTimeSource};
pub use saving::{SreKept, SreSave, SreSaved};
pub use settings::{PastScope, SreSettings, SreSettingsByMemory};
