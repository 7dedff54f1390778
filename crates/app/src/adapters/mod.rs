//! The ports that only a binary can fill: the machine's clock, its randomness, the master key, priorities of threads.

mod clock;
mod ids;
mod priority;
mod vault;

pub use clock::SystemClock;
pub use ids::RandomIds;
pub use priority::{background_threads, lower_own_priority};
pub use vault::{FileVault, MasterKey};
