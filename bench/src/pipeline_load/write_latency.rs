//! Measures CreateEvent during the provider's work. One client sends events whose windows stay
//! open, in blocks of the order ABBA. In the B blocks other sessions of the same memory fill
//! windows, so that the provider always has work. Only the ratio of the two is meaningful, because
//! both come from one run on one machine.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures::future::{join, try_join_all};
use serde_json::json;

use super::{Arguments, BASE_SECONDS, Ground, WINDOW, calls};
use crate::figures::{Latencies, Quantiles};
use crate::load::Report;
use crate::texts;
use crate::wire::user_turn;

/// The idle time of a window in milliseconds, longer than any measurement. Windows that are not
/// full stay open.
const IDLE_MS: u64 = 3_000_000;
/// Events of a measured session: fewer than fill a window.
const SESSION_EVENTS: u64 = 5;
const TEXT_BYTES: usize = 300;
/// The time without calls after which the provider counts as idle.
const SILENCE: Duration = Duration::from_millis(1_500);
const WARM_UP: u64 = 200;
const RATIO_MAX: f64 = 1.1;

/// Runs the measurement. Returns the missed goals.
pub(super) async fn run(binary: &Path, report: Report, arguments: &Arguments) -> Result<Vec<String>> {
    let ground = Ground::new(binary, arguments).await?;
    let path = format!("/v1/memories/{}/settings", ground.memory);
    let settings =
        json!({"window": {"messages": WINDOW, "tokens": 5_000, "idle_ms": IDLE_MS, "context_messages": 4}});
    ground.wire.ask("PUT", &path, Some(&settings)).await?;
    let mut sender = Sender { ground: &ground, number: 0 };
    // Both kinds run once without measurement, to load the embedder and to let files reach their
    // full length.
    sender.block(WARM_UP).await?;
    busy(&mut sender, arguments, 0, WARM_UP).await?;
    let (mut quiet, mut beside) = (Latencies::default(), Latencies::default());
    let (mut work, mut rounds) = (Work::default(), 1);
    for is_busy in [false, true, true, false] {
        if is_busy {
            let (latencies, more) = busy(&mut sender, arguments, rounds, arguments.requests).await?;
            beside.extend(latencies);
            work = Work { calls: work.calls + more.calls, took: work.took + more.took };
            rounds += 1;
        } else {
            ground.calls.forget();
            quiet.extend(sender.block(arguments.requests).await?);
            ensure!(ground.calls.now().of_room.is_empty(), "the provider worked in a quiet block");
        }
    }
    ensure!(work.calls > 0, "the provider was not asked");
    let at_once = work.calls as f64 * arguments.delay_ms as f64 / 1000.0 / work.took.as_secs_f64();
    let (quiet, beside) = (quiet.quantiles(), beside.quantiles());
    Ok(told(report, &quiet, &beside, &work, at_once))
}

/// The provider's work in the B blocks.
#[derive(Debug, Default)]
struct Work {
    calls: usize,
    took: Duration,
}

fn told(report: Report, quiet: &Quantiles, beside: &Quantiles, work: &Work, at_once: f64) -> Vec<String> {
    let calls = work.calls;
    let (p50, p95) = (beside.p50_ms / quiet.p50_ms, beside.p95_ms / quiet.p95_ms);
    let text = format!(
        "ratio of the medians {p50:.3}, of the 95th hundredths {p95:.3}, goal {RATIO_MAX}; quiet: {quiet}; beside the provider \
         ({calls} calls, {at_once:.1} at once): {beside}"
    );
    let value = json!({"ratio_p50": p50, "ratio_p95": p95, "quiet": quiet, "beside": beside, "calls": calls,
                       "at_once": at_once});
    report.figure("create_event_beside_provider", &text, &value);
    let missed =
        |name: &str, ratio: f64| (ratio > RATIO_MAX).then(|| format!("CreateEvent {name}: {ratio:.2}"));
    [missed("p50", p50), missed("p95", p95)].into_iter().flatten().collect()
}

/// Sends the measured events.
struct Sender<'a> {
    ground: &'a Ground,
    number: u64,
}

impl Sender<'_> {
    async fn block(&mut self, requests: u64) -> Result<Latencies> {
        let path = format!("/memories/{}/events", self.ground.memory);
        let mut latencies = Latencies::default();
        for _ in 0..requests {
            self.number += 1;
            let number = self.number;
            let session = format!("m-{}", number / SESSION_EVENTS);
            let text = texts::talk(number, TEXT_BYTES);
            let seconds = BASE_SECONDS + number as f64;
            let body = user_turn("measured", &session, seconds, &format!("t-{number}"), &text);
            let began = Instant::now();
            self.ground.wire.ask("POST", &path, Some(&body)).await?;
            latencies.add(began.elapsed());
        }
        Ok(latencies)
    }
}

/// Sends a block during the provider's work. Returns the latencies and that work.
async fn busy(
    sender: &mut Sender<'_>,
    arguments: &Arguments,
    round: u64,
    requests: u64,
) -> Result<(Latencies, Work)> {
    let ground = sender.ground;
    let ended = AtomicBool::new(false);
    let pause = Duration::from_millis(arguments.window_every_ms);
    let feeding = try_join_all((0..arguments.sessions).map(|session| {
        let (ended, share) = (&ended, pause.mul_f64(session as f64 / arguments.sessions as f64));
        async move {
            // The sessions start at different times, so that the work is even.
            tokio::time::sleep(share).await;
            let mut window = 0;
            while !ended.load(Ordering::SeqCst) {
                let room = round * 1_000 + session;
                let texts: Vec<String> =
                    (0..WINDOW).map(|number| calls::text(room, window * WINDOW + number)).collect();
                ground.say(&format!("guest-{room}"), &format!("room-{room}"), &texts).await?;
                window += 1;
                let until = Instant::now() + pause;
                while Instant::now() < until && !ended.load(Ordering::SeqCst) {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            anyhow::Ok(())
        }
    }));
    let measured = async {
        tokio::time::sleep(pause).await;
        ground.calls.forget();
        let began = Instant::now();
        let latencies = sender.block(requests).await;
        let work = Work { calls: ground.calls.now().of_room.values().sum(), took: began.elapsed() };
        ended.store(true, Ordering::SeqCst);
        anyhow::Ok((latencies?, work))
    };
    let (fed, measured) = join(feeding, measured).await;
    fed?;
    silence(ground).await?;
    measured
}

/// Waits until no extraction runs and the provider gets no more calls.
async fn silence(ground: &Ground) -> Result<()> {
    let mut since = Instant::now();
    let mut seen = usize::MAX;
    while since.elapsed() < SILENCE {
        let counts = ground.calls.now();
        let calls = counts.of_room.values().sum();
        if counts.at_once > 0 || calls != seen || ground.jobs("running").await? > 0 {
            (since, seen) = (Instant::now(), calls);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
