//! Work on request bodies that takes long for a long body: digests and scanners of foreign text.
//! For such a body it runs on a separate thread, so that it delays no other request. The budget of
//! `bodies` limits the bytes in memory at once.

use loci_model::{Error, Result, limits};

/// Runs work on a body of this number of bytes.
///
/// # Errors
/// A bug, if the work panics.
pub(crate) async fn run<T: Send + 'static>(
    bytes: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    if bytes <= limits::BODY_INLINE_BYTES_MAX {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::bug("work on the body of a request broke off").caused_by(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn long_bodies_are_worked_on_elsewhere() {
        let here = std::thread::current().id();
        for (bytes, is_here) in [
            (0, true),
            (loci_model::limits::BODY_INLINE_BYTES_MAX, true),
            (loci_model::limits::BODY_INLINE_BYTES_MAX + 1, false),
        ] {
            let there = run(bytes, || std::thread::current().id()).await.unwrap();
            assert_eq!(there == here, is_here, "{bytes}");
        }
    }
}
