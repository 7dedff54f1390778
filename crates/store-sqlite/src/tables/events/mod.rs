//! The table of events, with their sessions, branches and progress.

mod bounds;
mod pages;
mod rewrites;
pub(super) mod rows;
mod sweep;

use loci_model::event::{Branch, Event, EventLoad, ExtractionMode, MAIN_BRANCH};
use loci_model::ports::store::{
    ActorPage, EventPlace, EventQuery, Events, EventsBefore, NewestUnread, SessionEntry, SessionPage,
    UnreadEvent,
};
use loci_model::principal::bounds::Bounds;
use loci_model::{ActorId, BranchName, Error, EventId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::json;
use loci_store_kit::event_members::EventMore;
use loci_store_kit::row_readers::main_branch;
use loci_store_kit::tables::{exchanges, jobs};
use rusqlite::params;

use crate::errors::stored;
use crate::tx::{Column, SqlTx, limit, signed, unsigned};
use rows::{COLUMNS, EventReader, PAYLOAD, row_number};

/// The maximum number of unread events whose sizes are summed. Windows are smaller, and a session
/// that waits for days may have many.
const COUNTED_MAX: usize = 4_096;

impl SqlTx<'_> {
    /// Returns the number of a known session.
    pub(super) fn session_number(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Option<i64>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT num FROM sessions WHERE mem = ?1 AND actor = ?2 AND session = ?3";
        self.one(sql, params![memory, actor.as_str(), session.as_str()], |row| row.take(0))
    }

    /// Returns the number of a session, and inserts it if new.
    fn need_session(&self, memory: &MemoryId, actor: &ActorId, session: &SessionId) -> Result<i64> {
        if let Some(number) = self.session_number(memory, actor, session)? {
            return Ok(number);
        }
        let memory = self.need(memory)?;
        self.run(
            "INSERT INTO sessions(mem, actor, session) VALUES (?1, ?2, ?3)",
            params![memory, actor.as_str(), session.as_str()],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    fn branch_number(&self, session: i64, name: &BranchName) -> Result<Option<i64>> {
        if name.as_str() == MAIN_BRANCH {
            return Ok(None);
        }
        let sql = "SELECT num FROM branches WHERE sess = ?1 AND name = ?2";
        let number = self.one(sql, params![session, name.as_str()], |row| row.take(0))?;
        number.map(Some).ok_or_else(|| Error::conflict("the branch of the event is not open: open it first"))
    }

    fn next_arrival(&self, memory: i64) -> Result<u64> {
        let sql = "UPDATE memories SET arrival = arrival + 1 WHERE num = ?1 RETURNING arrival";
        let arrival = self.one(sql, [memory], |row| row.take(0))?;
        arrival.map(unsigned).ok_or_else(|| Error::not_found("the memory does not exist"))
    }

    pub(super) fn insert_row(&self, event: &Event, memory: i64, session: i64, arrival: u64) -> Result<()> {
        let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
        self.run(
            "INSERT INTO events(num, mem, sess, id, br, hidden, extract, expires, time, arrived, items, meta, more, payload, \
             messages, tokens) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            params![
                row_number(memory, arrival),
                memory,
                session,
                event.id.as_str(),
                self.branch_number(session, &event.branch.name)?,
                event.hidden,
                event.extraction == ExtractionMode::Extract,
                event.expires.millis(),
                event.time.millis(),
                event.arrived.millis(),
                limit(event.payload.len()),
                metadata,
                EventMore::of(event)?,
                json(&event.payload)?,
                event.load.messages,
                event.load.tokens
            ],
        )?;
        Ok(())
    }

    /// Returns the live events of one session with extraction that meet `condition` on `?3`, in
    /// `order`.
    fn extractable(
        &self,
        place: (&MemoryId, &ActorId, &SessionId),
        condition: (&str, rusqlite::types::Value),
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let (memory, actor, session) = place;
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(Vec::new()) };
        let reader = EventReader::new(self, memory, actor, session, number)?;
        let (tail, value) = condition;
        let sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD} FROM events e WHERE e.sess = ?1 AND e.extract = 1 AND e.deleted = 0 \
             AND e.expires > ?2 AND {tail} LIMIT ?4"
        );
        self.all(&sql, params![number, now.millis(), value, limit(count)], |row| reader.read(row, true))
    }

    /// Returns a live event of a kind.
    fn live_event(
        &self,
        (memory, actor, session): (&MemoryId, &ActorId, &SessionId),
        id: &EventId,
        kind: &str,
        now: Timestamp,
    ) -> Result<Option<Event>> {
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(None) };
        let reader = EventReader::new(self, memory, actor, session, number)?;
        let sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD} FROM events e WHERE e.sess = ?1 AND e.id = ?2 AND {kind} \
             AND e.deleted = 0 AND e.expires > ?3"
        );
        self.one(&sql, params![number, id.as_str(), now.millis()], |row| reader.read(row, true))
    }
}

