//! The context of a call, from its headers: memory, directory, and the mark that a person asks.

use loci_engine::calls::call_context::CallContext;
use loci_model::Result;

use super::call::Call;
use crate::v1::tools::{BY_PERSON, DIRECTORY, MEMORY, directory};

/// Returns the context of a call, from its headers.
///
/// # Errors
/// `Invalid` for a malformed header, or for a directory from another machine.
pub(in crate::v1) fn standing(call: &Call) -> Result<CallContext> {
    Ok(CallContext {
        memory: call.header(MEMORY)?.map(str::to_owned),
        directory: directory(call.peer(), call.header(DIRECTORY)?)?,
        by_person: call.header(BY_PERSON)?.is_some(),
        ..CallContext::default()
    })
}
