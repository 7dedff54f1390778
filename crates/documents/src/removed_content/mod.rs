//! Removed content: redaction and erasure, and the checks against its return.

pub(super) mod erased_documents;
pub(super) mod redact;
pub(super) mod redacted_content;
