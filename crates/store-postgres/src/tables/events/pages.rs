//! Pages of events, actors and sessions. Each is one statement. Lists of a caller are passed as one
//! value each, so that there are few different statements.

use loci_model::event::Event;
use loci_model::event::filter::EventFilter;
use loci_model::ports::store::{
    ActorPage, BranchSlice, EventQuery, EventsBefore, NewestUnread, SessionEntry, SessionPage, UnreadEvent,
};
use loci_model::principal::bounds::Bounds;
use loci_model::{ActorId, Result, SessionId, Timestamp, limits};
use loci_store_kit::row_readers::EventOf;

use super::rows::{COLUMNS, FROM, PAYLOAD, PAYLOAD_AT, branch_name, plain, read};
use crate::bound_values::PgBoundParameters;
use crate::digests::session_key;
use crate::errors::stored;
use crate::tx::{Column, PgTx, limit, signed, unsigned};
use loci_store_kit::unreadable_rows;

/// The number of unread events per statement.
const UNREAD_ROWS: usize = 1_000;

impl PgTx<'_> {
    pub(super) fn event_page(&self, query: &EventQuery) -> Result<Vec<Event>> {
        let Some(memory) = self.number(&query.memory)?.filter(|_| query.limit > 0) else {
            return Ok(Vec::new());
        };
        let of = EventOf { memory: &query.memory, actor: &query.actor, session: &query.session };
        unreadable_rows::page(query.limit, |limit| {
            let (sql, bound) = page_statement(memory, &EventQuery { limit, ..query.clone() });
            self.all(&sql, &bound.values(), |row| {
                unreadable_rows::readable("event", read(of, row, query.with_payload))
            })
        })
    }

    pub(super) fn events_before(&self, query: &EventsBefore) -> Result<Vec<Event>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let mut bound = PgBoundParameters::default();
        let mut sql = format!(
            "SELECT {COLUMNS}, {PAYLOAD} FROM {FROM} WHERE e.mem = {} AND e.sess = {} AND e.extract \
             AND e.arrival <= {} AND NOT e.deleted AND e.expires > {}",
            bound.put(memory),
            bound.put(session_key(&query.actor, &query.session)),
            bound.put(signed(query.arrival)),
            bound.put(query.now.millis())
        );
        if let Some(slices) = &query.branches {
            sql.push_str(&of_slices(slices, &mut bound));
        }
        sql.push_str(&format!(" ORDER BY e.arrival DESC LIMIT {}", bound.put(limit(query.limit))));
        let of = EventOf { memory: &query.memory, actor: &query.actor, session: &query.session };
        let mut out = self.all(&sql, &bound.values(), |row| read(of, row, true))?;
        out.reverse();
        Ok(out)
    }

    pub(super) fn unread_from_the_last(&self, query: &NewestUnread) -> Result<Vec<UnreadEvent>> {
        let Some(memory) = self.number(&query.memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {COLUMNS}, octet_length(e.payload)::bigint AS bytes FROM {FROM} WHERE e.mem = $1 AND e.sess = $2 \
             AND e.extract AND e.arrival > $3 AND e.arrival < $4 AND NOT e.deleted AND e.expires > $5 \
             ORDER BY e.arrival DESC LIMIT $6"
        );
        let (after, before) = (signed(query.after), query.before.map_or(i64::MAX, signed));
        let key = session_key(&query.actor, &query.session);
        let of = EventOf { memory: &query.memory, actor: &query.actor, session: &query.session };
        let values: crate::connection::Values<'_> =
            &[&memory, &key, &after, &before, &query.now.millis(), &limit(query.limit)];
        self.all(&sql, values, |row| {
            let event = read(of, row, false)?;
            Ok(UnreadEvent { event, payload_bytes: unsigned(row.take(PAYLOAD_AT)?) })
        })
    }

    /// True if an unread event exists. Hidden events are not in the metadata index, so the unread
    /// events are scanned without payloads.
    pub(super) fn has_unread(
        &self,
        of: EventOf<'_>,
        arrival: u64,
        only: &Bounds,
        now: Timestamp,
    ) -> Result<bool> {
        let Some(memory) = self.number(of.memory)? else { return Ok(false) };
        let sql = format!(
            "SELECT {COLUMNS} FROM {FROM} WHERE e.mem = $1 AND e.sess = $2 AND e.extract AND NOT e.deleted \
             AND e.expires > $3 AND e.arrival > $4 ORDER BY e.arrival LIMIT $5"
        );
        let (session, now) = (session_key(of.actor, of.session), now.millis());
        let mut after = signed(arrival);
        loop {
            let values: crate::connection::Values<'_> =
                &[&memory, &session, &now, &after, &limit(UNREAD_ROWS)];
            let read = self.all(&sql, values, |row| read(of, row, false))?;
            if read.iter().any(|event| only.admits_event(event)) {
                return Ok(true);
            }
            match read.last().filter(|_| read.len() == UNREAD_ROWS) {
                Some(last) => after = signed(last.arrival),
                None => return Ok(false),
            }
        }
    }

    pub(super) fn actor_page(&self, page: &ActorPage) -> Result<Vec<ActorId>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let after = page.after.as_ref().map_or("", |actor| actor.as_str());
        let now = page.now.millis();
        let read = |row: &tokio_postgres::Row| {
            unreadable_rows::readable("actor", stored(ActorId::parse(row.take::<String>(0)?), "actor"))
        };
        unreadable_rows::page(page.limit, |count| {
            match &page.only {
            Some(only) => {
                let only: Vec<&str> = only.iter().map(ActorId::as_str).collect();
                self.all(
                    "SELECT DISTINCT actor FROM sessions WHERE mem = $1 AND actor = ANY($5) AND actor > $2 \
                     AND created IS NOT NULL AND ends > $3 ORDER BY actor LIMIT $4",
                    &[&memory, &after, &now, &limit(count), &only],
                    read,
                )
            }
            // One index step per actor, regardless of its number of sessions.
            None => self.all(
                "WITH RECURSIVE a(actor) AS (\
                 (SELECT actor FROM sessions WHERE mem = $1 AND actor > $2 AND created IS NOT NULL AND ends > $3 \
                 ORDER BY actor LIMIT 1) \
                 UNION ALL SELECT (SELECT s.actor FROM sessions s WHERE s.mem = $1 AND s.actor > a.actor \
                 AND s.created IS NOT NULL AND s.ends > $3 ORDER BY s.actor LIMIT 1) \
                 FROM a WHERE a.actor IS NOT NULL) \
                 SELECT actor FROM a WHERE actor IS NOT NULL LIMIT $4",
                &[&memory, &after, &now, &limit(count)],
                read,
            ),
        }
        })
    }

    pub(super) fn session_page(&self, page: &SessionPage) -> Result<Vec<SessionEntry>> {
        let Some(memory) = self.number(&page.memory)? else { return Ok(Vec::new()) };
        let stays = if page.with_events_only { 0 } else { limits::EMPTY_SESSION_MS };
        let ends_after = page.now.millis().saturating_sub(stays);
        let (created, session) = page
            .after
            .as_ref()
            .map_or((i64::MAX, ""), |(created, session)| (created.millis(), session.as_str()));
        let only: Option<Vec<&str>> =
            page.only.as_ref().map(|only| only.iter().map(SessionId::as_str).collect());
        let read = |row: &tokio_postgres::Row| {
            Ok(SessionEntry {
                actor: page.actor.clone(),
                session: stored(SessionId::parse(row.take::<String>(0)?), "session")?,
                created_at: Timestamp::clamped(row.take(1)?),
            })
        };
        unreadable_rows::page(page.limit, |count| {
            self.all(
                "SELECT session, created FROM sessions WHERE mem = $1 AND actor = $2 AND created <= $3 \
                 AND (created < $3 OR session > $4) AND ends > $5 AND ($6::text[] IS NULL OR session = \
                 ANY($6)) \
                 ORDER BY created DESC, session LIMIT $7",
                &[&memory, &page.actor.as_str(), &created, &session, &ends_after, &only, &limit(count)],
                |row| unreadable_rows::readable("session", read(row)),
            )
        })
    }
}

