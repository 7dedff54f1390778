//! Types of operations memory: preferences, knowledge of services, investigations, and a user's own
//! records.

pub mod doctor;
pub mod investigation;
pub mod knowledge;
pub mod me;
pub mod preference;
pub mod table;
pub mod transfer;
