//! Work on the bodies of requests that takes long for a long body: digests and readers of foreign
//! text. It runs on a thread of its own for such a body, where it holds up nobody else. How many
//! bytes of bodies there are at once is the budget of `bodies`.

use loci_model::{Error, Result, limits};

/// Runs work on a body of so many bytes.
///
/// # Errors
/// A bug, where the work panics.
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
