//! The ports that only a binary can fill: the machine's clock, its randomness, the master key.

mod clock;
mod ids;
mod vault;

pub use clock::SystemClock;
pub use ids::RandomIds;
pub use vault::{FileVault, MasterKey};
