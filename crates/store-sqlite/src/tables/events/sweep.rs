//! Removes expired and deleted events, and all events of an actor. Also reads all events, for
//! export.

use loci_model::event::Event;
use loci_model::{ActorId, EventId, MemoryId, Result, SessionId, Timestamp, limits};
use rusqlite::{Params, Row, params};

use super::rows::{COLUMNS, EventReader, PAYLOAD, row_number};
use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit};
use loci_store_kit::unreadable_rows::readable;

impl SqlTx<'_> {
    /// Records the positions of events that are about to be removed, so that no id is reused.
    pub(super) fn remember_places(&self, condition: &str, params: impl Params) -> Result<()> {
        let doomed = self.all(&format!("SELECT mem, id FROM events WHERE {condition}"), params, |row| {
            Ok((row.take::<i64>(0)?, stored(EventId::parse(row.take::<String>(1)?), "event id")?))
        })?;
        for (memory, id) in doomed {
            let time = id.as_str().split('#').next().and_then(|digits| digits.parse::<i64>().ok());
            let (Some(time), Some(place)) = (time, id.place()) else { continue };
            self.run(
                "INSERT INTO event_places(mem, time, place) VALUES (?1, ?2, ?3) \
                 ON CONFLICT(mem, time) DO UPDATE SET place = max(place, excluded.place)",
                params![memory, time, place],
            )?;
        }
        Ok(())
    }

    /// Returns the sessions of live memories from which [`Self::sweep_events`] would remove an
    /// event.
    pub(super) fn expired_sessions(
        &self,
        now: Timestamp,
        rows: usize,
    ) -> Result<Vec<(MemoryId, ActorId, SessionId)>> {
        let read = |row: &Row<'_>| {
            Ok((
                stored(MemoryId::parse(row.take::<String>(0)?), "memory id")?,
                stored(ActorId::parse(row.take::<String>(1)?), "actor")?,
                stored(SessionId::parse(row.take::<String>(2)?), "session")?,
            ))
        };
        let sessions = self.all(
            "SELECT DISTINCT m.id, s.actor, s.session FROM \
             (SELECT sess FROM events WHERE expires <= ?1 ORDER BY expires LIMIT ?2) e \
             JOIN sessions s ON s.num = e.sess JOIN memories m ON m.num = s.mem AND m.deleted IS NULL \
             ORDER BY m.id, s.actor, s.session",
            params![now.millis(), limit(rows)],
            |row| readable("session", read(row)),
        )?;
        Ok(sessions.into_iter().flatten().collect())
    }

    pub(super) fn sweep_events(&self, now: Timestamp, rows: usize) -> Result<usize> {
        let doomed = self.all(
            "SELECT num, sess, id FROM events WHERE expires <= ?1 ORDER BY expires LIMIT ?2",
            params![now.millis(), limit(rows)],
            |row| Ok((row.take::<i64>(0)?, row.take::<i64>(1)?, row.take::<String>(2)?)),
        )?;
        for (number, session, id) in &doomed {
            self.remember_places("num = ?1", [number])?;
            self.remove_metadata(*number, *session, id)?;
            self.run("DELETE FROM events WHERE num = ?1", [number])?;
        }
        let empty = now.millis().saturating_sub(limits::EMPTY_SESSION_MS);
        let sessions = self.all(
            "SELECT num FROM sessions s WHERE ends <= ?1 \
             AND NOT EXISTS (SELECT 1 FROM events WHERE sess = s.num) LIMIT ?2",
            params![empty, limit(rows)],
            |row| row.take::<i64>(0),
        )?;
        for session in &sessions {
            self.remove_session(*session)?;
        }
        Ok(doomed.len() + sessions.len())
    }

    fn remove_metadata(&self, number: i64, session: i64, id: &str) -> Result<()> {
        let sql = "SELECT 1 FROM events WHERE num = ?1 AND meta IS NOT NULL";
        if self.one(sql, [number], |_| Ok(()))?.is_some() {
            // Select by value, because the key of the table ends with the id.
            self.run(
                "DELETE FROM event_meta WHERE sess = ?1 AND id = ?2 AND (key, value) IN \
                 (SELECT m.key, m.value FROM events e, json_each(e.meta) m WHERE e.num = ?3)",
                params![session, id, number],
            )?;
        }
        Ok(())
    }

    fn remove_session(&self, session: i64) -> Result<()> {
        for sql in [
            "DELETE FROM branches WHERE sess = ?1",
            "DELETE FROM progress WHERE sess = ?1",
            "DELETE FROM turns WHERE sess = ?1",
            "DELETE FROM event_meta WHERE sess = ?1",
            "DELETE FROM sessions WHERE num = ?1",
        ] {
            self.run(sql, [session])?;
        }
        Ok(())
    }

    pub(super) fn forget_events(&self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        let sql = "SELECT num FROM sessions WHERE mem = ?1 AND actor = ?2";
        let sessions = self.all(sql, params![memory, actor.as_str()], |row| row.take::<i64>(0))?;
        let mut events = 0;
        for session in sessions {
            self.remember_places("sess = ?1", [session])?;
            events += self.run("DELETE FROM events WHERE sess = ?1", [session])?;
            self.remove_session(session)?;
        }
        Ok(u64::try_from(events).unwrap_or(u64::MAX))
    }

    pub(super) fn export_events(
        &self,
        memory: &MemoryId,
        after: u64,
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let places = self.all(
            "SELECT e.num, s.num, s.actor, s.session FROM events e JOIN sessions s ON s.num = e.sess \
             WHERE e.num > ?1 AND e.num < ?2 AND e.hidden = 0 AND e.deleted = 0 AND e.expires > ?3 \
             ORDER BY e.num LIMIT ?4",
            params![row_number(number, after), row_number(number + 1, 0), now.millis(), limit(count)],
            |row| {
                let actor = stored(ActorId::parse(row.take::<String>(2)?), "actor")?;
                let session = stored(SessionId::parse(row.take::<String>(3)?), "session")?;
                Ok((row.take::<i64>(0)?, row.take::<i64>(1)?, actor, session))
            },
        )?;
        let sql = format!("SELECT {COLUMNS}, {PAYLOAD} FROM events e WHERE e.num = ?1");
        let mut out = Vec::with_capacity(places.len());
        for (event, session, actor, session_id) in places {
            let reader = EventReader::new(self, memory, &actor, &session_id, session)?;
            out.extend(self.one(&sql, [event], |row| reader.read(row, true))?);
        }
        Ok(out)
    }
}
