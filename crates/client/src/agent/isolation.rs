//! Isolation of code that callers provide: a panic of a store, extractor, filter, trigger or
//! callback affects only its own store.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

use crate::agent::error::StoreError;

/// Awaits a future of the caller's code. A panic becomes an unclassified error, and `whose` names
/// the code in it.
pub(in crate::agent) async fn caught<T>(
    whose: &str,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(panicked(whose)))
}

/// Calls a function of the caller. A panic becomes an unclassified error, and `whose` names the
/// code in it.
pub(in crate::agent) fn caught_call<T>(whose: &str, call: impl FnOnce() -> T) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| panicked(whose))
}

/// Returns the error for a panic. It leaves out the panic's message, which may contain personal
/// data.
pub(in crate::agent) fn panicked(whose: &str) -> StoreError {
    StoreError::unclassified(format!("{whose} panicked"))
}
