//! The jobs of verified memory.

pub(crate) mod cite;
pub(crate) mod verify;
