//! The products of the engine whose write runs on the current thread. A function deep in a write
//! gets them here, to run the hooks for a change of a record.

use std::cell::RefCell;

use loci_model::{Error, Result};

use super::Products;

thread_local! {
    static OF_WRITE: RefCell<Option<Products>> = const { RefCell::new(None) };
}

/// A guard that removes the products from the thread when the write ends, also after a panic.
struct Lent;

impl Drop for Lent {
    fn drop(&mut self) {
        OF_WRITE.with(|own| own.borrow_mut().take());
    }
}

/// Runs a write while the products of its engine are set on the current thread.
pub(crate) fn run_with<T>(products: &Products, work: impl FnOnce() -> T) -> T {
    OF_WRITE.with(|own| *own.borrow_mut() = Some(products.clone()));
    let lent = Lent;
    let outcome = work();
    drop(lent);
    outcome
}

/// Returns the products of the engine whose write runs on the current thread.
///
/// # Errors
/// A bug outside a write of an engine, because no product would handle the change.
pub fn products() -> Result<Products> {
    let own = OF_WRITE.with(|own| own.borrow().clone());
    own.ok_or_else(|| Error::bug("a record is changed outside of a write of the engine"))
}
