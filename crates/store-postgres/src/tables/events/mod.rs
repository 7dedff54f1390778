//! The table of events, with their sessions, branches and progress.

mod pages;
pub(super) mod rows;
mod sweep;
mod writes;

use loci_model::event::{Branch, Event, EventLoad, MAIN_BRANCH};
use loci_model::ports::store::{
    ActorPage, EventPlace, EventQuery, Events, EventsBefore, NewestUnread, SessionEntry, SessionPage,
    UnreadEvent,
};
use loci_model::principal::bounds::Bounds;
use loci_model::{ActorId, BranchName, Error, EventId, MemoryId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::json;
use loci_store_kit::row_readers::{EventOf, main_branch};
use tokio_postgres::types::ToSql;

use crate::digests::{Key16, session_key};
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit, signed, uint, unsigned};
use rows::{COLUMNS, FROM, PAYLOAD, plain, read};

/// The maximum number of unread events whose sizes are summed. Windows are smaller, and a session
/// that waits for days may have many.
const COUNTED_MAX: usize = 4_096;

/// Selects the live events of one session with extraction.
const UNREAD: &str = "e.mem = $1 AND e.sess = $2 AND e.extract AND NOT e.deleted AND e.expires > $3";

impl PgTx<'_> {
    /// Returns the number of a live memory and the key of its session, which need not exist.
    pub(super) fn session_place(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<Option<(i64, Key16)>> {
        Ok(self.number(memory)?.map(|number| (number, session_key(actor, session))))
    }

    /// Returns a live event of a kind.
    fn live_event(&self, of: EventOf<'_>, id: &EventId, kind: &str, now: Timestamp) -> Result<Option<Event>> {
        let EventOf { memory, actor, session } = of;
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(None) };
        let sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD} FROM {FROM} WHERE e.mem = $1 AND e.sess = $2 AND e.id = $3 AND {kind} \
             AND NOT e.deleted AND e.expires > $4"
        );
        self.one(&sql, &[&number, &key, &id.as_str(), &now.millis()], |row| read(of, row, true))
    }

    /// Returns the live events of one session with extraction that meet `condition` on `$4`, in its
    /// order.
    fn extractable(
        &self,
        of: EventOf<'_>,
        (condition, value): (&str, &(dyn ToSql + Sync)),
        count: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>> {
        let EventOf { memory, actor, session } = of;
        let Some((number, key)) = self.session_place(memory, actor, session)? else {
            return Ok(Vec::new());
        };
        let sql = format!("SELECT {COLUMNS}, {PAYLOAD} FROM {FROM} WHERE {UNREAD} AND {condition} LIMIT $5");
        self.all(&sql, &[&number, &key, &now.millis(), value, &limit(count)], |row| read(of, row, true))
    }
}

