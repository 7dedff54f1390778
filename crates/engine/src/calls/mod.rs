//! Parts of a call: its deadline, its idempotency token, the page that it returns, the reason given
//! by its caller, its trace, its context, and its work on long texts.

pub mod call_context;
pub mod caller_pattern;
pub mod deadline;
pub mod idempotency;
pub mod long_work;
pub(super) mod operation_tracing;
pub mod page;
pub mod reason_text;
pub mod text_scan;
