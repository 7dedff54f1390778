//! The ports that only a binary can fill: the machine's clock, its randomness, the master key, priorities
//! of threads, the limit of open files, where mirrors lie, the wire of AgentCore.

mod agentcore_wire;
mod clock;
mod descriptors;
mod ids;
mod mirror_places;
mod priority;
mod vault;

pub use agentcore_wire::{AgentCoreWire, Halves, SERVICE};
pub use clock::SystemClock;
pub use descriptors::{connections_within, raise_descriptors};
pub use ids::RandomIds;
pub use mirror_places::MirrorPlaces;
pub use priority::{background_threads, lower_own_priority};
pub use vault::{FileVault, MasterKey};
