//! The stop signal, and the time limit of stopping. Both run on a thread with its own runtime, so
//! that they work even if other work occupies all threads of the server's runtime or its writer
//! thread.

use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The part of a limit that is reserved for a forced end, as a divisor, and its maximum.
const FORCE_PART: u32 = 20;
const FORCE_MAX: Duration = Duration::from_secs(1);

/// A stop signal. Its `wait` resolves at the first SIGINT or SIGTERM.
#[derive(Debug, Clone)]
pub(crate) struct StopSignal(watch::Receiver<bool>);

impl StopSignal {
    /// Starts to listen for signals. If the process has not ended shortly before `limit` after a
    /// signal, `force` is called, because a forced end takes time too.
    ///
    /// # Errors
    /// The thread cannot be started, or signals cannot be received.
    pub(crate) fn listen(limit: Duration, force: impl FnOnce() + Send + 'static) -> Result<Self> {
        let (stop, stopped) = watch::channel(false);
        let (ready, is_ready) = mpsc::channel();
        std::thread::Builder::new()
            .name("loci-stop".to_owned())
            .spawn(move || {
                let work = async {
                    let signals = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
                    let (mut interrupt, mut terminate) = match signals {
                        (Ok(interrupt), Ok(terminate)) => (interrupt, terminate),
                        (Err(error), _) | (_, Err(error)) => return Err(error),
                    };
                    let _ = ready.send(Ok(())); // who started the thread waits for it
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    let _ = stop.send(true); // nobody may be left to stop
                    // A repeated signal changes nothing.
                    let kept = limit.saturating_sub(time_to_force(limit));
                    let _ = tokio::time::timeout(kept, std::future::pending::<()>()).await;
                    Ok(())
                };
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                match runtime.and_then(|runtime| runtime.block_on(work)) {
                    Ok(()) => force(),
                    Err(error) => {
                        let _ = ready.send(Err(error));
                    }
                }
            })
            .context("starting the thread that waits for signals")?;
        is_ready.recv().context("the thread that waits for signals")?.context("waiting for signals")?;
        Ok(Self(stopped))
    }

    /// Resolves when the process must stop.
    pub(crate) async fn wait(mut self) {
        let _ = self.0.wait_for(|stop| *stop).await; // the thread sends before it ends
    }
}

/// Returns the time at the end of a limit that is reserved for a forced end.
fn time_to_force(limit: Duration) -> Duration {
    (limit / FORCE_PART).min(FORCE_MAX)
}

/// Exits the process immediately, and kills it if exiting exceeds the limit. Acknowledged data is
/// in the store, and interrupted jobs run again.
#[expect(clippy::disallowed_methods, reason = "main cannot return an exit code while its work does not end")]
pub(crate) fn end_by_force(limit: Duration) {
    tracing::error!(
        limit_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        "forced exit: work was still in progress at the stop limit; acknowledged writes are stored"
    );
    let left = time_to_force(limit);
    let killer = std::thread::Builder::new().name("loci-kill".to_owned()).spawn(move || {
        let (_open, ended) = mpsc::channel::<()>();
        let _ = ended.recv_timeout(left); // nobody sends: the process ends, or the time is up
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    });
    if let Err(error) = killer {
        tracing::error!(%error, "the thread that ends the process at its limit cannot be started");
    }
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_begins_before_the_limit() {
        let check = |limit_ms: u64, expect_ms: u64| {
            let found = time_to_force(Duration::from_millis(limit_ms));
            assert_eq!(found, Duration::from_millis(expect_ms), "{limit_ms}");
        };
        check(1_000, 50);
        check(20_000, 1_000);
        check(25_000, 1_000);
        check(600_000, 1_000);
    }
}
