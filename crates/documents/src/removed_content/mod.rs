//! Removed content: what is redacted or erased, and the checks that keep it from coming back.

pub(super) mod erased_documents;
pub(super) mod redact;
pub(super) mod redacted_content;
