//! The protocol of the native API: the table of operations, calls, their standing, cursors, errors,
//! the OpenAPI document.

pub(super) mod call;
pub(super) mod call_context;
pub(super) mod cursor;
pub(super) mod openapi;
pub(crate) mod problem;
pub(super) mod table;
pub(super) mod values;