/// Returns the statement of a page.
fn page_statement(memory: i64, query: &EventQuery) -> (String, PgBoundParameters) {
    let mut bound = PgBoundParameters::default();
    let memory = bound.put(memory);
    let session = bound.put(session_key(&query.actor, &query.session));
    let now = bound.put(query.now.millis());
    let payload = if query.with_payload { format!(", {PAYLOAD}") } else { String::new() };
    // The first equality filter is the driver: its index returns the events in order.
    let driver = query.metadata.iter().position(|filter| matches!(filter, EventFilter::Equals(_, _)));
    let (tables, order) = match driver {
        Some(_) => {
            (format!("{FROM} JOIN event_meta f ON f.mem = e.mem AND f.sess = e.sess AND f.id = e.id"), "f.id")
        }
        None => (FROM.to_owned(), "e.id"),
    };
    let mut sql = format!(
        "SELECT {COLUMNS}{payload} FROM {tables} WHERE e.mem = {memory} AND e.sess = {session} \
         AND NOT e.hidden AND NOT e.deleted AND e.expires > {now}"
    );
    sql.push_str(&of_metadata(&query.metadata, driver, (&memory, &session), &mut bound));
    if let Some(only) = &query.only {
        sql.push_str(&of_bounds(only, (&memory, &session), &mut bound));
    }
    if let Some(before) = &query.before {
        sql.push_str(&format!(" AND {order} < {}", bound.put(before.as_str().to_owned())));
    }
    if let Some(slices) = &query.branches {
        sql.push_str(&of_slices(slices, &mut bound));
    }
    sql.push_str(&format!(" ORDER BY {order} DESC LIMIT {}", bound.put(limit(query.limit))));
    (sql, bound)
}

