//! Sending what waits in a spool: in its order as far as one task is concerned, and past whatever cannot be sent now. What cannot
//! become right is kept apart; what may is tried again later, and given up by nobody but a person until it is two weeks old.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use loci_client::Client;
use loci_model::Timestamp;
use loci_model::ports::clock::Clock as _;
use serde::Serialize;
use serde_json::Value;

use super::failing::Failure;
use super::sending::{CALL, say};
use crate::adapters::SystemClock;
use crate::commands::verified::at::of_memory;
use crate::spool::{Entry, Refused, Sent, Spool, SpoolCall};

/// What may become right is waited for so long.
const WAITS_MAX_MS: i64 = 14 * 24 * 60 * 60 * 1_000;
/// What is told later than this is told as of when it was said.
const LATE_MS: i64 = 60_000;
/// The member of a report or note that says when.
const OBSERVED_AT: &str = "observed_at";
/// Where so many tasks in a row find nobody who answers, nobody is there.
const UNANSWERED_MAX: usize = 2;

/// What became of a spool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Flushed {
    /// Servers have so many more.
    pub(crate) taken: usize,
    /// So many were refused now.
    pub(crate) refused: usize,
    /// So many wait.
    pub(crate) waiting: usize,
}

/// What is sent of a spool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flushing<'a> {
    /// What was said to this server, and no other.
    pub(crate) url: Option<&'a str>,
    /// Also what was refused before, and what was tried a short time ago.
    pub(crate) all: bool,
    /// What is said of this task, of a memory where one is named, comes first, whenever it was tried.
    pub(crate) first: Option<(Option<&'a str>, &'a str)>,
    /// Nothing is waited for any longer after so long.
    pub(crate) until: Option<Duration>,
}

/// What became of a spool, with the answers by key: a server's, or why it refused.
pub(crate) struct Answered {
    pub(crate) done: Flushed,
    pub(crate) answers: Vec<(String, Result<Value, String>)>,
}

/// Sends what waits: task by task those that nothing is known against first, the entries of each in their order.
///
/// # Errors
/// Where the spool cannot be read or written.
pub(crate) async fn flush(client: &Client, spool: &Spool, what: Flushing<'_>) -> Result<Answered> {
    let held = spool.held().await?;
    let mut entries: Vec<Entry> = held.entries;
    let spooled = entries.len();
    if what.all {
        let refused = held.refused.into_iter();
        entries.extend(refused.filter_map(|one| match one {
            Refused::Entry(entry) => Some(*entry),
            Refused::Line { .. } => None,
        }));
    }
    let clock = SystemClock::new();
    let mut sending =
        Sending { client, spool, what, clock, done: Flushed::default(), answers: Vec::new(), settled: 0 };
    // Of so many tasks in a row nobody answered; what is not noted yet.
    let (mut in_a_row, mut unanswered) = (0, Vec::new());
    for task in tasks(&entries, what, sending.clock.now()) {
        let Some(found) = sending.task(&task).await? else {
            // Somebody is there: what found nobody is at fault itself.
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
    let Sending { mut done, answers, settled, .. } = sending;
    done.waiting = spooled.saturating_sub(settled);
    Ok(Answered { done, answers })
}

/// What is to be sent, task by task.
fn tasks<'e>(entries: &'e [Entry], what: Flushing<'_>, now: Timestamp) -> Vec<Vec<&'e Entry>> {
    let mut by_task: BTreeMap<(Option<&str>, &str), Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.url.as_deref() == what.url) {
        by_task.entry(entry.about()).or_default().push(entry);
    }
    let is_first = |task: &[&Entry]| task.first().is_some_and(|entry| what.first == Some(entry.about()));
    // What waits is behind a single one that was tried: the others have not been said since.
    let is_due = |task: &[&Entry]| task.iter().all(|entry| entry.is_due(now));
    let mut tasks: Vec<Vec<&Entry>> =
        by_task.into_values().filter(|task| what.all || is_first(task) || is_due(task)).collect();
    tasks.sort_by_key(|task| {
        let tried =
            task.iter().filter_map(|entry| entry.waits.as_ref()).map(|waits| waits.tried_at.as_str()).max();
        (!is_first(task), tried, task.first().map(|entry| (entry.at.as_str(), entry.key.as_str())))
    });
    tasks
}

/// An entry for which nobody was there.
type Unanswered<'e> = Option<(&'e Entry, anyhow::Error)>;

/// One run through a spool.
struct Sending<'a> {
    client: &'a Client,
    spool: &'a Spool,
    what: Flushing<'a>,
    clock: SystemClock,
    done: Flushed,
    answers: Vec<(String, Result<Value, String>)>,
    /// So many are in the spool no more.
    settled: usize,
}

