//! Pages of events, actors and sessions.

use loci_model::event::filter::EventFilter;
use loci_model::event::{Event, MAIN_BRANCH};
use loci_model::ports::store::{
    ActorPage, BranchSlice, EventQuery, EventsBefore, NewestUnread, SessionEntry, SessionPage, UnreadEvent,
};
use loci_model::principal::bounds::Bounds;
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp, limits};
use rusqlite::{params, params_from_iter};

use super::bounds::{common_value, of_bounds};
use super::rows::{COLUMNS, EventReader, PAYLOAD, PAYLOAD_AT, row_number};
use crate::bound_values::SqliteBoundParameters;
use crate::errors::stored;
use crate::tx::{Column, SqlTx, unsigned};
use loci_store_kit::unreadable_rows::readable;

impl SqlTx<'_> {
    pub(super) fn event_page(&self, query: &EventQuery) -> Result<Vec<Event>> {
        let mut out = Vec::new();
        let session = self.session_number(&query.memory, &query.actor, &query.session)?;
        let Some(session) = session.filter(|_| query.limit > 0) else { return Ok(out) };
        let Some((sql, bound)) = self.event_query(session, query)? else { return Ok(out) };
        let reader = EventReader::new(self, &query.memory, &query.actor, &query.session, session)?;
        self.each(&sql, params_from_iter(bound.values()), |row| {
            let admitted = query.metadata.is_empty() || {
                let metadata = EventReader::metadata(row)?;
                query.metadata.iter().all(|filter| filter.admits(&metadata))
            };
            if admitted {
                out.extend(readable("event", reader.read(row, query.with_payload))?);
            }
            Ok(out.len() < query.limit)
        })?;
        Ok(out)
    }

    /// Returns the statement of a page; `None` if no requested branch exists.
    fn event_query(
        &self,
        session: i64,
        query: &EventQuery,
    ) -> Result<Option<(String, SqliteBoundParameters)>> {
        let mut bound = SqliteBoundParameters::default();
        let (session_at, now) = (bound.put(session), bound.put(query.now.millis()));
        // The first equality filter is the driver: its index returns the events in order. The other
        // filters read the rows.
        let equality = query.metadata.iter().find_map(|filter| match filter {
            EventFilter::Equals(key, value) => Some((key, value)),
            EventFilter::Exists(_) | EventFilter::NotExists(_) => None,
        });
        let driver = equality.or_else(|| common_value(query.only.as_deref()?));
        let (tables, order) = match driver {
            Some((key, value)) => {
                let (key, value) = (bound.put(key.clone()), bound.put(value.clone()));
                let join = format!(
                    "event_meta f CROSS JOIN events e ON f.sess = {session_at} AND f.key = {key} AND f.value = {value} \
                     AND e.id = f.id"
                );
                (join, "f.id")
            }
            None => ("events e".to_owned(), "e.id"),
        };
        let payload = if query.with_payload { format!(", {PAYLOAD}") } else { String::new() };
        let mut sql = format!(
            "SELECT {COLUMNS}{payload} FROM {tables} WHERE e.sess = {session_at} AND e.hidden = 0 AND e.deleted = 0 \
             AND e.expires > {now}"
        );
        if let Some(only) = &query.only {
            sql.push_str(&of_bounds(only, &session_at, driver.is_none(), &mut bound));
        }
        if let Some(before) = &query.before {
            sql.push_str(&format!(" AND {order} < {}", bound.put(before.as_str().to_owned())));
        }
        if let Some(slices) = &query.branches {
            let Some(condition) = self.branch_condition(session, slices, &mut bound)? else {
                return Ok(None);
            };
            sql.push_str(&format!(" AND ({condition})"));
        }
        sql.push_str(&format!(" ORDER BY {order} DESC"));
        Ok(Some((sql, bound)))
    }

    pub(super) fn events_before(&self, query: &EventsBefore) -> Result<Vec<Event>> {
        let place = self.number(&query.memory)?;
        let session = self.session_number(&query.memory, &query.actor, &query.session)?;
        let Some((place, session)) = place.zip(session) else { return Ok(Vec::new()) };
        let mut bound = SqliteBoundParameters::default();
        let mut sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD} FROM events e WHERE e.sess = {} AND e.extract = 1 AND e.num <= {} \
             AND e.deleted = 0 AND e.expires > {}",
            bound.put(session),
            bound.put(row_number(place, query.arrival)),
            bound.put(query.now.millis())
        );
        if let Some(slices) = &query.branches {
            let Some(condition) = self.branch_condition(session, slices, &mut bound)? else {
                return Ok(Vec::new());
            };
            sql.push_str(&format!(" AND ({condition})"));
        }
        sql.push_str(&format!(" ORDER BY e.num DESC LIMIT {}", bound.put(crate::tx::limit(query.limit))));
        let reader = EventReader::new(self, &query.memory, &query.actor, &query.session, session)?;
        let mut out = self.all(&sql, params_from_iter(bound.values()), |row| reader.read(row, true))?;
        out.reverse();
        Ok(out)
    }

    pub(super) fn unread_from_the_last(&self, query: &NewestUnread) -> Result<Vec<UnreadEvent>> {
        let place = self.number(&query.memory)?;
        let session = self.session_number(&query.memory, &query.actor, &query.session)?;
        let Some((place, session)) = place.zip(session) else { return Ok(Vec::new()) };
        let before = query.before.map_or(i64::MAX, |before| row_number(place, before));
        let reader = EventReader::new(self, &query.memory, &query.actor, &query.session, session)?;
        // The header of a row contains the length of a text in bytes.
        let sql = format!(
            "SELECT {COLUMNS}, octet_length(e.payload) FROM events e WHERE e.sess = ?1 AND e.extract = 1 \
             AND e.num > ?2 AND e.num < ?3 AND e.deleted = 0 AND e.expires > ?4 ORDER BY e.num DESC LIMIT ?5"
        );
        let after = row_number(place, query.after);
        let values = params![session, after, before, query.now.millis(), crate::tx::limit(query.limit)];
        self.all(&sql, values, |row| {
            let event = reader.read(row, false)?;
            Ok(UnreadEvent { event, payload_bytes: unsigned(row.take(PAYLOAD_AT)?) })
        })
    }

    /// True if an unread event exists. Hidden events are not in the metadata index, so the unread
    /// events are scanned without payloads.
    pub(super) fn has_unread(
        &self,
        (memory, actor, session): (&MemoryId, &ActorId, &SessionId),
        arrival: u64,
        only: &Bounds,
        now: Timestamp,
    ) -> Result<bool> {
        let place = self.number(memory)?;
        let number = self.session_number(memory, actor, session)?;
        let Some((place, number)) = place.zip(number) else { return Ok(false) };
        let sql = format!(
            "SELECT {COLUMNS} FROM events e WHERE e.sess = ?1 AND e.extract = 1 AND e.num > ?2 AND e.deleted = 0 \
             AND e.expires > ?3 ORDER BY e.num"
        );
        let reader = EventReader::new(self, memory, actor, session, number)?;
        let mut found = false;
        self.each(&sql, params![number, row_number(place, arrival), now.millis()], |row| {
            found = only.admits_event(&reader.read(row, false)?);
            Ok(!found)
        })?;
        Ok(found)
    }

    /// Returns the condition for the existing slices.
    fn branch_condition(
        &self,
        session: i64,
        slices: &[BranchSlice],
        bound: &mut SqliteBoundParameters,
    ) -> Result<Option<String>> {
        let mut parts = Vec::new();
        for slice in slices {
            let mut part = if slice.branch.as_str() == MAIN_BRANCH {
                "e.br IS NULL".to_owned()
            } else {
                let sql = "SELECT num FROM branches WHERE sess = ?1 AND name = ?2";
                let number =
                    self.one(sql, params![session, slice.branch.as_str()], |row| row.take::<i64>(0))?;
                let Some(number) = number else { continue };
                format!("e.br = {}", bound.put(number))
            };
            if let Some(last) = &slice.up_to {
                part = format!("({part} AND e.id <= {})", bound.put(last.as_str().to_owned()));
            }
            parts.push(part);
        }
        Ok((!parts.is_empty()).then(|| parts.join(" OR ")))
    }

    pub(super) fn actor_page(&self, page: &ActorPage) -> Result<Vec<ActorId>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let mut out = Vec::new();
        let mut after = page.after.as_ref().map_or(String::new(), |actor| actor.as_str().to_owned());
        // One index step per actor, regardless of its number of sessions.
        let sql = "SELECT actor FROM sessions WHERE mem = ?1 AND actor > ?2 AND created IS NOT NULL AND ends > ?3 \
                   ORDER BY actor LIMIT 1";
        while out.len() < page.limit {
            let next =
                self.one(sql, params![memory, after, page.now.millis()], |row| row.take::<String>(0))?;
            let Some(next) = next else { break };
            let actor = readable("actor", stored(ActorId::parse(next.as_str()), "actor"))?;
            out.extend(actor.filter(|actor| page.only.as_ref().is_none_or(|only| only.contains(actor))));
            after = next;
        }
        Ok(out)
    }

    pub(super) fn session_page(&self, page: &SessionPage) -> Result<Vec<SessionEntry>> {
        let mut out = Vec::new();
        let memory = self.number(&page.memory)?;
        let Some(memory) = memory.filter(|_| page.limit > 0) else { return Ok(out) };
        let stays = if page.with_events_only { 0 } else { limits::EMPTY_SESSION_MS };
        let ends_after = page.now.millis().saturating_sub(stays);
        let (created, session) = page
            .after
            .as_ref()
            .map_or((i64::MAX, ""), |(created, session)| (created.millis(), session.as_str()));
        let sql = "SELECT session, created FROM sessions WHERE mem = ?1 AND actor = ?2 AND created <= ?3 \
                   AND (created < ?3 OR session > ?4) AND ends > ?5 ORDER BY created DESC, session";
        self.each(sql, params![memory, page.actor.as_str(), created, session, ends_after], |row| {
            let session = stored(SessionId::parse(row.take::<String>(0)?), "session");
            let Some(session) = readable("session", session)? else { return Ok(true) };
            if page.only.as_ref().is_none_or(|only| only.contains(&session)) {
                let created_at = Timestamp::clamped(row.take(1)?);
                out.push(SessionEntry { actor: page.actor.clone(), session, created_at });
            }
            Ok(out.len() < page.limit)
        })?;
        Ok(out)
    }
}