impl Events for PgTx<'_> {
    fn get(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>> {
        self.live_event(EventOf { memory, actor, session }, id, "NOT e.hidden", now)
    }

    fn source(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>> {
        self.live_event(EventOf { memory, actor, session }, id, "e.extract", now)
    }

    fn place(&self, memory: &MemoryId, id: &EventId) -> Result<Option<EventPlace>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT s.actor, s.session, e.branch FROM events e JOIN sessions s ON s.mem = e.mem AND s.sess = e.sess \
                   WHERE e.mem = $1 AND e.id = $2 AND NOT e.hidden";
        self.one(sql, &[&memory, &id.as_str()], |row| {
            Ok(EventPlace {
                actor: stored(ActorId::parse(row.take::<String>(0)?), "actor")?,
                session: stored(SessionId::parse(row.take::<String>(1)?), "session")?,
                branch: match row.take::<Option<String>>(2)? {
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
        let sql = "SELECT (SELECT id FROM events WHERE mem = $1 AND id >= $2 AND id <= $3 ORDER BY id DESC LIMIT 1), \
                   (SELECT place FROM event_places WHERE mem = $1 AND time = $4)";
        let found = self.one(sql, &[&memory, &first.as_str(), &last.as_str(), &time.millis()], |row| {
            let here: Option<String> = row.take(0)?;
            let here = here.map(|id| stored(EventId::parse(id), "event id")).transpose()?;
            Ok(here.and_then(|id| id.place()).max(row.take::<Option<i64>>(1)?.map(uint)))
        })?;
        Ok(found.flatten())
    }

    fn insert(&mut self, event: &Event) -> Result<u64> {
        let place = (self.need(&event.memory)?, session_key(&event.actor, &event.session));
        let arrival = self.count(&event.memory, |counters| {
            counters.arrival += 1;
            counters.arrival
        })?;
        self.insert_event(event, place, arrival)?;
        self.note_session(event, place);
        if !event.hidden {
            self.note_metadata(event, place);
        }
        Ok(unsigned(arrival))
    }

    fn rewrite(&mut self, event: &Event) -> Result<bool> {
        let Some((memory, key)) = self.session_place(&event.memory, &event.actor, &event.session)? else {
            return Ok(false);
        };
        let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
        let (id, payload) = (event.id.as_str(), json(&event.payload)?);
        let changed = self.run(
            "UPDATE events SET meta = $4, payload = $5 WHERE mem = $1 AND sess = $2 AND id = $3 RETURNING 1",
            &[&memory, &key, &id, &metadata, &payload],
        )?;
        if changed == 0 {
            return Ok(false);
        }
        self.later(
            "DELETE FROM event_meta WHERE mem = $1 AND sess = $2 AND id = $3",
            vec![Box::new(memory), Box::new(key), Box::new(id.to_owned())],
        );
        if !event.hidden {
            self.note_metadata(event, (memory, key));
        }
        Ok(true)
    }

    fn delete(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        at: Timestamp,
    ) -> Result<bool> {
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(false) };
        let sql = "SELECT arrival, expires FROM events WHERE mem = $1 AND sess = $2 AND id = $3 AND NOT hidden \
                   AND NOT deleted AND expires > $4";
        let found = self.one(sql, &[&number, &key, &id.as_str(), &at.millis()], |row| {
            Ok((row.take::<i64>(0)?, row.take::<i64>(1)?))
        })?;
        let Some((event, expires)) = found else { return Ok(false) };
        self.later(
            "UPDATE events SET deleted = TRUE, expires = $3 WHERE mem = $1 AND arrival = $2",
            vec![Box::new(number), Box::new(event), Box::new(at.millis())],
        );
        // The session ends later than this event would have expired: nothing changes for it.
        self.later(
            "UPDATE sessions SET ends = \
             (SELECT max(e.expires) FROM events e WHERE e.mem = $1 AND e.sess = $2 AND NOT e.hidden) \
             WHERE mem = $1 AND sess = $2 AND ends <= $3",
            vec![Box::new(number), Box::new(key), Box::new(expires)],
        );
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
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(None) };
        let sql = "SELECT root FROM branches WHERE mem = $1 AND sess = $2 AND name = $3";
        self.one(sql, &[&number, &key, &name.as_str()], |row| {
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
        let (number, key) = self.need_session(memory, actor, session)?;
        self.rows(
            "INSERT INTO branches(mem, sess, name, root) VALUES ($1, $2, $3, $4)",
            &[&number, &key, &branch.name.as_str(), &root.as_str()],
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
        let after = signed(arrival);
        let condition: (&str, &(dyn ToSql + Sync)) = ("e.arrival > $4 ORDER BY e.arrival", &after);
        self.extractable(EventOf { memory, actor, session }, condition, count, now)
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
        let rows: Vec<i64> = arrivals.iter().copied().map(signed).collect();
        let condition: (&str, &(dyn ToSql + Sync)) = ("e.arrival = ANY($4) ORDER BY e.arrival", &rows);
        self.extractable(EventOf { memory, actor, session }, condition, rows.len(), now)
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
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(0) };
        let sql = format!(
            "SELECT coalesce(sum(items), 0)::bigint FROM \
             (SELECT e.items FROM events e WHERE {UNREAD} AND e.arrival > $4 ORDER BY e.arrival LIMIT $5) AS unread"
        );
        let values: crate::connection::Values<'_> =
            &[&number, &key, &now.millis(), &signed(arrival), &limit(count)];
        let items = self.one(&sql, values, |row| row.take::<i64>(0))?.unwrap_or(0);
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
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(None) };
        let sql = format!(
            "SELECT e.arrived FROM events e WHERE {UNREAD} AND e.arrival > $4 ORDER BY e.arrival LIMIT 1"
        );
        let values: crate::connection::Values<'_> = &[&number, &key, &now.millis(), &signed(arrival)];
        self.one(&sql, values, |row| Ok(Timestamp::clamped(row.take(0)?)))
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
        self.has_unread(EventOf { memory, actor, session }, arrival, only, now)
    }

    fn load(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<EventLoad> {
        let Some((number, key)) = self.session_place(memory, actor, session)? else {
            return Ok(EventLoad::default());
        };
        let sql = format!(
            "SELECT coalesce(sum(messages), 0)::bigint, coalesce(sum(tokens), 0)::bigint FROM \
             (SELECT e.messages, e.tokens FROM events e WHERE {UNREAD} AND e.arrival > $4 ORDER BY e.arrival LIMIT $5) \
             AS unread"
        );
        let values: crate::connection::Values<'_> =
            &[&number, &key, &now.millis(), &signed(arrival), &limit(COUNTED_MAX)];
        let sum = self.one(&sql, values, |row| {
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
        let after = after.map_or("", |id| id.as_str());
        let condition: (&str, &(dyn ToSql + Sync)) = ("e.id > $4 ORDER BY e.id", &after);
        self.extractable(EventOf { memory, actor, session }, condition, count, now)
    }

    fn progress(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<u64> {
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(0) };
        let sql = "SELECT arrival FROM progress WHERE mem = $1 AND sess = $2 AND strategy = $3";
        let arrival = self.one(sql, &[&number, &key, &strategy.as_str()], |row| row.take(0))?;
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
        let (number, key) = self.need_session(memory, actor, session)?;
        self.later(
            "INSERT INTO progress(mem, sess, strategy, arrival) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (mem, sess, strategy) DO UPDATE SET arrival = excluded.arrival",
            vec![
                Box::new(number),
                Box::new(key),
                Box::new(strategy.as_str().to_owned()),
                Box::new(signed(arrival)),
            ],
        );
        Ok(())
    }

    fn drop_ingested(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        strategies: &[StrategyId],
    ) -> Result<()> {
        let Some((number, key)) = self.session_place(memory, actor, session)? else { return Ok(()) };
        let last = self.read_by_all((number, key), strategies)?;
        // Events that a job must read again stay until the job has read them, or is deleted.
        let ids = self.all(
            "DELETE FROM events WHERE mem = $1 AND sess = $2 AND hidden AND arrival <= $3 AND id NOT IN \
             (SELECT m.message ->> 'event' FROM jobs j, jsonb_array_elements(j.messages::jsonb) AS m(message) \
             WHERE j.mem = $1 AND j.state < 3 AND j.actor = $4 AND j.session = $5) RETURNING id",
            &[&number, &key, &last, &actor.as_str(), &session.as_str()],
            |row| row.take::<String>(0),
        )?;
        self.remember_places(number, &ids)
    }

    fn seen_turns(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        numbers: (u64, u64),
    ) -> Result<Vec<(u64, String)>> {
        let Some((number, key)) = self.session_place(memory, actor, session)? else {
            return Ok(Vec::new());
        };
        let sql = "SELECT number, digest FROM turns WHERE mem = $1 AND sess = $2 AND run = $3 AND number >= $4 \
                   AND number <= $5 ORDER BY number, digest";
        let (first, last) = (signed(numbers.0), signed(numbers.1));
        self.all(sql, &[&number, &key, &plain(run), &first, &last], |row| {
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
        let (memory, key) = self.need_session(memory, actor, session)?;
        let (numbers, digests): (Vec<i64>, Vec<String>) =
            turns.iter().map(|(number, digest)| (signed(*number), digest.clone())).unzip();
        self.later(
            "INSERT INTO turns(mem, sess, run, number, digest) \
             SELECT $1, $2, $3, t.number, t.digest FROM unnest($4::bigint[], $5::text[]) AS t(number, digest) \
             ON CONFLICT DO NOTHING",
            vec![
                Box::new(memory),
                Box::new(key),
                Box::new(plain(run)),
                Box::new(numbers),
                Box::new(digests),
            ],
        );
        Ok(())
    }

    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize> {
        self.sweep_events(now, rows)
    }

    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64> {
        self.forget_events(memory, actor)
    }

    fn export(&self, memory: &MemoryId, after: u64, count: usize, now: Timestamp) -> Result<Vec<Event>> {
        self.export_events(memory, after, count, now)
    }
}
