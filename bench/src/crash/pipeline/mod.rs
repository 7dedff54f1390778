//! `crash --pipeline`: `kill -9` between the steps of extraction, handover and notification. One
//! story runs undisturbed, then once for every request to the model and every notification, with a
//! kill before or after its response. Each time the records must equal those of the undisturbed
//! run, and every event must exist. Receivers that detect repetitions by id must know the same
//! notifications.
//!
//! Chance decides between which writes a kill falls. The engine's own tests cover those points one
//! by one.

mod killer;
mod sink;
mod story;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::progress::Progress;
use crate::scripted_model::{Scripted, configuration};
use crate::seeded_random::Seeded;
use crate::server::Server;
use crate::wire::Wire;
use killer::{Door, KillPoint, Killer, Moment};
use sink::Sink;
use story::Outcome;

/// The maximum time from a response to a kill, in milliseconds.
const AFTER_MS_MAX: u64 = 25;
/// The maximum number of parallel requests to the model, equal to the default.
const QUESTIONS_AT_ONCE: u64 = 16;
/// The maximum number of starts. One kill does not explain more.
const STARTS_MAX: usize = 4;

/// The result of a run.
struct Run {
    outcome: Outcome,
    questions: u64,
    notifications: u64,
    repeated: usize,
    killed: bool,
}

/// Runs the story repeatedly.
pub(super) async fn run(binary: &Path, every: u64, seed: u64) -> Result<()> {
    let began = Instant::now();
    let mut random = Seeded::new(seed);
    let calm = once(binary, None).await.context("undisturbed")?;
    ensure!(calm.questions > 0 && calm.notifications > 0, "nobody was asked, or nobody told");
    calm.outcome.has_everything()?;
    ensure!(calm.repeated == 0, "a notification came twice without a kill");
    let places = places(&calm, every, &mut random);
    let progress = Progress::new(1);
    progress.step("kills between steps");
    let (mut kills, mut repeated, mut asked_again) = (0_usize, 0, 0);
    for (number, place) in (0..).zip(&places) {
        progress.within(number, places.len() as u64);
        let ended = once(binary, Some(*place)).await.with_context(|| format!("killed {place}"))?;
        ended.outcome.equals(&calm.outcome).with_context(|| format!("killed {place}"))?;
        kills += usize::from(ended.killed);
        repeated += ended.repeated;
        asked_again += ended.questions.saturating_sub(calm.questions);
    }
    // A session may be handed over in one window or in two, so the last notification may be
    // missing.
    ensure!(
        kills + 1 + places.len() / 20 >= places.len(),
        "only {kills} of {} kills took place",
        places.len()
    );
    println!(
        "crash --pipeline: {kills} kills in {:.0} s, seed {seed}, at {} questions and {} notifications: {}; the same after \
         each kill; {asked_again} questions were asked again, {repeated} notifications came again, known by their id",
        began.elapsed().as_secs_f64(),
        calm.questions,
        calm.notifications,
        calm.outcome,
    );
    Ok(())
}

/// Returns the kill points: every request and every notification, before and after its response.
/// Only each nth point is used.
fn places(calm: &Run, every: u64, random: &mut Seeded) -> Vec<KillPoint> {
    let mut places = Vec::new();
    for (door, count) in [(Door::Model, calm.questions), (Door::Hook, calm.notifications)] {
        for number in 1..=count {
            places.push(KillPoint { door, number, moment: Moment::Before });
            let after = Moment::After(Duration::from_millis(random.below(AFTER_MS_MAX)));
            places.push(KillPoint { door, number, moment: after });
        }
    }
    let every = every.max(1);
    let first = random.below(every);
    let chosen = (0..).zip(places).filter(|(number, _)| number % every == first);
    chosen.map(|(_, place)| place).collect()
}

/// Runs the story once, and restarts the server after the kill.
async fn once(binary: &Path, place: Option<KillPoint>) -> Result<Run> {
    let temporary = tempfile::tempdir()?;
    let killer = Arc::new(Killer::new(place));
    let model = Scripted::start(Duration::ZERO, killer.clone()).await?;
    let sink = Sink::start(killer.clone()).await?;
    let payloads = temporary.path().join("payloads");
    let file = temporary.path().join("loci.toml");
    std::fs::write(
        &file,
        configuration(model.port(), QUESTIONS_AT_ONCE) + &story::targets(sink.port(), &payloads),
    )?;
    let settings = [("LOCI_CONFIG", file.to_str().context("a folder with a strange name")?)];
    let folder = temporary.path().join("data");
    for _ in 0..STARTS_MAX {
        let server = Server::start_with(binary, &folder, &settings)?;
        let wire = Wire::new(&server.url);
        killer.watch(server);
        match story::tell(&wire).await {
            // The story may end before the scheduled kill. Then it runs once more, and must change
            // nothing.
            Ok(_) if killer.falls().await => {}
            Ok(memory) => {
                return Ok(Run {
                    outcome: story::outcome(&wire, &memory, &sink, &payloads).await?,
                    questions: killer.count(Door::Model),
                    notifications: killer.count(Door::Hook),
                    repeated: sink.repeated(),
                    killed: killer.has_killed(),
                });
            }
            Err(error) if killer.is_watching() => {
                let log = std::fs::read_to_string(folder.with_extension("log")).unwrap_or_default();
                let end = log.lines().rev().take(20).collect::<Vec<_>>().into_iter().rev();
                return Err(error.context(end.collect::<Vec<_>>().join("\n")));
            }
            Err(_) => {}
        }
    }
    anyhow::bail!("the story did not end in {STARTS_MAX} starts")
}
