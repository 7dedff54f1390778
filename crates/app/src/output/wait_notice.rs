//! Notices to the person who waits for a command: the reason for waiting, and its time limit. They
//! go to standard error, so that the result stays unchanged.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::{Either, select};
use loci_client::WaitingWork;
use loci_model::ports::clock::Clock;

use crate::adapters::SystemClock;
use crate::output;

/// The duration in milliseconds below which work needs no notice.
const MOMENT_MS: u64 = 1_000;
/// The interval in milliseconds between reads of the reason for waiting.
const LOOK_MS: u64 = 5_000;

/// The clock and the output of the notices.
struct WaitNotifier<C, S> {
    clock: C,
    say: S,
}

/// Waits for `work`. After a moment it prints `first`, and then every few seconds the result of
/// `news` if it has changed.
pub(crate) async fn waited<T, N>(work: impl Future<Output = T>, first: &str, news: impl Fn() -> N) -> T
where
    N: Future<Output = Option<String>>,
{
    let teller = WaitNotifier { clock: SystemClock::new(), say: |text: &str| output::note(text) };
    teller.waited(work, first, news).await
}

/// Waits for `work`, without news meanwhile.
pub(crate) async fn waited_for<T>(work: impl Future<Output = T>, first: &str) -> T {
    waited(work, first, || std::future::ready(None)).await
}

/// Prints, once for all calls of a client, that a server or a store delays a call: the connection,
/// or the answer. A progress bar replaces the notice.
pub(crate) fn of_server(place: &str) -> WaitingWork {
    let say = |text: &str| {
        if !output::has_bar() {
            output::note(text);
        }
    };
    of_server_by(Arc::new(SystemClock::new()), say, place)
}

fn of_server_by<S>(clock: Arc<dyn Clock>, say: S, place: &str) -> WaitingWork
where
    S: Fn(&str) + Clone + Send + Sync + 'static,
{
    let (place, is_said) = (place.to_owned(), Arc::new(AtomicBool::new(false)));
    Arc::new(move || {
        let (clock, say, place, is_said) = (clock.clone(), say.clone(), place.clone(), is_said.clone());
        Box::pin(async move {
            clock.sleep(MOMENT_MS).await;
            if !is_said.swap(true, Ordering::Relaxed) {
                say(&format!("waiting for {place}: it has not answered yet"));
            }
        })
    })
}

impl<C: Clock, S: Fn(&str)> WaitNotifier<C, S> {
    async fn waited<T, N>(&self, work: impl Future<Output = T>, first: &str, news: impl Fn() -> N) -> T
    where
        N: Future<Output = Option<String>>,
    {
        match select(pin!(work), pin!(self.notices(first, news))).await {
            Either::Left((done, _)) => done,
            Either::Right((never, _)) => match never {},
        }
    }

    async fn notices<N>(&self, first: &str, news: impl Fn() -> N) -> Infallible
    where
        N: Future<Output = Option<String>>,
    {
        self.clock.sleep(MOMENT_MS).await;
        (self.say)(first);
        let mut before = None;
        loop {
            let now = news().await;
            if now != before {
                now.iter().for_each(|now| (self.say)(now));
                before = now;
            }
            self.clock.sleep(LOOK_MS).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Mutex;

    use futures::FutureExt as _;
    use loci_testkit_ports::ManualClock;

    use super::*;

    #[test]
    fn who_waits_is_told_after_a_moment_and_when_something_changed() {
        let (clock, said) = (ManualClock::default(), RefCell::new(Vec::new()));
        let teller =
            WaitNotifier { clock: clock.clone(), say: |text: &str| said.borrow_mut().push(text.to_owned()) };
        let news = RefCell::new(Some("two jobs"));
        let (done, work) = futures::channel::oneshot::channel();
        let told = || std::future::ready(news.borrow().map(str::to_owned));
        let mut waiting = Box::pin(teller.waited(work, "waiting", told));
        let mut after = |millis: u64, expect: &[&str]| {
            clock.advance_ms(millis);
            assert!((&mut waiting).now_or_never().is_none());
            assert_eq!(*said.borrow(), expect, "after {millis} ms more");
        };
        after(0, &[]);
        after(MOMENT_MS - 1, &[]);
        after(1, &["waiting", "two jobs"]);
        after(LOOK_MS, &["waiting", "two jobs"]);
        *news.borrow_mut() = Some("one job");
        after(LOOK_MS - 1, &["waiting", "two jobs"]);
        after(1, &["waiting", "two jobs", "one job"]);
        done.send(7).unwrap();
        assert_eq!(waiting.now_or_never(), Some(Ok(7)));
    }

    #[test]
    fn what_ends_in_a_moment_needs_no_notice() {
        let clock = ManualClock::default();
        let teller = WaitNotifier { clock, say: |text: &str| panic!("{text}") };
        let nothing = || std::future::ready(None);
        assert_eq!(teller.waited(std::future::ready(1), "waiting", nothing).now_or_never(), Some(1));
    }

    #[test]
    fn a_server_that_lets_calls_wait_is_named_once() {
        let (clock, said) = (ManualClock::default(), Arc::new(Mutex::new(Vec::new())));
        let heard = said.clone();
        let say = move |text: &str| heard.lock().unwrap().push(text.to_owned());
        let meanwhile = of_server_by(Arc::new(clock.clone()), say, "https://memory.example");
        let mut first = meanwhile();
        assert!((&mut first).now_or_never().is_none());
        clock.advance_ms(MOMENT_MS - 1);
        assert!((&mut first).now_or_never().is_none() && said.lock().unwrap().is_empty());
        clock.advance_ms(1);
        assert!(first.now_or_never().is_some());
        let mut second = meanwhile();
        assert!((&mut second).now_or_never().is_none());
        clock.advance_ms(MOMENT_MS);
        assert!(second.now_or_never().is_some());
        assert_eq!(*said.lock().unwrap(), ["waiting for https://memory.example: it has not answered yet"]);
    }
}