/// Returns conditions on metadata: `f` is the row of the driver filter, the others are looked up
/// for each event.
fn of_metadata(
    filters: &[EventFilter],
    driver: Option<usize>,
    (memory, session): (&str, &str),
    bound: &mut PgBoundParameters,
) -> String {
    let mut sql = String::new();
    let (mut equal, mut present, mut absent) = ((Vec::new(), Vec::new()), Vec::new(), Vec::new());
    for (at, filter) in filters.iter().enumerate() {
        match filter {
            EventFilter::Equals(key, value) if Some(at) == driver => {
                let (key, value) = (bound.put(plain(key)), bound.put(plain(value)));
                sql.push_str(&format!(
                    " AND f.mem = {memory} AND f.sess = {session} AND f.key = {key} AND f.value = {value}"
                ));
            }
            EventFilter::Equals(key, value) => {
                equal.0.push(plain(key));
                equal.1.push(plain(value));
            }
            EventFilter::Exists(key) => present.push(plain(key)),
            EventFilter::NotExists(key) => absent.push(plain(key)),
        }
    }
    let of_event = format!("FROM event_meta m WHERE m.mem = {memory} AND m.sess = {session} AND m.id = e.id");
    if !equal.0.is_empty() {
        let (keys, values) = (bound.put(equal.0), bound.put(equal.1));
        sql.push_str(&format!(
            " AND NOT EXISTS (SELECT 1 FROM unnest({keys}::text[], {values}::text[]) AS w(key, value) \
             WHERE NOT EXISTS (SELECT 1 {of_event} AND m.key = w.key AND m.value = w.value))"
        ));
    }
    if !present.is_empty() {
        let keys = bound.put(present);
        sql.push_str(&format!(
            " AND NOT EXISTS (SELECT 1 FROM unnest({keys}::text[]) AS w(key) \
             WHERE NOT EXISTS (SELECT 1 {of_event} AND m.key = w.key))"
        ));
    }
    if !absent.is_empty() {
        sql.push_str(&format!(
            " AND NOT EXISTS (SELECT 1 {of_event} AND m.key = ANY({}::text[]))",
            bound.put(absent)
        ));
    }
    sql
}

/// Returns the condition for events within at least one of some bounds.
fn of_bounds(only: &[Bounds], (memory, session): (&str, &str), bound: &mut PgBoundParameters) -> String {
    let of_event = format!("FROM event_meta m WHERE m.mem = {memory} AND m.sess = {session} AND m.id = e.id");
    let mut parts = Vec::with_capacity(only.len());
    for one in only {
        let mut part = "TRUE".to_owned();
        if let Some(since) = one.since {
            part.push_str(&format!(" AND e.time >= {}", bound.put(since.millis())));
        }
        for (key, allowed) in &one.metadata {
            let allowed: Vec<String> = allowed.iter().map(|text| plain(text)).collect();
            let (key, allowed) = (bound.put(plain(key)), bound.put(allowed));
            part.push_str(&format!(
                " AND EXISTS (SELECT 1 {of_event} AND m.key = {key} AND m.value = ANY({allowed}::text[]))"
            ));
        }
        parts.push(format!("({part})"));
    }
    let parts = if parts.is_empty() { "FALSE".to_owned() } else { parts.join(" OR ") };
    format!(" AND ({parts})")
}

/// Returns the condition for the events of these slices.
fn of_slices(slices: &[BranchSlice], bound: &mut PgBoundParameters) -> String {
    let names: Vec<Option<String>> =
        slices.iter().map(|slice| branch_name(&slice.branch).map(str::to_owned)).collect();
    let lasts: Vec<Option<String>> =
        slices.iter().map(|slice| slice.up_to.as_ref().map(|id| id.as_str().to_owned())).collect();
    let (names, lasts) = (bound.put(names), bound.put(lasts));
    format!(
        " AND EXISTS (SELECT 1 FROM unnest({names}::text[], {lasts}::text[]) AS s(name, last) \
         WHERE s.name IS NOT DISTINCT FROM e.branch AND (s.last IS NULL OR e.id <= s.last))"
    )
}