impl Sending<'_> {
    /// Sends what is said of one task, until something of it cannot be said now. Where nobody answered, what found nobody, unless it is
    /// noted by then.
    async fn task<'e>(&mut self, task: &[&'e Entry]) -> Result<Option<Unanswered<'e>>> {
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
                Err(error) => Failure::refused(error),
            };
            let (error, is_unknown) = match failure {
                Failure::Out(error) => return Ok(Some(Some((entry, error)))),
                Failure::Slow(error) => {
                    self.waits(entry, &error, false).await?;
                    return Ok(Some(None));
                }
                Failure::Refused { error, .. } => {
                    self.settle(entry, Err(format!("{error:#}"))).await?;
                    continue;
                }
                Failure::Later(error) | Failure::Behind(error) => (error, false),
                Failure::Unknown(error) => (error, true),
            };
            self.waits(entry, &error, is_unknown).await?;
            // What is said of the same task waits behind it; of one that is kept apart nothing does.
            if entry.refused.is_none() {
                break;
            }
        }
        Ok(None)
    }

    /// How long the next answer may take; `None`: nothing more is begun.
    fn left(&self) -> Option<Duration> {
        let Some(until) = self.what.until else { return Some(CALL) };
        let left = until.checked_sub(Duration::from_micros(self.clock.monotonic_us()))?;
        (!left.is_zero()).then(|| left.min(CALL))
    }

    async fn waits(&mut self, entry: &Entry, error: &anyhow::Error, is_unknown: bool) -> Result<()> {
        let now = self.clock.now();
        let why = format!("{error:#}");
        if is_old(&entry.at, now) && entry.refused.is_none() {
            return self.settle(entry, Err(why)).await;
        }
        let waits = Sent::Waits { why, at: now.to_rfc3339(), is_unknown };
        self.spool.settle(&entry.key, &waits).await
    }

    /// At once: whoever is killed on the way sends nothing twice that need not be.
    async fn settle(&mut self, entry: &Entry, answer: Result<Value, String>) -> Result<()> {
        let sent = answer.as_ref().map_or_else(|why| Sent::Refused(why.clone()), |_| Sent::Taken);
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

    async fn keep_apart(&mut self, bad: Vec<Entry>) -> Result<()> {
        if bad.is_empty() {
            return Ok(());
        }
        self.done.refused = self.done.refused.saturating_add(bad.len());
        self.spool.refuse(bad).await
    }
}

/// What was learned is told as of when it was said, where that is a while ago: what others learned since is newer.
fn as_of(entry: &Entry, now: Timestamp) -> Entry {
    let mut told = entry.clone();
    let tells = matches!(entry.call, SpoolCall::Complete | SpoolCall::Note);
    let is_late = Timestamp::parse(&entry.at).is_ok_and(|at| at.plus_millis(LATE_MS) < now);
    if let Some(body) = told.body.as_object_mut().filter(|_| tells && is_late) {
        body.entry(OBSERVED_AT).or_insert_with(|| entry.at.clone().into());
    }
    told
}

/// Nobody mends it any more.
fn is_old(at: &str, now: Timestamp) -> bool {
    Timestamp::parse(at).is_ok_and(|at| at.plus_millis(WAITS_MAX_MS) < now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spool::Waits;

    #[test]
    fn something_is_waited_for_but_not_for_ever() {
        let said = "2026-11-23T03:00:00Z";
        let at = Timestamp::parse(said).unwrap();
        assert!(!is_old(said, at.plus_millis(WAITS_MAX_MS)));
        assert!(is_old(said, at.plus_millis(WAITS_MAX_MS + 1)));
    }

    #[test]
    fn what_is_known_against_comes_last_and_what_is_asked_for_first() {
        let entry = |key: &str, task: &str, tried: Option<&str>| Entry {
            key: key.to_owned(),
            at: format!("2026-11-23T03:00:0{key}Z"),
            url: None,
            memory: None,
            task: task.to_owned(),
            call: SpoolCall::Note,
            body: Value::Null,
            refused: None,
            waits: tried.map(|at| Waits {
                why: String::new(),
                tried_at: format!("2026-11-23T0{at}:00:00Z"),
                times: 1,
                is_unknown: false,
            }),
        };
        let elsewhere = Entry { url: Some("http://else".to_owned()), ..entry("7", "t-a", None) };
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
            let what = Flushing { url: None, all, first: first.map(|task| (None, task)), until: None };
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
