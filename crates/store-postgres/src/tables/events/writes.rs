//! Writes the row of an event, its session and its metadata, without waiting for responses.

use loci_model::event::{Event, ExtractionMode};
use loci_model::{ActorId, Error, MemoryId, Result, SessionId, StrategyId, limits};
use loci_store_kit::codes::json;
use loci_store_kit::event_members::EventMore;

use super::rows::{branch_name, plain};
use crate::digests::{Key16, session_key};
use crate::tx::{Column, OwnedValues, PgTx, limit};

impl PgTx<'_> {
    /// Returns the number of the memory and the key of the session, and inserts the session if it
    /// is new.
    pub(super) fn need_session(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<(i64, Key16)> {
        let (number, key) = (self.need(memory)?, session_key(actor, session));
        self.later(
            "INSERT INTO sessions(mem, sess, actor, session, ends) VALUES ($1, $2, $3, $4, 0) \
             ON CONFLICT (mem, sess) DO NOTHING",
            vec![
                Box::new(number),
                Box::new(key),
                Box::new(actor.as_str().to_owned()),
                Box::new(session.as_str().to_owned()),
            ],
        );
        Ok((number, key))
    }

    pub(super) fn insert_event(
        &self,
        event: &Event,
        (memory, session): (i64, Key16),
        arrival: i64,
    ) -> Result<()> {
        let branch = branch_name(&event.branch.name);
        if let Some(name) = branch {
            let sql = "SELECT 1 FROM branches WHERE mem = $1 AND sess = $2 AND name = $3";
            if self.one(sql, &[&memory, &session, &name], |_| Ok(()))?.is_none() {
                return Err(Error::conflict("the branch of the event is not open: open it first"));
            }
        }
        let metadata = if event.metadata.is_empty() { None } else { Some(json(&event.metadata)?) };
        self.later(
            "INSERT INTO events(mem, arrival, sess, id, branch, hidden, extract, expires, time, arrived, items, messages, \
             tokens, meta, more, payload) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
            vec![
                Box::new(memory),
                Box::new(arrival),
                Box::new(session),
                Box::new(event.id.as_str().to_owned()),
                Box::new(branch.map(str::to_owned)),
                Box::new(event.hidden),
                Box::new(event.extraction == ExtractionMode::Extract),
                Box::new(event.expires.millis()),
                Box::new(event.time.millis()),
                Box::new(event.arrived.millis()),
                Box::new(limit(event.payload.len())),
                Box::new(i64::from(event.load.messages)),
                Box::new(i64::from(event.load.tokens)),
                Box::new(metadata),
                Box::new(EventMore::of(event)?),
                Box::new(json(&event.payload)?),
            ],
        );
        Ok(())
    }

    /// Records the session of an event, and the time until which it has events.
    pub(super) fn note_session(&self, event: &Event, (memory, session): (i64, Key16)) {
        let (sql, times): (_, Vec<i64>) = if event.hidden {
            // Keeps an unlisted session from being swept while it may get further turns.
            let sql = "INSERT INTO sessions(mem, sess, actor, session, ends) VALUES ($1, $2, $3, $4, $5) \
                       ON CONFLICT (mem, sess) DO UPDATE SET ends = greatest(sessions.ends, excluded.ends) \
                       WHERE sessions.created IS NULL";
            (sql, vec![event.arrived.millis()])
        } else {
            // A session that has long been empty starts again.
            let sql = "INSERT INTO sessions(mem, sess, actor, session, ends, created) VALUES ($1, $2, $3, $4, $5, $6) \
                       ON CONFLICT (mem, sess) DO UPDATE SET \
                       created = CASE WHEN sessions.created IS NULL OR sessions.ends + $7 <= excluded.created \
                       THEN excluded.created ELSE sessions.created END, \
                       ends = greatest(sessions.ends, excluded.ends)";
            (sql, vec![event.expires.millis(), event.arrived.millis(), limits::EMPTY_SESSION_MS])
        };
        let mut values: OwnedValues = vec![
            Box::new(memory),
            Box::new(session),
            Box::new(event.actor.as_str().to_owned()),
            Box::new(event.session.as_str().to_owned()),
        ];
        for time in times {
            values.push(Box::new(time));
        }
        self.later(sql, values);
    }

    pub(super) fn note_metadata(&self, event: &Event, (memory, session): (i64, Key16)) {
        if event.metadata.is_empty() {
            return;
        }
        let (keys, values): (Vec<String>, Vec<String>) =
            event.metadata.iter().map(|(key, value)| (plain(key), plain(value))).unzip();
        // Two keys may differ only in characters that the table cannot store.
        self.later(
            "INSERT INTO event_meta(mem, sess, key, value, id) \
             SELECT $1, $2, m.key, m.value, $3 FROM unnest($4::text[], $5::text[]) AS m(key, value) \
             ON CONFLICT DO NOTHING",
            vec![
                Box::new(memory),
                Box::new(session),
                Box::new(event.id.as_str().to_owned()),
                Box::new(keys),
                Box::new(values),
            ],
        );
    }

    /// Returns the position up to which all of these strategies have read; `i64::MAX` for none.
    pub(super) fn read_by_all(
        &self,
        (memory, session): (i64, Key16),
        strategies: &[StrategyId],
    ) -> Result<i64> {
        if strategies.is_empty() {
            return Ok(i64::MAX);
        }
        let names: Vec<&str> = strategies.iter().map(StrategyId::as_str).collect();
        let sql = "SELECT min(coalesce(p.arrival, 0)) FROM unnest($3::text[]) AS s(name) \
                   LEFT JOIN progress p ON p.mem = $1 AND p.sess = $2 AND p.strategy = s.name";
        let read = self.one(sql, &[&memory, &session, &names], |row| row.take::<Option<i64>>(0))?;
        Ok(read.flatten().unwrap_or(0))
    }
}
