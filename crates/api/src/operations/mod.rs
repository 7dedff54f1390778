//! Shapes of the memory of operations agents: preferences, knowledge of services, investigations, a
//! user's own records.

pub mod doctor;
pub mod investigation;
pub mod knowledge;
pub mod me;
pub mod preference;
pub mod table;
pub mod transfer;
