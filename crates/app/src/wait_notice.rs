//! Notices to the person who waits for a command: what it waits for, and for how long at most. On standard
//! error, so that the result stays as it is.

use std::convert::Infallible;
use std::future::Future;
use std::pin::pin;

use futures::future::{Either, select};
use loci_model::ports::clock::Clock;

use crate::adapters::SystemClock;
use crate::output;

/// What ends sooner needs no notice.
const MOMENT_MS: u64 = 1_000;
/// How often what holds it up is looked at.
const LOOK_MS: u64 = 5_000;

/// Waits for `work`; after a moment `first` is said, and then every few seconds what `news` has to say, where
/// it changed.
pub(crate) async fn waited<T, N>(work: impl Future<Output = T>, first: &str, news: impl Fn() -> N) -> T
where
    N: Future<Output = Option<String>>,
{
    match select(pin!(work), pin!(notices(first, news))).await {
        Either::Left((done, _)) => done,
        Either::Right((never, _)) => match never {},
    }
}

/// Waits for `work`, of which nothing is known meanwhile.
pub(crate) async fn waited_for<T>(work: impl Future<Output = T>, first: &str) -> T {
    waited(work, first, || std::future::ready(None)).await
}

async fn notices<N>(first: &str, news: impl Fn() -> N) -> Infallible
where
    N: Future<Output = Option<String>>,
{
    let clock = SystemClock::new();
    clock.sleep(MOMENT_MS).await;
    output::note(first);
    let mut before = None;
    loop {
        let now = news().await;
        if now != before {
            now.iter().for_each(output::note);
            before = now;
        }
        clock.sleep(LOOK_MS).await;
    }
}
