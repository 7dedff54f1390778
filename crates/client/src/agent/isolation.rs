//! Foreign code that panics: stores, extractors, filters, triggers and callbacks harm nobody but their own store.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;

use crate::agent::error::StoreError;

/// What somebody's work comes to; a panic is an error without a class.
pub(in crate::agent) async fn caught<T>(
    whose: &str,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|_| Err(panicked(whose)))
}

/// The same of a call that waits for nothing.
pub(in crate::agent) fn caught_call<T>(whose: &str, call: impl FnOnce() -> T) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| panicked(whose))
}

/// What it said is left out: it may hold what people said.
pub(in crate::agent) fn panicked(whose: &str) -> StoreError {
    StoreError::unclassified(format!("{whose} panicked"))
}
