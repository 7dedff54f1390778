//! Work on the bodies of hooks: their senders are unknown until the whole of a body is digested, so a long
//! one is digested and read on a thread of its own, where it holds up nobody else. How many bytes of such
//! bodies there are at once is the budget of `bodies`.

use loci_model::{Error, Result, limits};

/// Runs work on a body of so many bytes.
///
/// # Errors
/// A bug, where the work panics.
pub(super) async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if bytes <= limits::HOOK_SHORT_BYTES_MAX {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::bug("work on a hook's body broke off").caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_bodies_are_worked_on_elsewhere() {
        let here = std::thread::current().id();
        for (bytes, is_here) in
            [(0, true), (limits::HOOK_SHORT_BYTES_MAX, true), (limits::HOOK_SHORT_BYTES_MAX + 1, false)]
        {
            let there = run(bytes, || std::thread::current().id()).await.unwrap();
            assert_eq!(there == here, is_here, "{bytes}");
        }
    }
}
