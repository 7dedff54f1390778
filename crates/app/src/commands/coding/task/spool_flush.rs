//! Sends the waiting entries of a spool. The entries of one task stay in order, and an entry that
//! cannot be sent now does not block other tasks. A permanently rejected entry is set aside. An
//! entry that may succeed is retried until it is two weeks old, unless a person discards it
//! earlier.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use loci_client::Client;
use loci_model::Timestamp;
use loci_model::ports::clock::Clock as _;
use serde::Serialize;
use serde_json::Value;

use super::entry_sender::{CALL, say};
use super::failure_class::CallFailureClass;
use crate::adapters::SystemClock;
use crate::commands::verified::code_memory::of_memory;
use crate::spool::{Refused, SendResult, Spool, SpoolCall, SpoolEntry};

/// The maximum age in milliseconds of an entry that is retried.
const WAITS_MAX_MS: i64 = 14 * 24 * 60 * 60 * 1_000;
/// The delay in milliseconds after which an entry is sent with its original time.
const LATE_MS: i64 = 60_000;
/// The member of a report with the time at which it was made.
const OBSERVED_AT: &str = "observed_at";
/// The number of consecutive tasks without an answer after which the server counts as unreachable.
const UNANSWERED_MAX: usize = 2;

/// The result of sending the entries of a spool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct FlushReport {
    /// The number of entries that servers accepted in this run.
    pub(crate) taken: usize,
    /// The number of entries that servers rejected in this run.
    pub(crate) refused: usize,
    /// The number of entries that remain in the spool for another attempt.
    pub(crate) waiting: usize,
}

/// The selection of entries to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlushSelection<'a> {
    /// Only entries for this server.
    pub(crate) url: Option<&'a str>,
    /// Include entries that were rejected before or tried a short time ago.
    pub(crate) all: bool,
    /// Entries of this memory and task come first, even if they were just tried.
    pub(crate) first: Option<(Option<&'a str>, &'a str)>,
    /// The time limit for sending all entries. `None` means no limit.
    pub(crate) until: Option<Duration>,
}

/// The result of flushing a spool, with the outcome by key: the server's answer, or the reason of
/// its rejection.
pub(crate) struct FlushAnswers {
    pub(crate) done: FlushReport,
    pub(crate) answers: Vec<(String, Result<Value, String>)>,
}

/// Sends the waiting entries, task by task. Tasks without a failed attempt come first. The entries
/// of each task stay in order.
///
/// # Errors
/// The spool cannot be read or written.
pub(crate) async fn flush(client: &Client, spool: &Spool, what: FlushSelection<'_>) -> Result<FlushAnswers> {
    let held = spool.held().await?;
    let mut entries: Vec<SpoolEntry> = held.entries;
    let spooled = entries.len();
    if what.all {
        let refused = held.refused.into_iter();
        entries.extend(refused.filter_map(|one| match one {
            Refused::Entry(entry) => Some(*entry),
            Refused::Line { .. } => None,
        }));
    }
    let clock = SystemClock::new();
    let mut sending = SpoolPass {
        client,
        spool,
        what,
        clock,
        done: FlushReport::default(),
        answers: Vec::new(),
        settled: 0,
    };
    // The number of consecutive tasks without an answer, and their entries that are not recorded
    // yet.
    let (mut in_a_row, mut unanswered) = (0, Vec::new());
    for task in tasks(&entries, what, sending.clock.now()) {
        let Some(found) = sending.task(&task).await? else {
            // The server is reachable, so the unanswered entries are themselves at fault.
            for (entry, error) in unanswered.drain(..) {
                sending.waits(entry, &error, false).await?;
            }
            in_a_row = 0;
            continue;
        };
        in_a_row += 1;
        unanswered.extend(found);
        if in_a_row >= UNANSWERED_MAX || sending.left().is_none() {
            break;
        }
    }
    let SpoolPass { mut done, answers, settled, .. } = sending;
    done.waiting = spooled.saturating_sub(settled);
    Ok(FlushAnswers { done, answers })
}

