//! The memory of operations agents (sre-memory.md): how people want to be worked for, what is known of services, what was looked into. A
//! profile of the common engine: events, records, states and history are those of every memory. No hooks, tools or webhooks yet.
//!
//! | file | idea |
//! |---|---|
//! | `settings` | what may be set: agents and their other names, what is read out of answers |
//! | `segment`, `place` | where something lies: ids as segments, namespaces |
//! | `members`, `canonical`, `masking` | JSON that comes in: read by rule, one spelling, secrets masked: pure |
//! | `categories`, `literal`, `typed` | what events of the AgentCore wire say by their content: pure |
//! | `preference`, `knowledge`, `investigation` | the three types and their rules: pure |
//! | `protected`, `contacts` | preferences that a person must confirm or set, and contacts that are known: pure |
//! | `drafts` | from what is said to records, unwritten |
//! | `keeping` | which of several counts |
//! | `saving`, `preferences`, `confirming`, `retrieving` | the verbs |
//! | `preference_lists`, `effective`, `declared_file`, `applying` | preferences as people look at them, what they mean now, and as a file declares them |
//! | `wire` | the records of typed events |

mod applying;
mod canonical;
mod categories;
mod confirming;
mod contacts;
mod declared_file;
mod drafts;
mod effective;
mod investigation;
mod keeping;
mod knowledge;
mod literal;
mod masking;
mod members;
mod place;
mod preference;
mod preference_lists;
mod preferences;
mod protected;
mod retrieving;
mod saving;
mod segment;
mod settings;
mod typed;
mod wire;

pub use applying::{SreApply, SreApplyChange, SreApplyKind};
pub use declared_file::{declared_users, users_of};
pub(crate) use drafts::WAITS;
pub use effective::SreEffective;
pub use keeping::SreAction;
pub use preference_lists::{SreListed, SreListing, SrePast, SreUser};
pub use preferences::{SrePreference, SrePreferences};
pub use retrieving::{SreFound, SreRetrieve, SreRetrieved, SreScoreParts, SreTimeFilter, SreTimeSource};
pub(crate) use saving::Naming;
pub use saving::{SreKept, SreSave, SreSaved};
pub use settings::{PastScope, SreSettings, SreSettingsByMemory};
pub(crate) use typed::may_be_typed;
pub(crate) use wire::{check_ids, known_as, typed_in, waits_for_person};
