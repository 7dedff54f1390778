//! The memory of operations agents (sre-memory.md): how people want to be worked for, what is known of services, what was looked into. A
//! profile of the common engine: events, records, states and history are those of every memory. No hooks, tools or webhooks yet.
//!
//! | file | idea |
//! |---|---|
//! | `segment`, `agents`, `place` | where something lies: ids as segments, aliases, namespaces |
//! | `members`, `canonical`, `masking` | JSON that comes in: read by rule, one spelling, secrets masked: pure |
//! | `categories`, `literal`, `typed` | what events of the AgentCore wire say by their content: pure |
//! | `preference`, `knowledge`, `investigation` | the three types and their rules: pure |
//! | `protected` | preferences that a person must confirm or set: pure |
//! | `drafts` | from what is said to records, unwritten |
//! | `keeping` | which of several counts |
//! | `saving`, `preferences`, `confirming` | the verbs |
//! | `wire` | the records of typed events |

mod agents;
mod canonical;
mod categories;
mod confirming;
mod drafts;
mod investigation;
mod keeping;
mod knowledge;
mod literal;
mod masking;
mod members;
mod place;
mod preference;
mod preferences;
mod protected;
mod saving;
mod segment;
mod typed;
mod wire;

pub(crate) use drafts::WAITS;
pub use keeping::SreAction;
pub use preferences::{SrePreference, SrePreferences};
pub(crate) use saving::Naming;
pub use saving::{SreKept, SreSave, SreSaved};
pub(crate) use typed::may_be_typed;
pub(crate) use wire::{check_ids, known_as, typed_in, waits_for_person};