/// Returns the entries to send, task by task.
fn tasks<'e>(
    entries: &'e [SpoolEntry],
    what: FlushSelection<'_>,
    now: Timestamp,
) -> Vec<Vec<&'e SpoolEntry>> {
    let mut by_task: BTreeMap<(Option<&str>, &str), Vec<&SpoolEntry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.url.as_deref() == what.url) {
        by_task.entry(entry.about()).or_default().push(entry);
    }
    let is_first = |task: &[&SpoolEntry]| task.first().is_some_and(|entry| what.first == Some(entry.about()));
    // Only one entry of a task was tried. The others wait behind it and have not been sent since.
    let is_due = |task: &[&SpoolEntry]| task.iter().all(|entry| entry.is_due(now));
    let mut tasks: Vec<Vec<&SpoolEntry>> =
        by_task.into_values().filter(|task| what.all || is_first(task) || is_due(task)).collect();
    tasks.sort_by_key(|task| {
        let tried =
            task.iter().filter_map(|entry| entry.waits.as_ref()).map(|waits| waits.tried_at.as_str()).max();
        (!is_first(task), tried, task.first().map(|entry| (entry.at.as_str(), entry.key.as_str())))
    });
    tasks
}

/// An entry for which no server answered, with the error.
type Unanswered<'e> = Option<(&'e SpoolEntry, anyhow::Error)>;

/// One run through a spool.
struct SpoolPass<'a> {
    client: &'a Client,
    spool: &'a Spool,
    what: FlushSelection<'a>,
    clock: SystemClock,
    done: FlushReport,
    answers: Vec<(String, Result<Value, String>)>,
    /// The number of entries that left the spool.
    settled: usize,
}

impl SpoolPass<'_> {
    /// Sends the entries of one task until one cannot be sent now. If no server answered, returns
    /// the unanswered entry, unless it is already recorded.
    async fn task<'e>(&mut self, task: &[&'e SpoolEntry]) -> Result<Option<Unanswered<'e>>> {
        for entry in task {
            let Some(within) = self.left() else { break };
            let failure = match of_memory(self.client, entry.memory.as_deref()) {
                Ok(client) => {
                    let said = say(&client, &as_of(entry, self.clock.now()), within).await;
                    self.keep_apart(said.bad).await?;
                    match said.answer {
                        Ok(answer) => {
                            self.settle(entry, Ok(answer)).await?;
                            continue;
                        }
                        Err(failure) => failure,
                    }
                }
                Err(error) => CallFailureClass::refused(error),
            };
            let (error, is_unknown) = match failure {
                CallFailureClass::Out(error) => return Ok(Some(Some((entry, error)))),
                CallFailureClass::Slow(error) => {
                    self.waits(entry, &error, false).await?;
                    return Ok(Some(None));
                }
                CallFailureClass::Refused { error, .. } => {
                    self.settle(entry, Err(format!("{error:#}"))).await?;
                    continue;
                }
                CallFailureClass::Later(error) | CallFailureClass::Behind(error) => (error, false),
                CallFailureClass::Unknown(error) => (error, true),
            };
            self.waits(entry, &error, is_unknown).await?;
            // Later entries of the same task wait behind this one. Nothing waits behind a rejected
            // entry.
            if entry.refused.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// Returns the time left for the next answer. `None` means that no further call starts.
    fn left(&self) -> Option<Duration> {
        let Some(until) = self.what.until else { return Some(CALL) };
        let left = until.checked_sub(Duration::from_micros(self.clock.monotonic_us()))?;
        (!left.is_zero()).then(|| left.min(CALL))
    }

    async fn waits(&mut self, entry: &SpoolEntry, error: &anyhow::Error, is_unknown: bool) -> Result<()> {
        let now = self.clock.now();
        let why = format!("{error:#}");
        if is_old(&entry.at, now) && entry.refused.is_none() {
            return self.settle(entry, Err(why)).await;
        }
        let waits = SendResult::Waits { why, at: now.to_rfc3339(), is_unknown };
        self.spool.settle(&entry.key, &waits).await
    }

    /// Records the outcome at once, so that a killed process sends as little as possible twice.
    async fn settle(&mut self, entry: &SpoolEntry, answer: Result<Value, String>) -> Result<()> {
        let sent = answer.as_ref().map_or_else(|why| SendResult::Refused(why.clone()), |_| SendResult::Taken);
        self.spool.settle(&entry.key, &sent).await?;
        if answer.is_ok() {
            self.done.taken = self.done.taken.saturating_add(1);
        } else {
            self.done.refused = self.done.refused.saturating_add(1);
        }
        self.settled = self.settled.saturating_add(usize::from(entry.refused.is_none()));
        self.answers.push((entry.key.clone(), answer));
        Ok(())
    }

    async fn keep_apart(&mut self, bad: Vec<SpoolEntry>) -> Result<()> {
        if bad.is_empty() {
            return Ok(());
        }
        self.done.refused = self.done.refused.saturating_add(bad.len());
        self.spool.refuse(bad).await
    }
}

