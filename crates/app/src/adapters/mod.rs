//! The ports that only a binary can provide: the clock of the machine, its randomness, the master
//! key, thread priorities, the limit of open files, the locations of mirrors, and the AgentCore
//! wire.

mod agentcore_wire;
mod clock;
mod descriptors;
mod ids;
mod mirror_locations;
mod priority;
mod vault;

pub use agentcore_wire::{AgentCoreWire, Halves, SERVICE};
pub use clock::SystemClock;
pub use descriptors::{connections_within, raise_descriptors};
pub use ids::RandomIds;
pub use mirror_locations::MirrorPlaces;
pub use priority::{background_threads, lower_own_priority};
pub use vault::{FileVault, MasterKey};
