//! Measures parallel sessions: one alone, then many whose windows fill at the same moment. They are
//! independent if many take no longer than the calls of one in sequence, plus a second for
//! everything else.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use futures::future::try_join_all;
use serde_json::json;

use super::{Arguments, Ground, WINDOW, calls};
use crate::load::Report;

/// The time for everything except the provider, in milliseconds.
const REST_MS: u64 = 1_000;
const LOOK_MS: u64 = 10;
const PATIENCE: Duration = Duration::from_secs(120);

/// The measurements of one round.
struct Round {
    took: Duration,
    /// The highest number of calls of a session.
    calls: usize,
    at_once: usize,
    records: usize,
}

/// Runs the measurement. Returns the missed goals.
pub(super) async fn run(binary: &Path, report: Report, arguments: &Arguments) -> Result<Vec<String>> {
    let ground = Ground::new(binary, arguments).await?;
    // The first window of a process starts the embedder, so it is not measured.
    round(&ground, 1_000..1_001).await?;
    let alone = round(&ground, 2_000..2_001).await?;
    let many = round(&ground, 3_000..3_000 + arguments.sessions).await?;
    let sessions = usize::try_from(arguments.sessions)?;
    ensure!(alone.calls > 0, "the provider was not asked");
    ensure!(
        many.records == alone.records * sessions,
        "one session has {} records, {sessions} have {}",
        alone.records,
        many.records
    );
    let calls = u64::try_from(many.calls)?;
    let goal_ms = arguments.delay_ms * calls + REST_MS;
    let millis = |took: Duration| took.as_secs_f64() * 1000.0;
    let text = format!(
        "{sessions} sessions of {WINDOW} messages in {:.0} ms from the last CreateEvent to all {} records; one alone {:.0} \
         ms; {calls} calls each, at most {} at once; goal {goal_ms} ms",
        millis(many.took),
        many.records,
        millis(alone.took),
        many.at_once
    );
    let value = json!({
        "sessions": sessions, "ms": millis(many.took), "alone_ms": millis(alone.took), "records": many.records,
        "calls_of_one": calls, "most_at_once": many.at_once, "delay_ms": arguments.delay_ms,
        "concurrency": arguments.concurrency, "goal_ms": goal_ms,
    });
    report.figure("sessions", &text, &value);
    let missed = many.took > Duration::from_millis(goal_ms);
    Ok(missed.then(|| format!("sessions: {:.0} of {goal_ms} ms", millis(many.took))).into_iter().collect())
}

/// Fills rooms alternately, message by message, and sends the last messages of all rooms at once.
async fn round(ground: &Ground, rooms: std::ops::Range<u64>) -> Result<Round> {
    ground.calls.forget();
    let before = records(ground).await?;
    for number in 1..WINDOW {
        for room in rooms.clone() {
            say(ground, room, number).await?;
        }
    }
    try_join_all(rooms.map(|room| say(ground, room, WINDOW))).await?;
    let began = Instant::now();
    while ground.jobs("pending").await? + ground.jobs("running").await? > 0 {
        ensure!(began.elapsed() < PATIENCE, "extraction does not end");
        tokio::time::sleep(Duration::from_millis(LOOK_MS)).await;
    }
    let took = began.elapsed();
    if ground.jobs("failed").await? > 0 {
        bail!("jobs failed");
    }
    let counts = ground.calls.now();
    let calls = counts.of_room.values().copied().max().unwrap_or(0);
    Ok(Round { took, calls, at_once: counts.most_at_once, records: records(ground).await? - before })
}

/// Sends a message with one actor per room, so that records of one room are not neighbours of
/// another's.
async fn say(ground: &Ground, room: u64, number: u64) -> Result<()> {
    let texts = [calls::text(room, number)];
    ground.say(&format!("guest-{room}"), &format!("room-{room}"), &texts).await
}

async fn records(ground: &Ground) -> Result<usize> {
    let path = format!("/memories/{}/memoryRecords", ground.memory);
    let all = json!({"namespacePath": "/"});
    Ok(ground.wire.pages(&path, &all, "memoryRecordSummaries").await?.len())
}
