//! Input of callers: validated and canonical JSON, masking of secrets, and typed events of the
//! AgentCore wire protocol.

pub(super) mod canonical_json;
pub(super) mod members;
pub(super) mod python_literal;
pub(super) mod secret_mask;
pub(super) mod typed_event;
pub(super) mod wire_events;
