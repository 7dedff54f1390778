//! Verified memory with a real store and in-memory repositories: storage, reads, and the lifecycle
//! of facts.

mod acceptance;
mod again;
mod at_forge;
mod background;
mod doubtful;
mod forgotten;
mod known_defects;
mod lifecycle;
mod many;
mod proposing;
mod read_sha;
mod reading;
mod storing;
mod telling;
mod tenants;
mod unknown_claims;
mod using;
mod withholding;
mod world;
