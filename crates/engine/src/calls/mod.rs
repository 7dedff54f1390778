//! Parts that every call of an operation has: deadline, idempotency token, page of a list, the
//! caller's reason, tracing, context, and work on long texts.

pub mod call_context;
pub mod caller_pattern;
pub mod deadline;
pub mod idempotency;
pub mod long_work;
pub(super) mod operation_tracing;
pub mod page;
pub mod reason_text;
pub mod text_scan;
