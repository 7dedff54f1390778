//! The jobs of operations memory.

pub(crate) mod agent_response;
pub(crate) mod alert;
pub(crate) mod session_summary;