impl Events for SqlTx<'_> {
    fn get(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>> {
        self.live_event((memory, actor, session), id, "e.hidden = 0", now)
    }

    fn source(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>> {
        self.live_event((memory, actor, session), id, "e.extract = 1", now)
    }

    fn place(&self, memory: &MemoryId, id: &EventId) -> Result<Option<EventPlace>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT s.actor, s.session, b.name FROM events e JOIN sessions s ON s.num = e.sess \
                   LEFT JOIN branches b ON b.num = e.br WHERE e.mem = ?1 AND e.id = ?2 AND e.hidden = 0";
        self.one(sql, params![memory, id.as_str()], |row| {
            let branch: Option<String> = row.take(2)?;
            Ok(EventPlace {
                actor: stored(ActorId::parse(row.take::<String>(0)?), "actor")?,
                session: stored(SessionId::parse(row.take::<String>(1)?), "session")?,
                branch: match branch {
                    Some(name) => stored(BranchName::parse(name), "branch")?,
                    None => main_branch()?.name,
                },
            })
        })
    }

    fn list(&self, query: &EventQuery) -> Result<Vec<Event>> {
        self.event_page(query)
    }

    fn last_place(&self, memory: &MemoryId, time: Timestamp) -> Result<Option<u32>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let (first, last) = (EventId::compose(time.millis(), 0), EventId::compose(time.millis(), u32::MAX));
        let sql = "SELECT id FROM events WHERE mem = ?1 AND id >= ?2 AND id <= ?3 ORDER BY id DESC LIMIT 1";
        let here = self.one(sql, params![memory, first.as_str(), last.as_str()], |row| {
            Ok(stored(EventId::parse(row.take::<String>(0)?), "event id")?.place())
        })?;
        let sql = "SELECT place FROM event_places WHERE mem = ?1 AND time = ?2";
        let removed = self.one(sql, params![memory, time.millis()], |row| row.take::<u32>(0))?;
        Ok(here.flatten().max(removed))
    }

    fn insert(&mut self, event: &Event) -> Result<u64> {
        let memory = self.need(&event.memory)?;
        let session = self.need_session(&event.memory, &event.actor, &event.session)?;
        let arrival = self.next_arrival(memory)?;
        self.insert_row(event, memory, session, arrival)?;
        if event.hidden {
            // Keeps an unlisted session from being swept while it may get further turns.
            let sql = "UPDATE sessions SET ends = max(ends, ?2) WHERE num = ?1 AND created IS NULL";
            self.run(sql, params![session, event.arrived.millis()])?;
            return Ok(arrival);
        }
        self.insert_metadata(event, session)?;
        // A session that has long been empty starts again.
        self.run(
            "UPDATE sessions SET created = CASE WHEN created IS NULL OR ends + ?4 <= ?2 THEN ?2 ELSE created END, \
             ends = max(ends, ?3) WHERE num = ?1",
            params![
                session,
                event.arrived.millis(),
                event.expires.millis(),
                loci_model::limits::EMPTY_SESSION_MS
            ],
        )?;
        Ok(arrival)
    }

    fn rewrite(&mut self, event: &Event) -> Result<bool> {
        self.rewrite_event(event)
    }

    fn delete(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        at: Timestamp,
    ) -> Result<bool> {
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(false) };
        let sql = "SELECT num, expires FROM events WHERE sess = ?1 AND id = ?2 AND hidden = 0 AND deleted = 0 \
                   AND expires > ?3";
        let found = self.one(sql, params![number, id.as_str(), at.millis()], |row| {
            Ok((row.take::<i64>(0)?, row.take::<i64>(1)?))
        })?;
        let Some((event, expires)) = found else { return Ok(false) };
        self.run("UPDATE events SET deleted = 1, expires = ?2 WHERE num = ?1", params![event, at.millis()])?;
        // The session ends later than this event would have expired: nothing changes for it.
        self.run(
            "UPDATE sessions SET ends = (SELECT max(expires) FROM events WHERE sess = ?1 AND hidden = 0) \
             WHERE num = ?1 AND ends <= ?2",
            params![number, expires],
        )?;
        Ok(true)
    }

    fn branch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        name: &BranchName,
    ) -> Result<Option<Branch>> {
        if name.as_str() == MAIN_BRANCH {
            return main_branch().map(Some);
        }
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(None) };
        let sql = "SELECT root FROM branches WHERE sess = ?1 AND name = ?2";
        self.one(sql, params![number, name.as_str()], |row| {
            let root = stored(EventId::parse(row.take::<String>(0)?), "branch")?;
            Ok(Branch { name: name.clone(), root: Some(root) })
        })
    }

    fn insert_branch(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        branch: &Branch,
    ) -> Result<()> {
        let Some(root) = branch.root.as_ref().filter(|_| !branch.is_main()) else {
            return Err(Error::conflict("main always exists and every other branch has a root"));
        };
        let number = self.need_session(memory, actor, session)?;
        self.run(
            "INSERT INTO branches(sess, name, root) VALUES (?1, ?2, ?3)",
            params![number, branch.name.as_str(), root.as_str()],
        )?;
        Ok(())
    }

    fn actors(&self, page: &ActorPage) -> Result<Vec<ActorId>> {
        self.actor_page(page)
    }

    fn sessions(&self, page: &SessionPage) -> Result<Vec<SessionEntry>> {
        self.session_page(page)
    }

    fn unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let after = row_number(number, arrival);
        self.extractable((memory, actor, session), ("e.num > ?3 ORDER BY e.num", after.into()), count, now)
    }

    fn newest_unread(&self, query: &NewestUnread) -> Result<Vec<UnreadEvent>> {
        self.unread_from_the_last(query)
    }

    fn unread_at(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrivals: &[u64],
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let rows: Vec<i64> = arrivals.iter().map(|arrival| row_number(number, *arrival)).collect();
        let condition = "e.num IN (SELECT value FROM json_each(?3)) ORDER BY e.num";
        self.extractable((memory, actor, session), (condition, json(&rows)?.into()), rows.len(), now)
    }

    fn unprocessed_items(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        count: usize,
        now: Timestamp,
    ) -> Result<usize> {
        let Some(place) = self.number(memory)? else { return Ok(0) };
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(0) };
        let sql = "SELECT coalesce(sum(items), 0) FROM (SELECT items FROM events WHERE sess = ?1 AND extract = 1 \
                   AND deleted = 0 AND expires > ?2 AND num > ?3 ORDER BY num LIMIT ?4)";
        let values = params![number, now.millis(), row_number(place, arrival), limit(count)];
        let items = self.one(sql, values, |row| row.take::<i64>(0))?.unwrap_or(0);
        Ok(usize::try_from(items).unwrap_or(0))
    }

    fn first_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let Some(place) = self.number(memory)? else { return Ok(None) };
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(None) };
        let sql = "SELECT arrived FROM events WHERE sess = ?1 AND extract = 1 AND num > ?2 AND deleted = 0 \
                   AND expires > ?3 ORDER BY num LIMIT 1";
        let values = params![number, row_number(place, arrival), now.millis()];
        self.one(sql, values, |row| Ok(Timestamp::clamped(row.take(0)?)))
    }

    fn has_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        only: &Bounds,
        now: Timestamp,
    ) -> Result<bool> {
        self.has_unread((memory, actor, session), arrival, only, now)
    }

    fn load(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<EventLoad> {
        let Some(place) = self.number(memory)? else { return Ok(EventLoad::default()) };
        let Some(number) = self.session_number(memory, actor, session)? else {
            return Ok(EventLoad::default());
        };
        // The index of unread events contains all columns, so that a backlog does not slow down
        // every event of a session.
        let sql = "SELECT coalesce(sum(messages), 0), coalesce(sum(tokens), 0) FROM (SELECT messages, tokens FROM events \
                   WHERE sess = ?1 AND extract = 1 AND num > ?2 AND deleted = 0 AND expires > ?3 ORDER BY num LIMIT ?4)";
        let values = params![number, row_number(place, arrival), now.millis(), limit(COUNTED_MAX)];
        let sum = self.one(sql, values, |row| {
            let counted = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
            Ok(EventLoad { messages: counted(row.take(0)?), tokens: counted(row.take(1)?) })
        })?;
        Ok(sum.unwrap_or_default())
    }

    fn before(&self, query: &EventsBefore) -> Result<Vec<Event>> {
        self.events_before(query)
    }

    fn session_events(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        after: Option<&EventId>,
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let after = after.map_or(String::new(), |id| id.as_str().to_owned());
        self.extractable((memory, actor, session), ("e.id > ?3 ORDER BY e.id", after.into()), count, now)
    }

    fn progress(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<u64> {
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(0) };
        let sql = "SELECT arrival FROM progress WHERE sess = ?1 AND strategy = ?2";
        let arrival = self.one(sql, params![number, strategy.as_str()], |row| row.take(0))?;
        Ok(unsigned(arrival.unwrap_or(0)))
    }

    fn set_progress(
        &mut self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
    ) -> Result<()> {
        let number = self.need_session(memory, actor, session)?;
        self.run(
            "INSERT INTO progress(sess, strategy, arrival) VALUES (?1, ?2, ?3) \
             ON CONFLICT(sess, strategy) DO UPDATE SET arrival = excluded.arrival",
            params![number, strategy.as_str(), signed(arrival)],
        )?;
        Ok(())
    }

    fn drop_ingested(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        strategies: &[StrategyId],
    ) -> Result<()> {
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(()) };
        let place = self.need(memory)?;
        let mut read = u64::MAX;
        for strategy in strategies {
            read = read.min(self.progress(memory, strategy, actor, session)?);
        }
        let last = if read == u64::MAX { i64::MAX } else { row_number(place, read) };
        // Events that a job must read again stay until the job has read them, or is deleted.
        let condition = "sess = ?1 AND hidden = 1 AND num <= ?2 AND id NOT IN \
                         (SELECT m.value ->> 'event' FROM jobs j, json_each(j.messages) m \
                         WHERE j.mem = ?3 AND j.state < 3 AND j.actor = ?4 AND j.session = ?5)";
        let values = params![number, last, place, actor.as_str(), session.as_str()];
        self.remember_places(condition, values)?;
        self.run(&format!("DELETE FROM events WHERE {condition}"), values)?;
        Ok(())
    }

    fn seen_turns(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        numbers: (u64, u64),
    ) -> Result<Vec<(u64, String)>> {
        let Some(number) = self.session_number(memory, actor, session)? else { return Ok(Vec::new()) };
        let sql = "SELECT number, digest FROM turns WHERE sess = ?1 AND run = ?2 AND number >= ?3 AND number <= ?4 \
                   ORDER BY number, digest";
        let (first, last) = numbers;
        self.all(sql, params![number, run, signed(first), signed(last)], |row| {
            Ok((unsigned(row.take(0)?), row.take(1)?))
        })
    }

    fn note_turns(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        turns: &[(u64, String)],
    ) -> Result<()> {
        let place = self.need_session(memory, actor, session)?;
        for (number, digest) in turns {
            self.run(
                "INSERT OR IGNORE INTO turns(sess, run, number, digest) VALUES (?1, ?2, ?3, ?4)",
                params![place, run, signed(*number), digest],
            )?;
        }
        Ok(())
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        for (memory, actor, session) in self.expired_sessions(now, rows)? {
            for job in exchanges::drop_of_session(self, &memory, &actor, &session)? {
                jobs::wake(self, &memory, &job, now)?;
            }
        }
        self.sweep_events(now, rows)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        self.forget_events(memory, actor)
    }

    fn export(&self, memory: &MemoryId, after: u64, count: usize, now: Timestamp) -> Result<Vec<Event>> {
        self.export_events(memory, after, count, now)
    }
}
