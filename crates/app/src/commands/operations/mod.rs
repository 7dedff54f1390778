//! Commands of the memory of operations agents: preferences, knowledge of services, investigations,
//! a user's own records.

mod doctor;
mod explain;
mod export;
mod history;
mod import;
pub(crate) mod me;
mod outcomes;
mod place;
pub(super) mod preferences;
pub(crate) mod sre;
