//! Removes expired and deleted events, and all events of an actor. Also reads all events, for
//! export.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::event::Event;
use loci_model::{ActorId, EventId, MemoryId, Result, SessionId, Timestamp, limits};
use tokio_postgres::types::ToSql;

use loci_store_kit::row_readers::EventOf;

use super::rows::{COLUMN_COUNT, COLUMNS, FROM, PAYLOAD, read};
use crate::connection::Values;
use crate::digests::Key16;
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit, signed};

/// Removes exchanges of the memory `$1` for jobs of the sessions `$3` of the actors `$2`, and
/// returns the jobs. It joins from the few exchanges to their jobs.
const DROP_OF_SESSIONS: &str = "DELETE FROM exchanges x WHERE x.mem = $1 AND (SELECT (j.actor, j.session) IN \
     (SELECT s.actor, s.session FROM unnest($2::text[], $3::text[]) AS s(actor, session)) \
     FROM jobs j WHERE j.mem = $1 AND j.id = x.job) RETURNING x.job";

/// Makes the jobs `$2` of the memory `$1` due at `$3`, or run again.
const WAKE: &str = "UPDATE jobs SET rerun = rerun OR state = 1, waits = FALSE, due = $3, updated = $3 \
                    WHERE mem = $1 AND id = ANY($2) AND (state = 1 OR (state = 0 AND waits)) RETURNING 1";

/// The tables that depend on a session.
const OF_SESSION: &[&str] = &["branches", "progress", "turns", "event_meta"];

/// The ids of events, each with the key of its session.
type Removed = Vec<(String, Key16)>;

/// The values of a statement.
type Three<'a> = [&'a (dyn ToSql + Sync); 3];

/// The candidates for removal in one memory.
#[derive(Default)]
struct RemovalCandidates {
    /// Events, by their position in the order of arrival.
    events: Vec<i64>,
    /// The actors and sessions of these events. Empty if the memory is deleted.
    names: BTreeSet<(String, String)>,
    /// Sessions that have long been empty, or become empty without these events.
    sessions: Vec<Key16>,
}