/// Sets the original time of a delayed report or note, so that newer learnings of others take
/// precedence.
fn as_of(entry: &SpoolEntry, now: Timestamp) -> SpoolEntry {
    let mut told = entry.clone();
    let tells = matches!(entry.call, SpoolCall::Complete | SpoolCall::Note);
    let is_late = Timestamp::parse(&entry.at).is_ok_and(|at| at.plus_millis(LATE_MS) < now);
    if let Some(body) = told.body.as_object_mut().filter(|_| tells && is_late) {
        body.entry(OBSERVED_AT).or_insert_with(|| entry.at.clone().into());
    }
    told
}

/// True if the entry is too old for another retry.
fn is_old(at: &str, now: Timestamp) -> bool {
    Timestamp::parse(at).is_ok_and(|at| at.plus_millis(WAITS_MAX_MS) < now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::WaitReason;

    #[test]
    fn something_is_waited_for_but_not_for_ever() {
        let said = "2026-11-23T03:00:00Z";
        let at = Timestamp::parse(said).unwrap();
        assert!(!is_old(said, at.plus_millis(WAITS_MAX_MS)));
        assert!(is_old(said, at.plus_millis(WAITS_MAX_MS + 1)));
    }

    #[test]
    fn what_is_known_against_comes_last_and_what_is_asked_for_first() {
        let entry = |key: &str, task: &str, tried: Option<&str>| SpoolEntry {
            key: key.to_owned(),
            at: format!("2026-11-23T03:00:0{key}Z"),
            url: None,
            memory: None,
            task: task.to_owned(),
            call: SpoolCall::Note,
            body: Value::Null,
            refused: None,
            waits: tried.map(|at| WaitReason {
                why: String::new(),
                tried_at: format!("2026-11-23T0{at}:00:00Z"),
                times: 1,
                is_unknown: false,
            }),
        };
        let elsewhere = SpoolEntry { url: Some("http://else".to_owned()), ..entry("7", "t-a", None) };
        let entries = [
            entry("1", "t-d", Some("5")),
            entry("2", "t-b", Some("4")),
            entry("3", "t-c", None),
            entry("4", "t-b", None),
            entry("5", "t-a", None),
            entry("6", "t-c", None),
            elsewhere,
        ];
        let check = |all: bool, first: Option<&str>, hour: &str, expect: &[&str]| {
            let what = FlushSelection { url: None, all, first: first.map(|task| (None, task)), until: None };
            let now = Timestamp::parse(&format!("2026-11-23T{hour}Z")).unwrap();
            let found = tasks(&entries, what, now);
            let found: Vec<String> = found
                .iter()
                .map(|task| task.iter().map(|entry| entry.key.as_str()).collect::<String>())
                .collect();
            assert_eq!(found, expect, "{all} {first:?} {hour}");
        };
        check(false, None, "06:00:00", &["36", "5", "24", "1"]);
        check(false, None, "05:00:01", &["36", "5", "24"]);
        check(false, None, "04:00:01", &["36", "5"]);
        check(false, Some("t-b"), "04:00:01", &["24", "36", "5"]);
        check(true, None, "04:00:01", &["36", "5", "24", "1"]);
    }
}
