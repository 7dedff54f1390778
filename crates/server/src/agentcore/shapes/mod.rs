//! JSON forms that several operations share, in requests and responses, and their conversion to and
//! from the engine's types.

pub(crate) mod event;
pub(crate) mod event_filter;
pub(crate) mod memory;
pub(crate) mod record;
pub(crate) mod record_filter;
pub(crate) mod record_metadata;
pub(crate) mod schema;
pub(crate) mod self_managed;
pub(crate) mod strategy_request;
pub(crate) mod strategy_response;
pub(crate) mod strategy_update;
pub(crate) mod template;