impl PgTx<'_> {
    /// Records the positions of removed events, so that no id is reused.
    pub(super) fn remember_places(&self, memory: i64, ids: &[String]) -> Result<()> {
        let mut greatest: BTreeMap<i64, i64> = BTreeMap::new();
        for id in ids {
            let id = stored(EventId::parse(id.as_str()), "event id")?;
            let time = id.as_str().split('#').next().and_then(|digits| digits.parse::<i64>().ok());
            let (Some(time), Some(place)) = (time, id.place()) else { continue };
            let known = greatest.entry(time).or_default();
            *known = (*known).max(i64::from(place));
        }
        if !greatest.is_empty() {
            let (times, places): (Vec<i64>, Vec<i64>) = greatest.into_iter().unzip();
            self.later(
                "INSERT INTO event_places(mem, time, place) \
                 SELECT $1, p.time, p.place FROM unnest($2::bigint[], $3::bigint[]) AS p(time, place) \
                 ON CONFLICT (mem, time) DO UPDATE SET place = greatest(event_places.place, excluded.place)",
                vec![Box::new(memory), Box::new(times), Box::new(places)],
            );
        }
        Ok(())
    }

    /// Looks for candidates without a lock, then locks the memory of the first one and looks again.
    /// Rows locked by others wait for the next sweep.
    pub(super) fn sweep_events(&self, now: Timestamp, rows: usize) -> Result<usize> {
        let doomed = self.doomed(now, rows)?;
        if doomed.is_empty() {
            return Ok(0);
        }
        let mut swept = 0;
        for (memory, events) in self.remove_events(&doomed, now)? {
            swept += events.len();
            let ids: Vec<String> = events.iter().map(|(id, _)| id.clone()).collect();
            self.remember_places(memory, &ids)?;
            self.remove_metadata(memory, events);
        }
        for (memory, sessions) in self.remove_sessions(&doomed, now)? {
            swept += sessions.len();
            for table in OF_SESSION {
                self.later(
                    format!("DELETE FROM {table} WHERE mem = $1 AND sess = ANY($2)"),
                    vec![Box::new(memory), Box::new(sessions.clone())],
                );
            }
        }
        Ok(swept)
    }

    /// Returns the expired events in the memory where they expired first, with their actors and
    /// sessions.
    fn doomed(&self, now: Timestamp, rows: usize) -> Result<BTreeMap<i64, RemovalCandidates>> {
        // Names are looked up per event, and live events per session: nothing is scanned.
        let events = "WITH expired AS (SELECT mem, arrival, sess, expires FROM events \
                      WHERE expires <= $1 ORDER BY expires, mem, arrival LIMIT $2) \
                      SELECT e.mem, e.arrival, n.actor, n.session FROM expired e LEFT JOIN LATERAL \
                      (SELECT s.actor, s.session FROM sessions s JOIN memories m ON m.mem = s.mem AND m.deleted IS NULL \
                      WHERE s.mem = e.mem AND s.sess = e.sess LIMIT 1) n ON TRUE \
                      WHERE e.mem = (SELECT mem FROM expired ORDER BY expires, mem, arrival LIMIT 1) \
                      ORDER BY e.expires, e.arrival";
        let sessions = "SELECT s.mem, s.sess FROM sessions s \
                        WHERE s.ends <= $1 AND (SELECT TRUE FROM events e WHERE e.mem = s.mem AND e.sess = s.sess \
                        AND e.expires > $2 LIMIT 1) IS NULL ORDER BY s.ends, s.mem, s.sess LIMIT $3";
        let (now, rows, empty) = (now.millis(), limit(rows), empty_before(now));
        let (events, sessions) = self.two((events, &[&now, &rows]), (sessions, &[&empty, &now, &rows]))?;
        let mut doomed: BTreeMap<i64, RemovalCandidates> = BTreeMap::new();
        for row in &events {
            let of_memory = doomed.entry(row.take(0)?).or_default();
            of_memory.events.push(row.take(1)?);
            of_memory.names.extend(row.take::<Option<String>>(2)?.zip(row.take(3)?));
        }
        for row in &sessions {
            let memory: i64 = row.take(0)?;
            if doomed.is_empty() || doomed.contains_key(&memory) {
                doomed.entry(memory).or_default().sessions.push(row.take(1)?);
            }
        }
        Ok(doomed)
    }

    /// Locks the memories, then removes events, and exchanges that may quote them. Returns the ids
    /// of events with their sessions, by memory.
    fn remove_events(
        &self,
        doomed: &BTreeMap<i64, RemovalCandidates>,
        now: Timestamp,
    ) -> Result<Vec<(i64, Removed)>> {
        let lock = "SELECT 1 FROM counters WHERE mem = ANY($1) ORDER BY mem FOR UPDATE";
        let events =
            "DELETE FROM events WHERE mem = $1 AND arrival = ANY($2) AND expires <= $3 RETURNING id, sess";
        let numbers: Vec<i64> = doomed.keys().copied().collect();
        let now = now.millis();
        let names: Vec<(Vec<&str>, Vec<&str>)> = doomed
            .values()
            .map(|of_memory| of_memory.names.iter().map(|(actor, session)| (&**actor, &**session)).unzip())
            .collect();
        let values: Vec<[Three<'_>; 2]> = doomed
            .iter()
            .zip(&names)
            .map(|((memory, of_memory), (actors, sessions))| -> [Three<'_>; 2] {
                [[memory, actors, sessions], [memory, &of_memory.events, &now]]
            })
            .collect();
        let locked: [&(dyn ToSql + Sync); 1] = [&numbers];
        let mut statements: Vec<(&str, Values<'_>)> = vec![(lock, &locked)];
        for [of_exchanges, of_events] in &values {
            statements.extend([(DROP_OF_SESSIONS, of_exchanges.as_slice()), (events, of_events.as_slice())]);
        }
        let mut answers = self.several(&statements)?.into_iter().skip(1);
        let mut out = Vec::with_capacity(numbers.len());
        for memory in numbers {
            let jobs = answers.next().unwrap_or_default();
            let jobs = jobs.iter().map(|row| row.take(0)).collect::<Result<BTreeSet<String>>>()?;
            if !jobs.is_empty() {
                let jobs: Vec<String> = jobs.into_iter().collect();
                self.later(WAKE, vec![Box::new(memory), Box::new(jobs), Box::new(now)]);
            }
            let events = answers.next().unwrap_or_default();
            let events = events.iter().map(|row| Ok((row.take(0)?, row.take(1)?)));
            out.push((memory, events.collect::<Result<Removed>>()?));
        }
        Ok(out)
    }

    fn remove_metadata(&self, memory: i64, events: Removed) {
        if events.is_empty() {
            return;
        }
        let (ids, sessions): (Vec<String>, Vec<Key16>) = events.into_iter().unzip();
        self.later(
            "DELETE FROM event_meta WHERE mem = $1 AND (sess, id) IN \
             (SELECT e.sess, e.id FROM unnest($2::uuid[], $3::text[]) AS e(sess, id))",
            vec![Box::new(memory), Box::new(sessions), Box::new(ids)],
        );
    }

    /// Removes sessions that have long been empty, after their events are removed. Returns them by
    /// memory.
    fn remove_sessions(
        &self,
        doomed: &BTreeMap<i64, RemovalCandidates>,
        now: Timestamp,
    ) -> Result<Vec<(i64, Vec<Key16>)>> {
        let sql = "DELETE FROM sessions s WHERE s.mem = $1 AND s.sess = ANY($2) AND s.ends <= $3 AND NOT EXISTS \
                   (SELECT 1 FROM events e WHERE e.mem = $1 AND e.sess = s.sess) RETURNING s.sess";
        let empty = empty_before(now);
        let with_some = || doomed.iter().filter(|(_, of_memory)| !of_memory.sessions.is_empty());
        let values: Vec<Three<'_>> = with_some()
            .map(|(memory, of_memory)| -> Three<'_> { [memory, &of_memory.sessions, &empty] })
            .collect();
        let statements: Vec<(&str, Values<'_>)> =
            values.iter().map(|values| (sql, values.as_slice())).collect();
        let answers = self.several(&statements)?;
        with_some()
            .zip(answers)
            .map(|((memory, _), rows)| {
                Ok((*memory, rows.iter().map(|row| row.take(0)).collect::<Result<Vec<Key16>>>()?))
            })
            .collect()
    }

    pub(super) fn forget_events(&self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        const SESSIONS: &str = "(SELECT s.sess FROM sessions s WHERE s.mem = $1 AND s.actor = $2)";
        let Some(number) = self.number(memory)? else { return Ok(0) };
        let sql = format!("DELETE FROM events WHERE mem = $1 AND sess IN {SESSIONS} RETURNING id");
        let ids = self.all(&sql, &[&number, &actor.as_str()], |row| row.take::<String>(0))?;
        self.remember_places(number, &ids)?;
        for table in OF_SESSION {
            self.later(
                format!("DELETE FROM {table} WHERE mem = $1 AND sess IN {SESSIONS}"),
                vec![Box::new(number), Box::new(actor.as_str().to_owned())],
            );
        }
        self.later(
            "DELETE FROM sessions WHERE mem = $1 AND actor = $2",
            vec![Box::new(number), Box::new(actor.as_str().to_owned())],
        );
        Ok(u64::try_from(ids.len()).unwrap_or(u64::MAX))
    }

    pub(super) fn export_events(
        &self,
        memory: &MemoryId,
        after: u64,
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD}, s.actor, s.session FROM {FROM} \
             JOIN sessions s ON s.mem = e.mem AND s.sess = e.sess \
             WHERE e.mem = $1 AND e.arrival > $2 AND NOT e.hidden AND NOT e.deleted AND e.expires > $3 \
             ORDER BY e.arrival LIMIT $4"
        );
        self.all(&sql, &[&number, &signed(after), &now.millis(), &limit(count)], |row| {
            let actor = stored(ActorId::parse(row.take::<String>(COLUMN_COUNT)?), "actor")?;
            let session = stored(SessionId::parse(row.take::<String>(COLUMN_COUNT + 1)?), "session")?;
            read(EventOf { memory, actor: &actor, session: &session }, row, true)
        })
    }
}

/// Returns the time before which sessions whose last event expired are no longer listed.
fn empty_before(now: Timestamp) -> i64 {
    now.millis().saturating_sub(limits::EMPTY_SESSION_MS)
}
